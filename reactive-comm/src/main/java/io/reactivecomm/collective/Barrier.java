package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;

/** Every rank waits for every other. */
public record Barrier() implements NoTensor {

    private static final Signature SIGNATURE = new Signature(Operation.BARRIER, DType.UINT8, 0, Signature.NO_ROOT, null);

    @Override
    public Operation operation() {
        return Operation.BARRIER;
    }

    @Override
    public Signature signature() {
        return SIGNATURE;
    }

    @Override
    public Barrier checkedFor(int rank, int size) {
        return this;
    }
}
