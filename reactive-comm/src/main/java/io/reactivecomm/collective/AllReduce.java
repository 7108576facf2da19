package io.reactivecomm.collective;

import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;

/** Every rank's input reduced elementwise, the result on every rank; in place when input and output are the same memory. */
public record AllReduce(Tensor input, Tensor output, Reduction op) implements Collective {

    public AllReduce {
        Checks.usable(Operation.ALL_REDUCE, "input", input);
        Checks.usable(Operation.ALL_REDUCE, "output", output);
        Checks.sameType(Operation.ALL_REDUCE, input, output);
        Checks.reducible(Operation.ALL_REDUCE, input.type(), op);
        Checks.count(Operation.ALL_REDUCE, "output", output, input.count());
        Checks.overlap(Operation.ALL_REDUCE, input, output, 0);
    }

    @Override
    public Signature signature() {
        return new Signature(Operation.ALL_REDUCE, input.type(), input.count(), Signature.NO_ROOT, op);
    }

    @Override
    public AllReduce checkedFor(int rank, int size) {
        return this;
    }
}
