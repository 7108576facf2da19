package io.reactivecomm.rcomm.perf;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;

/**
 * The numbers of all ranks of a group, between measurements. All ranks ask for the same ones.
 *
 * <p><b>Threads.</b> The rank's own, which it blocks.
 */
public record AcrossRanks(ProcessGroup group) {

    /** {@return rank 0's} */
    public long agreed(long value) {
        try (Tensor agreed = Tensor.of(new long[] {value})) {
            group.broadcast(agreed, 0).block();
            return agreed.toLongArray()[0];
        }
    }

    /** {@return the sum of all} */
    public long sum(long value) {
        return reduced(new long[] {value}, ReduceOp.SUM)[0];
    }

    /** {@return the largest of all} */
    public double most(double value) {
        try (Tensor most = Tensor.of(new double[] {value})) {
            group.allReduce(most, ReduceOp.MAX).block();
            return most.toDoubleArray()[0];
        }
    }

    /** {@return the largest at each place} */
    public long[] most(long[] values) {
        return reduced(values, ReduceOp.MAX);
    }

    /** {@return the smallest at each place} */
    public long[] least(long[] values) {
        return reduced(values, ReduceOp.MIN);
    }

    private long[] reduced(long[] values, ReduceOp op) {
        try (Tensor tensor = Tensor.of(values)) {
            group.allReduce(tensor, op).block();
            return tensor.toLongArray();
        }
    }
}
