package io.reactivecomm.netty.process;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.time.Duration;

/**
 * A rank that all-reduces for as long as it is asked to and says on standard output what happens, for tests that do something to it.
 *
 * <p>It prints {@code begun N} before each call, {@code error TYPE MILLIS MESSAGE} when one fails, and {@code closed} at its end.
 */
public final class FaultyRank {

    private static final Duration BOUND = Duration.ofSeconds(60);

    private FaultyRank() {}

    /** @param args elements of the tensor, and how many calls to make */
    public static void main(String[] args) {
        long count = Long.parseLong(args[0]);
        long calls = Long.parseLong(args[1]);
        ProcessGroup group = ReactiveComm.connect().block(BOUND);
        try (Tensor tensor = Tensor.allocate(DType.FLOAT32, count)) {
            for (long call = 0; call < calls; call++) {
                say("begun " + call);
                group.allReduce(tensor, ReduceOp.SUM).block(BOUND);
            }
        } catch (CommException e) {
            say("error " + e.getClass().getSimpleName() + " " + System.currentTimeMillis() + " " + e.getMessage());
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
