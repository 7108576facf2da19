package io.reactivecomm.engine;

import io.reactivecomm.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A sink that holds its call's tensors until it is told of the end. */
public abstract class Borrowing implements CallSink {

    private List<Tensor> borrowed = List.of();

    /**
     * {@return a tensor that was closed already, or null if all are borrowed until the end}
     *
     * @throws io.reactivecomm.InvalidCallException if one cannot be borrowed for another reason; none is then
     */
    public @Nullable Tensor borrow(List<Tensor> tensors) {
        int held = 0;
        try {
            while (held < tensors.size() && tensors.get(held).borrow()) {
                held++;
            }
        } finally {
            if (held < tensors.size()) {
                tensors.subList(0, held).forEach(Tensor::giveBack);
            }
        }
        if (held < tensors.size()) {
            return tensors.get(held);
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
