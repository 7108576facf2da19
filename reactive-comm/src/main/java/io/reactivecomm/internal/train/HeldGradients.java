package io.reactivecomm.internal.train;

import io.reactivecomm.CompositeView;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.internal.base.Closings;
import io.reactivecomm.train.Gradient;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The gradients that a step of buckets has and has not given back, kept and claimed from the moment in which the backward pass hands them over. A device tensor is ordered
 * behind the work that is on its stream at that moment, and later calls find the claim. The gradient's bucket may begin much later.
 *
 * <p><b>Threads.</b> Any.
 */
final class HeldGradients {

    private final ProcessGroup inside;
    /** The step, for errors. */
    private final String step;
    /** Each gradient with the action that ends its claim. */
    private final Map<Gradient, Runnable> held = new IdentityHashMap<>();

    private boolean isOver;

    /** @param inside the view of the step's calls, which may use the claimed memory */
    HeldGradients(ProcessGroup inside) {
        this.inside = inside;
        this.step = inside instanceof CompositeView view ? view.step() : "";
    }

    /**
     * Keeps and claims a gradient.
     *
     * @throws InvalidCallException if it is closed, or a call in flight uses its memory
     */
    synchronized void hold(Gradient gradient) {
        if (isOver) {
            return;
        }
        if (!keep(gradient)) {
            throw new InvalidCallException("a gradient is closed: name=" + gradient.name() + ", tensor="
                    + gradient.tensor() + ", rank=" + inside.globalRank(inside.rank())
                    + "; keep it open until it comes back");
        }
        held.put(gradient, () -> {});
        held.put(gradient, claim(gradient));
    }

    private static boolean keep(Gradient gradient) {
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

    private Runnable claim(Gradient gradient) {
        if (!(inside instanceof CompositeView view)) {
            return () -> {};
        }
        SparseTensor rows = gradient.rows();
        String label = gradient.name() + " in " + step;
        return rows == null
                ? view.claim("gradient reduction", label, List.of(), List.of(gradient.tensor()))
                : view.claim("gradient reduction", label, List.of(gradient.tensor(), rows.indices()), List.of());
    }

    synchronized void release(Gradient gradient) {
        Runnable claim = held.remove(gradient);
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

    /** The step is over: none is held any more, not even one that is still coming. */
    synchronized void end() {
        isOver = true;
        Closings closings = new Closings();
        List.copyOf(held.keySet()).forEach(each -> closings.close("a gradient that was kept", () -> release(each)));
        closings.end();
    }
}
