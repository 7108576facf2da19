package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Work;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls and messages that ranks give to two engines, none of which is that over links. */
class RivalCallsTest {

    private static final CallKey.Message MESSAGE = new CallKey.Message(0, 0, "", 7, 0, 1, 0);
    private static final CallKey.Ticket CALL = new CallKey.Ticket(0, 0, "", 0, 1);

    private final EngineWorld world = new EngineWorld(3, EngineLimits.DEFAULT, 5);
    private final List<String> failed = new ArrayList<>();

    private void begin(int rank, CallKey key, String engine) {
        CallSink nobody = new CallSink() {
            @Override
            public void succeeded(Work work) {}

            @Override
            public void failed(Failure failure) {}
        };
        IdleEngine idle = new IdleEngine(rank, engine, (what, cause) -> {
            failed.add(what);
            assertThat(cause.text()).contains(key.label()).contains(" on mpi");
        });
        world.engines
                .get(rank)
                .begin(
                        new QueueEntry.Foreign(
                                world.groups.get(rank), key, null, nobody, () -> "something on " + engine, idle),
                        world.now());
        world.turn(rank);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 0"})
    void message_whoseEndsAreOnTwoEngines_failsOnBoth(int early, int late) {
        begin(early, MESSAGE, early == 0 ? "mpi" : "nccl");
        world.settle();
        begin(late, MESSAGE, late == 0 ? "mpi" : "nccl");
        world.settle();

        assertThat(failed).containsExactlyInAnyOrder("0 MISMATCH", "1 MISMATCH");
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 2", "2, 1, 0", "1, 0, 2"})
    void call_thatRanksGiveToTwoEngines_failsOnAll(int first, int second, int third) {
        for (int rank : List.of(first, second, third)) {
            begin(rank, CALL, rank == 1 ? "mpi" : "nccl");
            world.settle();
        }

        // Who comes after the verdict has its call refused, so that the engine's other ranks hear of it.
        assertThat(failed).hasSize(3).allMatch(each -> each.endsWith("MISMATCH") || each.endsWith("refused"));
        assertThat(failed.stream().map(each -> each.substring(0, 1))).containsExactlyInAnyOrder("0", "1", "2");
        assertThat(failed).contains(first + " MISMATCH");
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 0"})
    void ends_onOneEngine_areLeftAlone(int early, int late) {
        for (int rank : List.of(early, late)) {
            begin(rank, MESSAGE, "mpi");
            begin(rank, CALL, "mpi");
            world.settle();
        }
        begin(2, CALL, "mpi");
        world.settle();

        assertThat(failed).isEmpty();
    }
}
