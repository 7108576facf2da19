package io.reactivecomm.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.testkit.StubCall;
import org.junit.jupiter.api.Test;

/** Ranks of which more is expected. */
class PresenceTest {

    private final TimelineObserver hearing = hearing();
    private final Presence presence = new Presence();

    private static TimelineObserver hearing() {
        return new TimelineObserver(
                new Recorder(new RecordRing(2), new WriterThread(() -> {}, () -> true, () -> false), 1));
    }

    private void succeeds(TimelineObserver where, int rank, long begun) {
        presence.succeeded(where, new StubCall(rank, "#0", begun));
    }

    @Test
    void rank_isHere_untilItLeaves() {
        succeeds(hearing, 0, 10);
        succeeds(hearing, 1, 10);
        presence.left(hearing, new CommEvent.WorldLeft(0, 20));
        assertThat(presence.isEmpty()).isFalse();
        presence.left(hearing, new CommEvent.WorldLeft(1, 20));
        assertThat(presence.isEmpty()).isTrue();
    }

    /** Of the world that was left a held loop may tell late that a call has succeeded. */
    @Test
    void rank_thatHasLeft_isHereAgain_withACallOfItsNextWorld() {
        presence.left(hearing, new CommEvent.WorldLeft(0, 20));
        succeeds(hearing, 0, 19);
        assertThat(presence.isEmpty()).isTrue();
        succeeds(hearing, 0, 21);
        assertThat(presence.isEmpty()).isFalse();
        presence.left(hearing, new CommEvent.WorldLeft(0, 30));
        assertThat(presence.isEmpty()).isTrue();
    }

    @Test
    void place_thatHearsNothingMore_isLeftByAll() {
        TimelineObserver other = hearing();
        succeeds(hearing, 0, 10);
        succeeds(other, 0, 10);
        other.settled();
        presence.over(other);
        assertThat(presence.isEmpty()).isFalse();
        hearing.settled();
        presence.over(hearing);
        assertThat(presence.isEmpty()).isTrue();
        succeeds(hearing, 0, 50);
        assertThat(presence.isEmpty()).isTrue();
    }
}
