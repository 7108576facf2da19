package io.reactivecomm.engine;

import io.reactivecomm.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sink that holds its call's tensors until it is told of the end. */
public abstract class Borrowing implements CallSink {

    private List<Tensor> borrowed = List.of();

    /** {@return a tensor that was closed already, or null if all are borrowed until the end} */
    public @Nullable Tensor borrow(List<Tensor> tensors) {
        for (int i = 0; i < tensors.size(); i++) {
            if (!tensors.get(i).borrow()) {
                tensors.subList(0, i).forEach(Tensor::giveBack);
                return tensors.get(i);
            }
        }
        borrowed = tensors;
        return null;
    }

    /** Ends the borrowing, once. */
    void giveBack() {
        List<Tensor> all = borrowed;
        borrowed = List.of();
        for (int i = 0; i < all.size(); i++) {
            all.get(i).giveBack();
        }
    }
}
