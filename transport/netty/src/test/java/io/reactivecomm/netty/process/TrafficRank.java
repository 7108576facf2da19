package io.reactivecomm.netty.process;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.Tensor;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Scanner;

/**
 * A rank that all-reduces once, so many bytes that they can be told from all else. It prints {@code sum VALUE}, or {@code error MESSAGE}, and ends
 * when its input does.
 */
public final class TrafficRank {

    /** Of the tensor. */
    static final int BYTES = 8 << 20;

    private static final long LAST = BYTES / Float.BYTES - 1;

    private static final Duration BOUND = Duration.ofSeconds(60);

    private TrafficRank() {}

    public static void main(String[] args) {
        try (Scanner in = new Scanner(System.in);
                ProcessGroup world = ReactiveComm.connect().block(BOUND);
                Tensor tensor = Tensor.allocate(DType.FLOAT32, LAST + 1)) {
            tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT, LAST, world.rank() + 1);
            world.allReduce(tensor, ReduceOp.SUM).block(BOUND);
            System.out.println("sum " + (int) tensor.segment().getAtIndex(ValueLayout.JAVA_FLOAT, LAST));
            while (in.hasNextLine()) {
                in.nextLine();
            }
        } catch (RendezvousException e) {
            System.out.println("error " + e.getMessage());
        }
        System.exit(0);
    }
}
