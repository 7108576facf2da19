package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.collective.Barrier;
import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Turn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The engine that other tests rely on sees disorder. */
class StrictMeetingTest {

    private final List<String> failures = new ArrayList<>();

    private Turn turn(int rank, String name) {
        EngineGroup group = new EngineGroup(1, 0, List.of(0, 1), rank);
        return new Turn.Call(
                new EngineCall(group, name, 0, 1, new Barrier(), Duration.ofMinutes(1), 0),
                new CollectiveEngine.Sink() {
                    @Override
                    public void succeeded(Completion completion) {
                        throw new AssertionError("performed in two orders: " + name);
                    }

                    @Override
                    public void failed(Failure failure, Handle hands) {
                        failures.add(name + ": " + failure.text());
                    }

                    @Override
                    public void runFailed(CallKey.Ticket run, Failure failure) {
                        failed(failure);
                    }
                });
    }

    @Test
    void batchesThatDiffer_areSeen() {
        StrictMeeting meeting = StrictMeeting.of("in two orders");
        meeting.run(0, List.of(turn(0, "a"), turn(0, "b")));
        meeting.run(1, List.of(turn(1, "b"), turn(1, "a")));
        meeting.leave(0);
        meeting.leave(1);
        assertThat(failures)
                .hasSize(2)
                .allSatisfy(failure -> assertThat(failure).contains("disorder: [rank 1 got"));
    }
}
