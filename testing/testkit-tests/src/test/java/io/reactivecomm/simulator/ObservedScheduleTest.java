package io.reactivecomm.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.simulator.Simulator.Outcome;
import io.reactivecomm.testkit.Depth;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.util.context.ContextView;

/** Observers in simulated worlds: what they are told are the virtual clock's times, and the run is the one that nobody observes. */
class ObservedScheduleTest {

    private static final int SCHEDULES = Depth.isWhole() ? 3000 : 60;

    /** Compares what it is told with the clock, call by call. */
    private static final class Checker implements CommObserver {

        private final LongSupplier clock;
        private final Map<ObservedCall, Long> lastMatches = new HashMap<>();
        private int begun;
        private int ended;
        private int matched;
        private int moved;
        private @Nullable AssertionError fault;

        private Checker(LongSupplier clock) {
            this.clock = clock;
        }

        private void check(ObservedCall call, Runnable requirement) {
            try {
                requirement.run();
            } catch (AssertionError e) {
                fault = fault == null
                        ? new AssertionError("rank " + call.rank() + ", " + call.operation() + " " + call.label(), e)
                        : fault;
            }
        }

        private void requireNow(ObservedCall call, long nanos) {
            check(call, () -> assertThat(nanos).isEqualTo(clock.getAsLong()));
        }

        @Override
        public void subscribed(ObservedCall call, ContextView context) {
            begun++;
            requireNow(call, call.subscribedAt());
        }

        @Override
        public void matched(ObservedCall call, int peer, long nanos) {
            matched++;
            requireNow(call, nanos);
            lastMatches.put(call, nanos);
        }

        @Override
        public void firstByte(ObservedCall call, long nanos) {
            moved++;
            requireNow(call, nanos);
        }

        @Override
        public void lastByte(ObservedCall call, long nanos) {
            check(call, () -> assertThat(nanos).isBetween(call.subscribedAt(), clock.getAsLong()));
        }

        /** The clock stands while a loop has its turn, so folds take no time, and a call is begun when it is subscribed to. */
        @Override
        public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
            ended++;
            requireNow(call, nanos);
            if (error == null) {
                CallPhases phases = call.phases();
                long lastMatch = lastMatches.getOrDefault(call, call.subscribedAt());
                check(call, () -> {
                    assertThat(phases.queued()).hasValue(0);
                    assertThat(phases.matching()).hasValue(lastMatch - call.subscribedAt());
                    assertThat(phases.wire()).hasValue(nanos - lastMatch);
                    assertThat(phases.fold()).hasValue(0);
                });
            }
        }
    }

    @Test
    void phases_areThoseOfTheVirtualClock_andTheRunIsTheSame() {
        Simulator alone = new Simulator();
        Simulator observed = new Simulator();
        int[] sums = new int[3];
        LongStream.iterate(1, seed -> seed + 1)
                .filter(Simulator::isPunctual)
                .limit(SCHEDULES)
                .forEach(seed -> {
                    Checker[] checker = new Checker[1];
                    Outcome plain = alone.run(seed);
                    Outcome seen = observed.observed(seed, clock -> {
                        checker[0] = new Checker(clock);
                        return List.of(checker[0]);
                    });
                    assertThat(seen).as("seed=%d", seed).isEqualTo(plain);
                    assertThat(seen.violation()).as("seed=%d", seed).isNull();
                    assertThat(checker[0].fault).as("seed=%d", seed).isNull();
                    assertThat(checker[0].ended).as("seed=%d", seed).isBetween(0, checker[0].begun);
                    sums[0] += checker[0].ended;
                    sums[1] += checker[0].matched;
                    sums[2] += checker[0].moved;
                });
        assertThat(sums[0]).isGreaterThan(SCHEDULES);
        assertThat(sums[1]).isGreaterThan(SCHEDULES);
        assertThat(sums[2]).isGreaterThan(SCHEDULES);
    }
}
