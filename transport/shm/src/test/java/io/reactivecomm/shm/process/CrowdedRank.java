package io.reactivecomm.shm.process;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** A rank that meets the others at a barrier, sums a mebibyte with them, and says on standard output what it got. */
public final class CrowdedRank {

    private static final Duration BOUND = Duration.ofSeconds(100);
    private static final long ELEMENTS = 1 << 18;

    private CrowdedRank() {}

    public static void main(String[] args) {
        try (ProcessGroup group = ReactiveComm.connect().block(BOUND);
                Tensor tensor = group.allocate(DType.FLOAT32, ELEMENTS)) {
            group.barrier().block(BOUND);
            for (long i = 0; i < ELEMENTS; i++) {
                tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, group.rank() + 1);
            }
            group.allReduce(tensor, ReduceOp.SUM).block(BOUND);
            float least = Float.POSITIVE_INFINITY;
            float most = Float.NEGATIVE_INFINITY;
            for (long i = 0; i < ELEMENTS; i++) {
                float element = tensor.segment().getAtIndex(ValueLayout.JAVA_FLOAT, i);
                least = Math.min(least, element);
                most = Math.max(most, element);
            }
            System.out.println("sum " + least + " to " + most);
        }
    }
}
