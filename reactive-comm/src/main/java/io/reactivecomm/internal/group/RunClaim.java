package io.reactivecomm.internal.group;

import io.reactivecomm.Tensor;
import io.reactivecomm.internal.engine.Composite;
import java.util.List;

/**
 * A claim that the run of a composite call makes for a part of its time. Calls inside the run may use the claimed memory.
 *
 * <p><b>Threads.</b> Any.
 */
final class RunClaim extends CallClaim {

    private final Composite run;
    private final String operation;
    private final String label;

    private RunClaim(Composite run, String operation, String label) {
        this.run = run;
        this.operation = operation;
        this.label = label;
    }

    /**
     * {@return an action that ends a claim, which begins now}
     *
     * @throws io.reactivecomm.InvalidCallException if a claim of a call in flight conflicts
     */
    static Runnable of(CompositeRun run, String operation, String label, List<Tensor> reads, List<Tensor> writes) {
        RunClaim claim = new RunClaim(run.composite(), operation, label);
        claim.claim(run.assembler().driver(), run.assembler().group(), run.composite(), reads, writes);
        return claim::unclaim;
    }

    @Override
    protected String operation() {
        return operation;
    }

    @Override
    protected String label() {
        return label;
    }

    @Override
    Composite run() {
        return run;
    }
}
