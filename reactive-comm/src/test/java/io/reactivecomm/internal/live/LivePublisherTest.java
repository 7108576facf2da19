package io.reactivecomm.internal.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.internal.observe.InFlight;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.recorder.RankReport;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.LiveBoard;
import io.reactivecomm.spi.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The voice of a rank towards those who watch, over a board and a loop that the test turns. */
@Timeout(30)
class LivePublisherTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Observers observers = Observers.ofWorld(List.of());
    private final TurnedLoop loop = new TurnedLoop();
    private final SetBoard board = new SetBoard();
    private int looks;

    /** A loop whose thread is the test's, and whose time stands still. */
    private static final class TurnedLoop implements Loop {

        private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        private final List<Runnable> timers = new ArrayList<>();
        private final Thread thread = Thread.currentThread();
        private long now = 1_000;

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public boolean inLoop() {
            return Thread.currentThread() == thread;
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            timers.add(task);
            return () -> timers.remove(task);
        }

        @Override
        public Thread thread() {
            return thread;
        }

        @Override
        public FatalErrors fatalErrors() {
            return new FatalErrors();
        }

        void turn() throws InterruptedException {
            Runnable task = tasks.poll(20, TimeUnit.SECONDS);
            assertThat(task).isNotNull();
            task.run();
        }

        void strike() {
            now += SECOND.toNanos();
            timers.removeFirst().run();
        }
    }

    /** A board whose answers the test gives. */
    private final class SetBoard implements LiveBoard {

        private Sinks.One<Duration> watcher = Sinks.one();
        private final List<RankReport> records = new ArrayList<>();
        private final List<Thread> threads = new ArrayList<>();
        private volatile Mono<Duration> answer = Mono.just(SECOND);
        private int waits;
        private boolean hasGone;

        @Override
        public Mono<Duration> watched() {
            waits++;
            if (hasGone) {
                return Mono.error(new RendezvousException("the store has gone"));
            }
            watcher = Sinks.one();
            return watcher.asMono();
        }

        synchronized int published() {
            return records.size();
        }

        void awaitPublished(int count) {
            long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (published() < count) {
                assertThat(System.nanoTime()).isLessThan(until);
                Thread.onSpinWait();
            }
        }

        @Override
        public synchronized Mono<Duration> publish(byte[] record) {
            records.add(ReportCodec.decode(record));
            threads.add(Thread.currentThread());
            return answer;
        }
    }

    private void start() {
        LivePublisher.start(board, loop, observers, new LivePublisher.Member(1, 2, "boot-id node7"), tell -> {
            looks++;
            tell.accept(new InFlight(0, List.of(), List.of(), ""));
        });
    }

    private void watch() throws InterruptedException {
        board.watcher.tryEmitValue(SECOND);
        loop.turn();
    }

    @Test
    void rank_thatNobodyWatches_asksOnce_andDoesNothingElse() {
        start();
        assertThat(board.waits).isEqualTo(1);
        assertThat(loop.tasks).isEmpty();
        assertThat(loop.timers).isEmpty();
        assertThat(observers.isEmpty()).isTrue();
        assertThat(looks).isZero();
    }

    @Test
    void rank_thatIsWatched_tellsAtOnce_andInEachInterval_untilNobodyWatches() throws InterruptedException {
        start();
        watch();
        assertThat(observers.isEmpty()).isFalse();
        loop.turn();
        assertThat(board.records).singleElement().satisfies(report -> {
            assertThat(report.host()).isEqualTo("node7");
            assertThat(report.rank()).isEqualTo(1);
            assertThat(report.hasRates()).isFalse();
        });
        loop.strike();
        loop.turn();
        assertThat(board.records.getLast().over()).isEqualTo(SECOND);

        board.answer = Mono.just(Duration.ZERO);
        loop.strike();
        loop.turn();
        assertThat(board.records).hasSize(3);
        assertThat(observers.isEmpty()).isTrue();
        assertThat(loop.timers).isEmpty();
        assertThat(board.waits).isEqualTo(2);

        board.answer = Mono.just(SECOND);
        watch();
        loop.turn();
        assertThat(board.records.getLast().hasRates()).isFalse();
    }

    /** The first record loads classes for a second: no call waits for that. */
    @Test
    void records_areNotMadeOnTheLoop() throws InterruptedException {
        start();
        watch();
        loop.turn();
        assertThat(board.threads).singleElement().isNotSameAs(loop.thread());
    }

    /** A program whose world has failed may end before its next turn. */
    @Test
    void rank_thatHasLostAnother_tellsAtOnce_andOnceForAllThatItHears() throws InterruptedException {
        start();
        watch();
        loop.turn();
        observers.tell(new CommEvent.PeerLost(1, 0, 0, "it is gone"));
        observers.tell(new CommEvent.GroupFailed(1, 0, 0, "rank 0 was lost"));
        observers.tell(new CommEvent.LoopHeld(1, 0, 0, 5, "a callback"));
        assertThat(loop.tasks).hasSize(1);
        loop.turn();
        board.awaitPublished(2);
        // The turns go on as they were.
        assertThat(loop.timers).hasSize(1);
        assertThat(looks).isEqualTo(2);
    }

    private void awaitUnobserved() throws InterruptedException {
        loop.turn();
        assertThat(observers.isEmpty()).isTrue();
    }

    /** What a rank lives on to tell may be of another mind: the next record is taken. */
    @Test
    void board_thatRefusesARecord_isWaitedForAgain() throws InterruptedException {
        start();
        board.answer = Mono.error(new RendezvousException("the board is full"));
        watch();
        awaitUnobserved();
        assertThat(board.waits)
                .as("not at once, or it would be asked without end")
                .isEqualTo(1);

        board.answer = Mono.just(SECOND);
        loop.strike();
        assertThat(board.waits).isEqualTo(2);
        watch();
        loop.turn();
        assertThat(board.published()).isEqualTo(2);
        assertThat(observers.isEmpty()).isFalse();
    }

    @Test
    void board_thatHasGone_endsIt_andNothingElse() throws InterruptedException {
        start();
        board.answer = Mono.error(new RendezvousException("the store has gone"));
        watch();
        awaitUnobserved();
        board.hasGone = true;
        loop.strike();
        assertThat(board.waits).isEqualTo(2);
        assertThat(loop.timers).isEmpty();
        assertThat(loop.tasks).isEmpty();
    }

    /** A world that fails while a record is on its way: the older one must not be the last. */
    @Test
    void record_thatIsOnItsWay_isNotOvertaken() throws InterruptedException {
        Sinks.One<Duration> slow = Sinks.one();
        start();
        board.answer = slow.asMono();
        watch();
        board.awaitPublished(1);
        observers.tell(new CommEvent.PeerLost(1, 0, 0, "it is gone"));
        loop.turn();
        assertThat(looks).isEqualTo(2);
        board.answer = Mono.just(SECOND);
        assertThat(board.published()).isEqualTo(1);

        slow.tryEmitValue(SECOND);
        loop.turn();
        assertThat(looks).as("told of what is then, not of what was").isEqualTo(3);
        board.awaitPublished(2);
    }
}
