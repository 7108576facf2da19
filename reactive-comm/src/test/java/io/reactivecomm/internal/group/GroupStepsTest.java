package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.spi.CallKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a group knows of its calls, for peers that wait for one. */
class GroupStepsTest {

    private static final int ROUNDS = 200;

    private final GroupSteps steps = new GroupSteps(new GroupState(GroupState.WORLD, 0, List.of(0, 1), 0), step -> null, () -> {});

    private static CallKey.Ticket call(long step, long ticket) {
        return new CallKey.Ticket(0, GroupState.WORLD, step, "x", ticket, 1, null);
    }

    @Test
    void call_isUnclaimed_untilItIsSubscribedTo() {
        Tickets outside = steps.outside();
        for (int ticket = 0; ticket < 3_000; ticket++) {
            assertThat(outside.take("x")).isEqualTo(ticket);
            if (ticket % 2 == 0) {
                outside.subscribed("x", ticket, 1, new BorrowedTensors(false));
            }
        }
        assertThat(steps.isUnclaimed(call(CallKey.NO_STEP, 2_998))).as("subscribed to").isFalse();
        assertThat(steps.isUnclaimed(call(CallKey.NO_STEP, 2_999))).isTrue();
        assertThat(steps.isUnclaimed(call(CallKey.NO_STEP, 2_001))).isTrue();
        assertThat(steps.isUnclaimed(call(CallKey.NO_STEP, 3_000))).as("not assembled").isFalse();
        assertThat(steps.isUnclaimed(call(CallKey.NO_STEP, 1))).as("too old to be remembered").isFalse();
    }

    @Test
    void callOfAStep_isUnclaimed_untilItIsSubscribedTo() {
        GroupStep step = steps.step(0);
        step.take("x");
        step.take("x");
        BorrowedTensors call = new BorrowedTensors(false);
        step.subscribed("x", 0, 1, call);
        assertThat(steps.isUnclaimed(call(0, 0))).isFalse();
        assertThat(steps.isUnclaimed(call(0, 1))).isTrue();
        call.giveBack();
        assertThat(steps.isUnclaimed(call(0, 0))).isFalse();
    }

    @Test
    void stepThatIsForgotten_isKnownAsLongAsACallOfItGoesOn() {
        GroupStep step = steps.step(0);
        BorrowedTensors call = new BorrowedTensors(false);
        step.take("x");
        step.take("x");
        step.subscribed("x", 0, 1, call);
        steps.step(1 + GroupSteps.KEPT + 1);
        for (int i = 1; i <= GroupSteps.KEPT + 1; i++) {
            steps.step(1 + GroupSteps.KEPT + 1 + i);
        }
        assertThat(isNever(0, 0)).isFalse();
        assertThat(isNever(0, 1)).as("nobody can subscribe to it any more").isTrue();
        assertThat(steps.knows(0)).isTrue();
        call.giveBack();
        assertThat(isNever(0, 0)).isTrue();
        assertThat(steps.knows(0)).isFalse();
    }

    private boolean isNever(long step, long ticket) {
        return steps.ifNever(call(step, ticket), failure -> {});
    }

    /** One thread assembles until the step is over; another ends it, and hears at once how many calls there are. */
    @Test
    void stepThatEnds_whileCallsAreAssembled_saysOfEachTheTruth() {
        for (int round = 0; round < ROUNDS; round++) {
            GroupStep step = steps.step(round);
            CompletableFuture<Long> first = new CompletableFuture<>();
            CompletableFuture<List<Long>> taken = CompletableFuture.supplyAsync(() -> takeAll(step, first));
            first.join();
            steps.step(round + 1);
            long count = 0;
            while (!isNever(round, count)) {
                count++;
            }
            assertThat(taken.join()).hasSize((int) count);
        }
    }

    private static List<Long> takeAll(GroupStep step, CompletableFuture<Long> first) {
        List<Long> all = new ArrayList<>();
        try {
            while (all.size() < 1_000_000) {
                all.add(step.take("x"));
                first.complete(all.getFirst());
            }
        } catch (InvalidCallException e) {
            return all;
        }
        throw new AssertionError("the step never ended: calls=" + all.size());
    }
}
