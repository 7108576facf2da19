package io.reactivecomm.bucket;

import io.reactivecomm.SparseTensor;
import io.reactivecomm.hook.Gradient;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The gradients of a step that have come, kept and claimed, from the moment on in which the backward pass handed them over. A tensor that is behind a stream of the program's
 * is ordered behind what is on the stream then, and calls that are subscribed to later find the claim. The step's worker may come to it later, when the program has long enqueued what follows.
 *
 * <p><b>Threads.</b> Any.
 */
final class KeptGradients {

    private static final Runnable NOTHING = () -> {};

    /** Each with what ends its claim. */
    private final Map<Gradient, Runnable> kept = new IdentityHashMap<>();

    private final Function<Gradient, Runnable> claiming;
    private boolean isOver;

    /** Those of a step that claims no memory. */
    KeptGradients() {
        this(gradient -> NOTHING);
    }

    /** @param claiming claims the memory of a gradient that is kept, and gives what ends that */
    KeptGradients(Function<Gradient, Runnable> claiming) {
        this.claiming = claiming;
    }

    /**
     * Keeps one, unless it is closed, or kept already. Who borrows it hears of what is wrong with it.
     *
     * @throws io.reactivecomm.InvalidCallException if a call in flight is at its memory; it is kept all the same
     */
    synchronized void keep(Gradient gradient) {
        if (!isOver && !kept.containsKey(gradient) && keepAll(gradient)) {
            kept.put(gradient, NOTHING);
            kept.put(gradient, claiming.apply(gradient));
        }
    }

    private static boolean keepAll(Gradient gradient) {
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

    /** Keeps one no longer. */
    synchronized void letGo(Gradient gradient) {
        Runnable claim = kept.remove(gradient);
        if (claim != null) {
            claim.run();
            gradient.tensor().unkeep();
            SparseTensor rows = gradient.rows();
            if (rows != null) {
                rows.indices().unkeep();
            }
        }
    }

    /** The step is over: none is kept any more, not even one that is still coming. */
    synchronized void end() {
        isOver = true;
        List.copyOf(kept.keySet()).forEach(this::letGo);
    }
}
