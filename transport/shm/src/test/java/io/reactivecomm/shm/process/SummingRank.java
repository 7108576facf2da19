package io.reactivecomm.shm.process;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.time.Duration;

/** A rank that sums one number over the ranks, by the defaults of a program that knows of no option, and prints the sum. */
public final class SummingRank {

    private static final Duration BOUND = Duration.ofSeconds(60);

    private SummingRank() {}

    public static void main(String[] args) {
        try (ProcessGroup group = ReactiveComm.connect().block(BOUND);
                Tensor tensor = Tensor.of(new float[] {group.rank() + 1})) {
            group.allReduce(tensor, ReduceOp.SUM).block(BOUND);
            System.out.println("sum " + tensor.toFloatArray()[0]);
            group.barrier().block(BOUND);
        }
    }
}
