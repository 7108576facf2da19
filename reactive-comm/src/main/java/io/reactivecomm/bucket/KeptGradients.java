package io.reactivecomm.bucket;

import io.reactivecomm.SparseTensor;
import io.reactivecomm.hook.Gradient;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The gradients of a step that have come, kept from the moment on in which the backward pass handed them over: a tensor that is behind a stream of the program's
 * is ordered behind what is on the stream then. The step's worker may come to it later, when the program has long enqueued what follows.
 *
 * <p><b>Threads.</b> Any.
 */
final class KeptGradients {

    private final Set<Gradient> kept = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean isOver;

    /** Keeps one, unless it is closed, or kept already. Who borrows it hears of what is wrong with it. */
    synchronized void keep(Gradient gradient) {
        if (!isOver && !kept.contains(gradient) && keepAll(gradient)) {
            kept.add(gradient);
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
        if (kept.remove(gradient)) {
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
        List.copyOf(kept).forEach(this::letGo);
    }
}
