package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Work;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.internal.memory.WorkMemory;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.schedule.choice.Wish;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.Resources;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlinesTest {

    private final Deadlines deadlines = new Deadlines();
    private final Resources resources = new Resources(EngineLimits.DEFAULT, WorkMemory.COLLECTED);
    private final Ranks ranks = new Ranks(0, List.of(), EngineLimits.DEFAULT);

    private Call call(long startedAt, long timeout) {
        GroupState group = new GroupState(0, 0, List.of(0), 0);
        Barrier barrier = new Barrier();
        Submission.Body.Valid body = new Submission.Body.Valid(
                barrier,
                Selection.DEFAULT
                        .algorithm(barrier, Layout.apart(1), Wish.NONE)
                        .schedule(Place.of(barrier, 0, Layout.apart(1))),
                1);
        Submission submission = new Submission(
                group,
                new Submission.Address.Collectively(new CallKey.Ticket(0, 0, "", 0, 1)),
                body,
                startedAt,
                timeout,
                new CallSink() {
                    @Override
                    public void succeeded(Work work) {}

                    @Override
                    public void failed(Failure failure) {}
                });
        return new Call(resources, ranks, call -> {}, startedAt, submission);
    }

    @Test
    void next_ofNone_isNever() {
        assertThat(deadlines.next()).isEqualTo(Deadlines.NEVER);
        assertThat(deadlines.due(Long.MAX_VALUE)).isEmpty();
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void due_ofRandomCalls_areThoseWhoseTimeHasCome(long seed) {
        Random random = new Random(seed);
        long[] timeouts = {10, 1000, 5, 300};
        List<Call> live = new ArrayList<>();
        for (long now = 0; now < 2000; now++) {
            Call call = call(now, timeouts[random.nextInt(timeouts.length)]);
            deadlines.add(call);
            live.add(call);
            if (random.nextInt(3) == 0) {
                Call gone = live.remove(random.nextInt(live.size()));
                deadlines.remove(gone);
                deadlines.remove(gone);
            }
            long time = now;
            List<Call> expected =
                    live.stream().filter(each -> each.deadline() <= time).toList();
            assertThat(deadlines.due(now)).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(deadlines.next())
                    .isEqualTo(live.stream()
                            .min(Comparator.comparingLong(Call::deadline))
                            .map(Call::deadline)
                            .orElse(Deadlines.NEVER));
            expected.forEach(deadlines::remove);
            live.removeAll(expected);
        }
    }

    /** Calls wait for the loop, and are not admitted in the order in which they were subscribed to. */
    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void due_ofCallsThatWaitedForTheLoop_areThoseWhoseTimeHasCome(long seed) {
        Random random = new Random(seed);
        List<Call> live = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Call call = call(random.nextInt(1000), random.nextInt(3) * 100 + 1);
            deadlines.add(call);
            live.add(call);
            if (random.nextInt(4) == 0) {
                deadlines.remove(live.remove(random.nextInt(live.size())));
            }
        }
        for (long now = deadlines.next(); now != Deadlines.NEVER; now = deadlines.next()) {
            long time = now;
            List<Call> expected =
                    live.stream().filter(each -> each.deadline() <= time).toList();
            assertThat(expected).isNotEmpty();
            assertThat(deadlines.due(now)).containsExactlyInAnyOrderElementsOf(expected);
            expected.forEach(deadlines::remove);
            live.removeAll(expected);
        }
        assertThat(live).isEmpty();
    }

    /** Each call may have a timeout of its own: that costs its logarithm, and nothing that stays. */
    @Test
    void manyTimeouts_costLittle_andLeaveNothing() {
        int many = 10_000;
        List<Call> live = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            Call call = call(0, 1_000_000 - 37L * i % many);
            deadlines.add(call);
            live.add(call);
            deadlines.next();
        }
        Random random = new Random(1);
        for (int i = many; i > 0; i--) {
            deadlines.due(5);
            Collections.swap(live, random.nextInt(i), i - 1);
            deadlines.remove(live.removeLast());
            deadlines.next();
        }
        assertThat(deadlines.next()).isEqualTo(Deadlines.NEVER);
        assertThat(deadlines.looks()).isLessThan(many * 64L);
        assertThat(deadlines.lines()).isLessThan(100);
    }
}
