package io.reactivecomm.internal.group;

import io.reactivecomm.Tensor;
import io.reactivecomm.internal.engine.Composite;
import java.util.List;

/**
 * A claim that the run of a composite call makes for a part of its time. Calls inside the run may use the claimed memory.
 *
 * <p><b>Threads.</b> Any.
 */
final class RunClaim extends CallClaim implements Runnable {

    private final CompositeRun run;
    private final String operation;
    private final String name;

    private RunClaim(CompositeRun run, String operation, String name) {
        this.run = run;
        this.operation = operation;
        this.name = name;
    }

    /**
     * {@return an action that ends a claim, which begins now}
     *
     * @param name of a part of the run that claims, or empty
     * @throws io.reactivecomm.InvalidCallException if a claim of a call in flight conflicts
     */
    static Runnable of(CompositeRun run, String operation, String name, List<Tensor> reads, List<Tensor> writes) {
        RunClaim claim = new RunClaim(run, operation, name);
        claim.claim(run.assembler().driver(), run.assembler().group(), run.composite(), reads, writes);
        return claim;
    }

    @Override
    public void run() {
        unclaim();
    }

    @Override
    protected String operation() {
        return operation;
    }

    @Override
    protected String label() {
        return name.isEmpty() ? run.label() : name + " in " + run.step();
    }

    @Override
    Composite claimant() {
        return run.composite();
    }
}
