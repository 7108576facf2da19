package io.reactivecomm.internal.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.internal.train.BucketProgress.Slot;
import java.util.List;
import org.junit.jupiter.api.Test;

class BucketProgressTest {

    private static final byte[] BOTH = {1, 1};

    /** Parameters 0 and 1 in bucket 0, 2 and 3 in bucket 1. */
    private static BucketProgress progress(boolean isInOrder) {
        return new BucketProgress(List.of(List.of(0, 1), List.of(2, 3)), isInOrder);
    }

    @Test
    void next_whenNoSlotIsAwaited_inOrder() {
        BucketProgress step = progress(false);
        step.settle(2, Slot.HERE);
        step.settle(3, Slot.ABSENT);
        assertThat(step.next()).isEqualTo(-1);
        step.settle(0, Slot.KEPT);
        assertThat(step.next()).isEqualTo(-1);
        step.settle(1, Slot.HERE);
        assertThat(step.next()).isZero();
        step.began();
        assertThat(step.next()).isEqualTo(1);
        step.began();
        assertThat(step.next()).isEqualTo(-1);
        step.passEnded();
        assertThat(step.next()).isEqualTo(-1);
    }

    @Test
    void next_whenThePassHasEnded_thoughSlotsAreAwaited() {
        BucketProgress step = progress(false);
        step.passEnded();

        assertThat(step.next()).isZero();
    }

    @Test
    void settle_secondTime_changesNothing() {
        BucketProgress step = progress(false);
        assertThat(step.settle(0, Slot.ABSENT)).isTrue();
        assertThat(step.settle(0, Slot.HERE)).isFalse();
        assertThat(step.slot(0)).isEqualTo(Slot.ABSENT);
        step.passEnded();
        assertThat(step.settle(1, Slot.HERE)).isFalse();
        assertThat(step.slot(1)).isEqualTo(Slot.AWAITED);
    }

    @Test
    void presence_onlyOfWhatIsHere() {
        BucketProgress step = progress(false);
        step.settle(0, Slot.KEPT);
        step.settle(1, Slot.HERE);
        step.settle(2, Slot.ABSENT);

        assertThat(step.presence(0)).containsExactly(0, 1);
        assertThat(step.presence(1)).containsExactly(0, 0);
    }

    @Test
    void results_thatThisRankLacks_waitForTheEndOfThePass() {
        BucketProgress step = progress(false);
        step.settle(0, Slot.ABSENT);
        step.settle(1, Slot.HERE);
        step.began();
        step.finished(0, BOTH);

        assertThat(step.results()).containsExactly(1);
        assertThat(step.results()).isEmpty();
        step.passEnded();
        assertThat(step.results()).containsExactly(0);
        assertThat(step.isOver()).isFalse();
    }

    @Test
    void results_thatNoRankHas_neverCome() {
        BucketProgress step = progress(false);
        step.passEnded();
        step.finished(0, new byte[] {0, 1});
        step.finished(1, new byte[] {0, 0});

        assertThat(step.results()).containsExactly(1);
        assertThat(step.isOver()).isTrue();
    }

    @Test
    void results_asBucketsFinish() {
        BucketProgress step = progress(false);
        List.of(0, 1, 2, 3).forEach(parameter -> step.settle(parameter, Slot.HERE));
        step.finished(1, BOTH);
        assertThat(step.results()).containsExactly(2, 3);
        step.finished(0, BOTH);
        assertThat(step.results()).containsExactly(0, 1);
    }

    @Test
    void results_inTheOrderOfParameters_waitForThoseBefore() {
        BucketProgress step = progress(true);
        List.of(1, 2, 3).forEach(parameter -> step.settle(parameter, Slot.HERE));
        step.settle(0, Slot.ABSENT);
        step.finished(1, BOTH);
        assertThat(step.results()).isEmpty();
        step.finished(0, BOTH);
        assertThat(step.results()).isEmpty();
        step.passEnded();
        assertThat(step.results()).containsExactly(0, 1, 2, 3);
    }

    @Test
    void results_inTheOrderOfParameters_doNotWaitForWhatNoRankHas() {
        BucketProgress step = progress(true);
        List.of(1, 2, 3).forEach(parameter -> step.settle(parameter, Slot.HERE));
        step.settle(0, Slot.ABSENT);
        step.finished(0, new byte[] {0, 1});

        assertThat(step.results()).containsExactly(1);
    }
}
