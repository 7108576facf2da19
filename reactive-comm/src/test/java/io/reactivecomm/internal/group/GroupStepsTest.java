package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.internal.engine.Channel;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.spi.CallKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps of a group, and the knowledge of its calls for peers that wait for one. */
class GroupStepsTest {

    private final GroupSteps steps = new GroupSteps(new GroupState(GroupState.WORLD, 0, List.of(0, 1), 0), () -> {});

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
        assertThat(steps.isUnclaimed(call(CallKey.NO_STEP, 2_998)))
                .as("subscribed to")
                .isFalse();
        assertThat(steps.isUnclaimed(call(CallKey.NO_STEP, 2_999))).isTrue();
        assertThat(steps.isUnclaimed(call(CallKey.NO_STEP, 2_001))).isTrue();
        assertThat(steps.isUnclaimed(call(CallKey.NO_STEP, 3_000)))
                .as("not assembled")
                .isFalse();
        assertThat(steps.isUnclaimed(call(CallKey.NO_STEP, 1)))
                .as("too old to be remembered")
                .isFalse();
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

    @Test
    void scopeWhoseCallsAreMadeElsewhere_namesItsNumber() {
        assertThatThrownBy(steps.step(7)::assembler)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("scopes are made here: number=7");
    }

    /** Whichever engine has performed it. */
    @Test
    void messageThatHasEnded_isNoneToCome() {
        GroupStep step = steps.step(0);
        Channel channel = new Channel(GroupState.WORLD, 0, null, "x", 1);
        Submission.Address message = new Submission.Address.To(0, "x", 1, 1);
        BorrowedTensors call = new BorrowedTensors(false);
        step.assembled(message);
        steps.step(1);
        assertThat(steps.maySend(channel, 1)).as("assembled").isTrue();
        assertThat(steps.maySend(channel, 0)).as("to another rank").isFalse();
        step.subscribed(message, 1, call);
        assertThat(steps.maySend(channel, 1)).as("under way").isTrue();
        call.giveBack();
        assertThat(steps.maySend(channel, 1)).isFalse();
    }

    /** A thread is in the middle of assembling a call when another ends the step. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callThatIsAssembled_asItsStepEnds_isOneOfItOrRefused(boolean isMessage) {
        GroupStep step = steps.step(0);
        FutureTask<Boolean> assembled = new FutureTask<>(() -> isAssembled(step, isMessage));
        Thread thread = Thread.ofPlatform().daemon().unstarted(assembled);
        synchronized (step) {
            thread.start();
            while (thread.getState() != Thread.State.BLOCKED && !assembled.isDone()) {
                Thread.onSpinWait();
            }
            step.becomes(GroupStep.State.OVER);
        }
        assertThat(assembled).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(false);
    }

    private static boolean isAssembled(GroupStep step, boolean isMessage) {
        try {
            if (isMessage) {
                step.assembled(new Submission.Address.To(0, "x", 1, 1));
            } else {
                step.take("x");
            }
            return true;
        } catch (InvalidCallException e) {
            return false;
        }
    }
}
