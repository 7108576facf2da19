package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.concurrent.CountDownLatch;

/** A rank whose traffic is known: it all-reduces 4 MiB ten times. With an argument it then waits for its end. */
final class ExchangingRank {

    static final int ROUNDS = 10;
    static final int ELEMENTS = 1 << 20;

    /** What the ranks of a host know and another host does not, and must hear, however it is done. */
    static final long LEAST_BYTES = (long) ROUNDS * ELEMENTS * Float.BYTES;

    private ExchangingRank() {}

    public static void main(String[] arguments) throws InterruptedException {
        try (ProcessGroup group = ReactiveComm.connect().block()) {
            float[] values = new float[ELEMENTS];
            for (int i = 0; i < ELEMENTS; i++) {
                values[i] = group.rank() + i % 7;
            }
            float last = 0;
            for (int round = 0; round < ROUNDS; round++) {
                Tensor tensor = Tensor.of(values);
                group.allReduce(tensor, ReduceOp.SUM).block();
                last = tensor.toFloatArray()[6];
            }
            System.out.println("sum " + last);
            if (arguments.length > 0) {
                new CountDownLatch(1).await();
            }
        }
    }
}
