package io.reactivecomm.internal.train;

import io.reactivecomm.CompositeView;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.train.Gradient;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A gradient that this rank has in a step of buckets, on the way to its result. It is kept and claimed from the moment in which the backward pass hands it over: a device
 * tensor is ordered behind the work that is on its stream at that moment, and later calls find the claim. The gradient's bucket may begin much later.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class Arrival implements Runnable {

    private static final Runnable NO_CLAIM = () -> {};

    final Gradient gradient;
    /** Takes the result, alone or with those of other gradients. */
    final Consumer<List<Gradient>> taker;

    private final BucketStep step;
    /** Ends the claim; null once released. */
    private @Nullable Runnable claim;

    /**
     * Keeps and claims a gradient.
     *
     * @throws InvalidCallException if it is closed, or a call in flight uses its memory
     */
    Arrival(Gradient gradient, Consumer<List<Gradient>> taker, BucketStep step) {
        this.gradient = gradient;
        this.taker = taker;
        this.step = step;
        ProcessGroup inside = step.inside;
        if (!keep()) {
            throw new InvalidCallException("a gradient is closed: name=" + gradient.name() + ", tensor="
                    + gradient.tensor() + ", rank=" + inside.globalRank(inside.rank())
                    + "; keep it open until it comes back");
        }
        try {
            claim = inside instanceof CompositeView view ? claim(view) : NO_CLAIM;
        } finally {
            if (claim == null) {
                unkeep();
            }
        }
    }

    /** Arrives, as an event of its step. */
    @Override
    public void run() {
        step.arrived(this);
    }

    private boolean keep() {
        SparseTensor rows = gradient.rows();
        if (!gradient.tensor().keep()) {
            return false;
        }
        if (rows == null || rows.indices().keep()) {
            return true;
        }
        gradient.tensor().unkeep();
        return false;
    }

    private void unkeep() {
        SparseTensor rows = gradient.rows();
        try {
            gradient.tensor().unkeep();
        } finally {
            if (rows != null) {
                rows.indices().unkeep();
            }
        }
    }

    private Runnable claim(CompositeView view) {
        SparseTensor rows = gradient.rows();
        return rows == null
                ? view.claim("gradient reduction", gradient.name(), List.of(), List.of(gradient.tensor()))
                : view.claim(
                        "gradient reduction", gradient.name(), List.of(gradient.tensor(), rows.indices()), List.of());
    }

    /** Ends the claim, and lets the program close the gradient. Idempotent. */
    void release() {
        Runnable held = claim;
        claim = null;
        if (held != null) {
            held.run();
            unkeep();
        }
    }
}
