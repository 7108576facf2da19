package io.reactivecomm.collective;

import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;

/** Every rank's input reduced elementwise, part r of the result on rank r; in place when output is the rank's own part of input. */
public record ReduceScatter(Tensor input, Tensor output, Reduction op) implements Collective {

    public ReduceScatter {
        Checks.usable(Operation.REDUCE_SCATTER, "input", input);
        Checks.usable(Operation.REDUCE_SCATTER, "output", output);
        Checks.sameType(Operation.REDUCE_SCATTER, input, output);
        Checks.reducible(Operation.REDUCE_SCATTER, input.type(), op);
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.REDUCE_SCATTER, output.type(), output.count(), Signature.NO_ROOT, op);
    }

    @Override
    public ReduceScatter checkedFor(int rank, int size) {
        Checks.count(Operation.REDUCE_SCATTER, "input", input, output.count() * size);
        Checks.overlap(Operation.REDUCE_SCATTER, input, output, rank * output.count());
        return this;
    }
}
