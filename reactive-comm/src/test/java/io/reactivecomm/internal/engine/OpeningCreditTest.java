package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.transfer.EngineLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that nobody else has begun do not keep those from running that all have. */
class OpeningCreditTest {

    private static final int RANKS = 8;
    private static final Duration LONG = Duration.ofMinutes(1);

    /** Recursive doubling: most of what a rank will send is not ready when it opens. */
    private static final int INTS = 2 << 10;

    /** More than the credit in bytes, if what is not ready counted. */
    private static final int FLOOD = 600;

    private final EngineWorld world = new EngineWorld(RANKS, EngineLimits.DEFAULT, 5);
    private final Tensor shared = Tensor.allocate(DType.INT32, INTS);

    @AfterEach
    void close() {
        world.close();
        shared.close();
    }

    @Test
    void credit_isNotSpentOnBytesThatAreNotSent() {
        for (int call = 0; call < FLOOD; call++) {
            world.allReduce(0, "by0#" + call, shared, shared, ReduceOp.SUM, LONG);
            world.allReduce(2, "by2#" + call, shared, shared, ReduceOp.SUM, LONG);
        }
        world.settle();
        List<EngineWorld.End> ends = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            ends.add(world.barrier(rank, "together", LONG));
        }
        world.settle();

        assertThat(ends).allSatisfy(end -> assertThat(end.work).isNotNull());
    }
}
