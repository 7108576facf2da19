package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.collective.Barrier;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Calls in a composite, which one of two ranks makes and the other has no room for: it drops more of them than it remembers, so that some are
 * answered only because they are repeated. The clock stands still: nobody asks, and no deadline strikes.
 */
class DroppedPartsTest {

    private static final int REMEMBERED = 2;
    private static final int CALLS = REMEMBERED + 1;

    /** All are opened before the first is known to have been dropped. */
    private static final EngineLimits ROOMLESS = new EngineLimits(
            1024,
            1024,
            2048,
            8 << 10,
            16 << 10,
            2,
            4 << 20,
            new EngineLimits.Openings(CALLS, 64 << 10, 0, 16 << 10),
            4,
            REMEMBERED,
            5_000_000_000L,
            100_000_000L);

    private static final Failure CAUSE = new Failure(Failure.Kind.INVALID, 0, "the body failed");

    private final EngineWorld world = new EngineWorld(2, ROOMLESS, 19);
    private final List<Composite> runs = new ArrayList<>();
    private final List<RunEnd> runEnds = new ArrayList<>();
    private final List<EngineWorld.End> calls = new ArrayList<>();

    /** Both ranks begin the composite, rank 0 its calls, too. */
    @BeforeEach
    void begin() {
        for (int rank = 0; rank < 2; rank++) {
            runEnds.add(new RunEnd());
            CallKey.Ticket key = new CallKey.Ticket(0, 0, "", 0, 1);
            runs.add(new Composite(
                    world.groups.get(rank), key, null, "drops", world.now(), Composite.NO_DEADLINE, runEnds.get(rank)));
            world.engines.get(rank).begin(runs.get(rank), world.now());
            world.turn(rank);
        }
        IntStream.range(0, CALLS).mapToObj(this::barrier).forEach(calls::add);
    }

    private EngineWorld.End barrier(int index) {
        CallKey.Ticket key =
                new CallKey.Ticket(0, 0, "part " + index, 0, 1, runs.getFirst().enclosure());
        return world.within(runs.getFirst(), 0, new Submission.Address.Collectively(key), new Barrier());
    }

    @AfterEach
    void close() {
        world.close();
    }

    private void fail(int rank) {
        world.engines.get(rank).failed(runs.get(rank), CAUSE, world.now());
        world.turn(rank);
        world.settle();
    }

    private void requireThatAllFailed() {
        assertThat(world.link(1, 0).sent(Frame.Dropped.class)).hasSize(CALLS);
        assertThat(calls).extracting(call -> call.failure).containsOnly(CAUSE);
        assertThat(runEnds)
                .allSatisfy(end -> assertThat(end.ended).isTrue())
                .extracting(end -> end.failure)
                .containsOnly(CAUSE);
    }

    @Test
    void calls_knownToHaveBeenDropped_areRepeatedWhenTheirCompositeFails() {
        world.settle();

        fail(1);

        requireThatAllFailed();
    }

    @Test
    void calls_ofAFailedComposite_areRepeatedWhenTheyAreKnownToHaveBeenDropped() {
        fail(0);

        requireThatAllFailed();
    }
}
