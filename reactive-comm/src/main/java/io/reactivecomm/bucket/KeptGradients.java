package io.reactivecomm.bucket;

import io.reactivecomm.SparseTensor;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.internal.base.Closings;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The gradients of a step, kept and claimed from the moment in which the backward pass hands them over. A device tensor is ordered behind the work that is
 * on its stream at that moment, and later calls find the claim. The step's worker may process the gradient much later.
 *
 * <p><b>Threads.</b> Any.
 */
final class KeptGradients {

    private static final Runnable NOTHING = () -> {};

    /** Each gradient with the action that ends its claim. */
    private final Map<Gradient, Runnable> kept = new IdentityHashMap<>();

    private final Function<Gradient, Runnable> claiming;
    private boolean isOver;

    /** Keeps the gradients of a step that claims no memory. */
    KeptGradients() {
        this(gradient -> NOTHING);
    }

    /** @param claiming claims the memory of a kept gradient, and returns the action that ends the claim */
    KeptGradients(Function<Gradient, Runnable> claiming) {
        this.claiming = claiming;
    }

    /**
     * Keeps and claims a gradient, unless it is closed or kept already. A closed one fails later, when it is borrowed.
     *
     * @throws io.reactivecomm.InvalidCallException if a call in flight uses its memory; the gradient is kept all the same
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
            SparseTensor rows = gradient.rows();
            try {
                gradient.tensor().unkeep();
            } finally {
                if (rows != null) {
                    rows.indices().unkeep();
                }
            }
        }
    }

    /** The step is over: none is kept any more, not even one that is still coming. */
    synchronized void end() {
        isOver = true;
        Closings closings = new Closings();
        List.copyOf(kept.keySet()).forEach(each -> closings.close("a gradient that was kept", () -> letGo(each)));
        closings.end();
    }
}
