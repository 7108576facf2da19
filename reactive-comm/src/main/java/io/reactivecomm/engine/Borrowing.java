package io.reactivecomm.engine;

import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sink that holds its call's tensors until it is told of the end. */
public abstract class Borrowing implements CallSink {

    private List<Tensor> borrowed = List.of();

    /** {@return a tensor that was closed already, or null if all are borrowed until the end} */
    public @Nullable Tensor borrow(List<Tensor> tensors) {
        List<Tensor> got = new ArrayList<>(tensors.size());
        for (Tensor tensor : tensors) {
            if (!tensor.borrow()) {
                got.forEach(Tensor::giveBack);
                return tensor;
            }
            got.add(tensor);
        }
        borrowed = got;
        return null;
    }

    /** Ends the borrowing, once. */
    void giveBack() {
        borrowed.forEach(Tensor::giveBack);
        borrowed = List.of();
    }
}
