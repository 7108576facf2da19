package io.reactivecomm.internal.group;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.base.ProgramError;
import io.reactivecomm.internal.base.Thrown;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** The tensors that something borrows, and perhaps claims, until its end. Given back once. */
class BorrowedTensors extends CallClaim {

    private static final Runnable NOTHING = () -> {};

    private final boolean keeps;
    private List<Tensor> borrowed = List.of();
    private Runnable whenEnded = NOTHING;
    /** The new holder of the borrow also ends the claim. */
    private boolean isClaimedByOther;

    /** @param keeps whether others may borrow them, too, even if they are closed meanwhile */
    BorrowedTensors(boolean keeps) {
        this.keeps = keeps;
    }

    @Override
    protected String operation() {
        return "call";
    }

    @Override
    protected String label() {
        return "";
    }

    private boolean hold(Tensor tensor) {
        return keeps ? tensor.keep() : tensor.borrow();
    }

    private void letGo(Tensor tensor) {
        if (keeps) {
            tensor.unkeep();
        } else {
            tensor.giveBack();
        }
    }

    /**
     * Borrows tensors until the end.
     *
     * @param what borrows them, for the error
     * @throws InvalidCallException if one cannot be borrowed; none is then
     */
    public void borrow(List<Tensor> tensors, String what) {
        int held = 0;
        try {
            while (held < tensors.size() && hold(tensors.get(held))) {
                held++;
            }
        } finally {
            if (held < tensors.size()) {
                tensors.subList(0, held).forEach(this::letGo);
            }
        }
        if (held < tensors.size()) {
            throw new InvalidCallException(what + " cannot borrow its tensor, which is closed: tensor="
                    + tensors.get(held) + "; keep a tensor open until the call has ended");
        }
        borrowed = tensors;
    }

    /** Sets an action that runs when the call has ended, even if nothing is borrowed by then. */
    void whenEnded(Runnable told) {
        whenEnded = told;
    }

    /**
     * {@return an action that ends the borrowing of the tensors, which now outlasts this call}
     *
     * @param withClaim whether the action also ends the claim, because a library may still use the tensors, unordered with later calls
     */
    Runnable handOver(boolean withClaim) {
        List<Tensor> all = borrowed;
        borrowed = List.of();
        isClaimedByOther = withClaim;
        return () -> {
            if (withClaim) {
                unclaim();
            }
            giveBack(all);
        };
    }

    /** Ends the call and its borrowing, once. */
    void giveBack() {
        try {
            ends();
        } finally {
            release();
        }
    }

    /** Runs the action that was set for the end. The tensors stay borrowed and claimed. */
    final void ends() {
        Runnable told = whenEnded;
        whenEnded = NOTHING;
        told.run();
    }

    /** Ends the claim and the borrowing of a call that has ended, once. */
    final void release() {
        if (!isClaimedByOther) {
            unclaim();
        }
        List<Tensor> all = borrowed;
        borrowed = List.of();
        giveBack(all);
    }

    private void giveBack(List<Tensor> all) {
        Throwable fatal = null;
        for (int i = 0; i < all.size(); i++) {
            Throwable thrown = giveBack(all.get(i));
            fatal = fatal == null ? thrown : fatal;
        }
        if (fatal != null) {
            ProgramError.throwIfFatal(fatal);
        }
    }

    /**
     * Those that wait for the tensor are notified on this thread and may throw. The other tensors are given back all the same.
     *
     * @return an error that is fatal to the JVM, to be thrown when all tensors have been given back; or null
     */
    private @Nullable Throwable giveBack(Tensor tensor) {
        try {
            letGo(tensor);
        } catch (Exception | Error e) {
            Thrown.keepInterrupt(e);
            if (Exceptions.isJvmFatal(e)) {
                return e;
            }
            Operators.onErrorDropped(e, Context.empty());
        }
        return null;
    }
}
