package io.reactivecomm.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The board between ranks and watchers, with a clock that the test moves. */
class JobBoardTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final JobBoard board = new JobBoard();
    private final List<Duration> told = new ArrayList<>();
    private long now = 1_000_000_000_000L;

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private void enter(String owner, int rank, int worldSize) {
        board.enter(owner, rank, worldSize, now);
        board.await(owner, told::add, now);
    }

    private BoardPage look(String watcher) {
        return board.look(watcher, 0, SECOND, now);
    }

    private Duration publish(String owner, int length) {
        return board.publish(owner, new byte[length], now);
    }

    @Test
    void ranks_waitUntilSomebodyLooks_andTellUntilNobodyDoes() {
        enter("a", 0, 2);
        enter("b", 1, 2);
        assertThat(told).isEmpty();
        assertThat(publish("a", 10)).isZero();
        assertThat(board.records()).isZero();

        assertThat(look("watcher").entries()).extracting(BoardPage.Entry::rank).containsExactly(0, 1);
        assertThat(told).containsExactly(SECOND, SECOND);
        assertThat(publish("a", 10)).isEqualTo(SECOND);
        assertThat(publish("b", 20)).isEqualTo(SECOND);
        assertThat(board.keptBytes()).isEqualTo(30);

        board.end("watcher", now);
        assertThat(board.keptBytes()).isZero();
        assertThat(publish("a", 10)).isZero();
        assertThat(board.records()).isEqualTo(2);
    }

    /** As one that is stopped, or whose machine is cut off: its connection stands. */
    @Test
    void watcher_thatSaysNothing_isForgotten() {
        enter("a", 0, 1);
        look("watcher");
        pass(JobBoard.LEASE.minusNanos(1));
        assertThat(publish("a", 10)).isEqualTo(SECOND);
        pass(Duration.ofNanos(1));
        assertThat(publish("a", 10)).isZero();
        assertThat(board.keptBytes()).isZero();
        board.await("a", told::add, now);
        assertThat(board.waitingRanks()).isEqualTo(1);

        look("watcher");
        assertThat(told).hasSize(2);
    }

    @Test
    void watcher_withALongInterval_isWaitedForLonger() {
        enter("a", 0, 1);
        board.look("watcher", 0, Duration.ofSeconds(10), now);
        pass(Duration.ofSeconds(29));
        assertThat(publish("a", 10)).isEqualTo(Duration.ofSeconds(10));
        pass(Duration.ofSeconds(1));
        assertThat(publish("a", 10)).isZero();
    }

    @Test
    void watchers_getTheShortestInterval_withinBounds() {
        enter("a", 0, 1);
        look("one");
        board.look("two", 0, Duration.ofMillis(1), now);
        assertThat(publish("a", 1)).isEqualTo(JobBoard.SHORTEST_INTERVAL);
        board.end("two", now);
        assertThat(publish("a", 1)).isEqualTo(SECOND);
        board.look("one", 0, Duration.ofDays(1), now);
        assertThat(publish("a", 1)).isEqualTo(JobBoard.LONGEST_INTERVAL);
    }

    @Test
    void rank_thatComesWhileSomebodyWatches_isToldAtOnce() {
        look("watcher");
        enter("a", 0, 1);
        assertThat(told).containsExactly(SECOND);
    }

    @Test
    void entry_saysForHowLongARankHasBeenSilent_andSinceWhenItIsGone() {
        enter("a", 0, 3);
        enter("b", 1, 3);
        pass(Duration.ofHours(1));
        look("watcher");
        pass(SECOND);
        publish("b", 5);
        pass(SECOND);
        board.leave("b", now);
        pass(SECOND);
        BoardPage page = look("watcher");
        assertThat(page.worldSize()).isEqualTo(3);
        assertThat(page.entries()).extracting(BoardPage.Entry::isPresent).containsExactly(true, false);
        // Silent since it was asked, and not since it came.
        assertThat(page.entries()).extracting(BoardPage.Entry::sinceMillis).containsExactly(3000L, 1000L);
        assertThat(page.entries()).extracting(entry -> entry.record().length).containsExactly(0, 5);
    }

    @Test
    void rank_thatComesBack_andAnotherWorld_takeTheFormerOnesPlace() {
        look("watcher");
        enter("a", 0, 2);
        publish("a", 10);
        board.leave("a", now);
        enter("a2", 0, 2);
        assertThat(board.keptBytes()).isZero();
        assertThatThrownBy(() -> publish("a", 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none that is on the board");
        publish("a2", 10);
        enter("c", 1, 3);
        assertThat(look("watcher").worldSize()).isEqualTo(3);
        assertThat(look("watcher").entries()).extracting(BoardPage.Entry::rank).containsExactly(1);
        assertThat(board.keptBytes()).isZero();
    }

    @Test
    void pages_holdAMegabyteEach() {
        look("watcher");
        for (int rank = 0; rank < 600; rank++) {
            enter("rank" + rank, rank, 600);
            publish("rank" + rank, JobBoard.MAX_RECORD_BYTES);
        }
        List<Integer> seen = new ArrayList<>();
        int pages = 0;
        for (int first = 0; first != BoardPage.LAST; pages++) {
            BoardPage page = board.look("watcher", first, SECOND, now);
            page.entries().forEach(entry -> seen.add(entry.rank()));
            assertThat(page.next()).isNotEqualTo(first);
            first = page.next();
        }
        assertThat(pages).isEqualTo(3);
        assertThat(seen).hasSize(600).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void bounds_areKept() {
        look("watcher");
        enter("a", 0, 1);
        assertThatThrownBy(() -> publish("a", JobBoard.MAX_RECORD_BYTES + 1))
                .hasMessageContaining("too long for the board");
        for (int i = 1; i < JobBoard.MAX_WATCHERS; i++) {
            look("watcher" + i);
        }
        assertThatThrownBy(() -> look("one more")).hasMessageContaining("too many watch this job");
        board.end("watcher1", now);
        look("one more");
    }

    @Test
    void records_fillNoMoreThanTheirBudget() {
        look("watcher");
        int room = (int) (JobBoard.MAX_BYTES / JobBoard.MAX_RECORD_BYTES);
        for (int rank = 0; rank < room; rank++) {
            enter("rank" + rank, rank, 5000);
            publish("rank" + rank, JobBoard.MAX_RECORD_BYTES);
        }
        enter("last", room, 5000);
        assertThatThrownBy(() -> publish("last", 1)).hasMessageContaining("the board is full");
        assertThat(board.keptBytes()).isEqualTo(JobBoard.MAX_BYTES);
    }

    @Test
    void rank_thatLeaves_isNotCalledBack() {
        enter("a", 0, 1);
        board.leave("a", now);
        look("watcher");
        assertThat(told).isEmpty();
    }
}
