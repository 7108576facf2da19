package io.reactivecomm.collective;

import io.reactivecomm.Tensor;

/** Every rank's input, concatenated in rank order, on every rank; in place when input is the rank's own part of output. */
public record AllGather(Tensor input, Tensor output) implements Collective {

    public AllGather {
        Checks.usable(Operation.ALL_GATHER, "input", input);
        Checks.usable(Operation.ALL_GATHER, "output", output);
        Checks.sameType(Operation.ALL_GATHER, input, output);
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.ALL_GATHER, input.type(), input.count(), Signature.NO_ROOT, null);
    }

    @Override
    public AllGather checkedFor(int rank, int size) {
        Checks.count(Operation.ALL_GATHER, "output", output, input.count() * size);
        Checks.overlap(Operation.ALL_GATHER, output, input, rank * input.count());
        return this;
    }
}
