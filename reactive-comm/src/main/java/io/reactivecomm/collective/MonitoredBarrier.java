package io.reactivecomm.collective;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;

/**
 * Every rank waits for rank 0, which waits for all and can tell who did not come.
 *
 * @param waitAllRanks whether a failure names all missing ranks, not only the first
 */
public record MonitoredBarrier(boolean waitAllRanks) implements NoTensor {

    private static final Signature SIGNATURE =
            new Signature(Operation.MONITORED_BARRIER, DType.UINT8, 0, Signature.NO_ROOT, null);

    @Override
    public Operation operation() {
        return Operation.MONITORED_BARRIER;
    }

    @Override
    public Signature signature() {
        return SIGNATURE;
    }

    @Override
    public MonitoredBarrier checkedFor(int rank, int size) {
        return this;
    }
}
