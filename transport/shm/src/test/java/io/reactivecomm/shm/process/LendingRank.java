package io.reactivecomm.shm.process;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.time.Duration;

/** A rank that all-reduces memory which the others read, until that fails, and says on standard output what happens. */
public final class LendingRank {

    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final int ELEMENTS = 4 << 20;

    private LendingRank() {}

    public static void main(String[] args) {
        ProcessGroup group = ReactiveComm.connect().block(BOUND);
        try (Tensor tensor = group.allocate(DType.FLOAT32, ELEMENTS)) {
            for (long call = 0; ; call++) {
                say("begun " + call);
                group.allReduce(tensor, ReduceOp.SUM).block(BOUND);
            }
        } catch (CommException e) {
            say("error " + e.getClass().getSimpleName() + " " + e.getMessage());
        } finally {
            group.close();
            say("closed");
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
