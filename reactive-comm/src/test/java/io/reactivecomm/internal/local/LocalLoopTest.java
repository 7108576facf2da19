package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.Loop;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.NonBlocking;

class LocalLoopTest {

    private final LocalLoop loop = new LocalLoop("rcomm-test-loop");

    @AfterEach
    void end() {
        loop.end();
        assertThat(loop.thread().isAlive()).isFalse();
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(20, TimeUnit.SECONDS))
                .as("the loop did what it was given")
                .isTrue();
    }

    @Test
    void tasks_ofSeveralThreads_allRun_andThoseOfOneInOrder() throws InterruptedException {
        int each = 20_000;
        List<List<Integer>> seen = List.of(new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
        int[] next = new int[2];
        CountDownLatch done = new CountDownLatch(2 * each);
        List<Thread> givers = IntStream.range(0, 2)
                .mapToObj(giver -> Thread.ofPlatform()
                        .start(() -> IntStream.range(0, each)
                                .forEach(i -> loop.execute(() -> {
                                    if (next[giver]++ != i || !loop.inLoop()) {
                                        seen.get(giver).add(i);
                                    }
                                    done.countDown();
                                }))))
                .toList();
        for (Thread giver : givers) {
            giver.join(Duration.ofSeconds(20));
        }
        await(done);

        assertThat(seen).as("tasks out of order or on another thread").allMatch(List::isEmpty);
        assertThat(loop.thread()).isInstanceOf(NonBlocking.class);
        assertThat(loop.inLoop()).isFalse();
    }

    @Test
    void tasks_givenOneByOneToASleepingLoop_wakeIt() throws InterruptedException {
        for (int i = 0; i < 3000; i++) {
            CountDownLatch done = new CountDownLatch(1);
            loop.execute(done::countDown);
            await(done);
        }
    }

    @Test
    void timers_runByTime_andEqualOnesInOrder_andCancelledOnesNever() throws InterruptedException {
        List<String> ran = new CopyOnWriteArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        // On the loop, so that none runs before all are there; far apart, so that a pause of this thread does not
        // change their order.
        loop.execute(() -> {
            loop.schedule(() -> ran.add("last"), 500_000_000);
            Loop.Timer cancelled = loop.schedule(() -> ran.add("cancelled"), 0);
            loop.schedule(() -> ran.add("first"), 0);
            loop.schedule(() -> ran.add("second"), 0);
            loop.schedule(done::countDown, 600_000_000);
            cancelled.cancel();
        });
        await(done);

        assertThat(ran).containsExactly("first", "second", "last");
    }

    @Test
    void timers_thatAreCancelled_areNotKeptUntilTheirTime() {
        long hour = TimeUnit.HOURS.toNanos(1);
        // Here and on the loop, cancelled here and there; the last two before the loop knows of them.
        CompletableFuture<Integer> left = new CompletableFuture<>();
        Loop.Timer elsewhere = loop.schedule(() -> {}, hour);
        loop.execute(() -> {
            elsewhere.cancel();
            loop.schedule(() -> {}, hour).cancel();
            CompletableFuture.runAsync(() -> loop.schedule(() -> {}, hour).cancel())
                    .join();
            CompletableFuture.supplyAsync(() -> loop.schedule(() -> {}, hour))
                    .join()
                    .cancel();
            loop.schedule(() -> {}, hour);
            loop.execute(() -> left.complete(loop.timerCount()));
        });

        assertThat(left.orTimeout(20, TimeUnit.SECONDS).join())
                .as("the one that was not")
                .isEqualTo(1);
    }

    @Test
    void task_thatThrows_endsNothing() {
        CompletableFuture<String> next = new CompletableFuture<>();
        loop.execute(() -> {
            throw new IllegalStateException("expected in this test's log");
        });
        loop.execute(() -> next.complete("ran"));

        assertThat(next.orTimeout(20, TimeUnit.SECONDS).join()).isEqualTo("ran");
    }

    @Test
    void end_runsWhatWasGivenBefore() {
        List<Integer> ran = new CopyOnWriteArrayList<>();
        IntStream.range(0, 100).forEach(i -> loop.execute(() -> ran.add(i)));

        loop.end();

        assertThat(ran).hasSize(100);
    }

    /** Those who are on the loop hear of what it dies of, also if one of them fails in turn, and it goes on. */
    @Test
    void taskAndTimer_thatDie_areTold_andTheLoopGoesOn() throws InterruptedException {
        LocalLoop dying = new LocalLoop("dying");
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        FatalErrors.Listener first = (error, rank) -> told.add("first " + error.getMessage() + " " + rank);
        dying.fatalErrors().add(first);
        dying.fatalErrors().add((error, rank) -> told.add("second " + dying.inLoop()));
        dying.execute(() -> {
            throw new OutOfMemoryError("task");
        });
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("first task -1");
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("second true");
        dying.fatalErrors().remove(first);
        dying.schedule(
                () -> {
                    throw new IllegalStateException("timer");
                },
                1_000);
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("second true");
        dying.end();
        assertThat(dying.thread().isAlive()).isFalse();
        assertThat(told).isEmpty();
    }

    /** Each listener does what it can for its own rank; the ends of calls are delivered by the loop, which runs on. */
    @Test
    void listener_thatDiesToo_keepsNeitherTheOthersNorTheLoop() throws InterruptedException {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        loop.fatalErrors().add((error, rank) -> {
            throw new OutOfMemoryError("again");
        });
        loop.fatalErrors().add((error, rank) -> told.add("told"));
        loop.execute(() -> {
            throw new OutOfMemoryError("task");
        });
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("told");
        CountDownLatch ran = new CountDownLatch(1);
        loop.execute(ran::countDown);
        await(ran);
    }

    /** Kotlin, Scala and reflection throw checked exceptions that no signature declares. */
    @Test
    void task_thatThrowsACheckedException_isTold_andTheLoopGoesOn() throws InterruptedException {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        loop.fatalErrors().add((error, rank) -> told.add(error.getMessage()));
        loop.execute(() -> throwUndeclared(new IOException("undeclared")));
        assertThat(told.poll(20, TimeUnit.SECONDS)).isEqualTo("undeclared");
        CountDownLatch ran = new CountDownLatch(1);
        loop.execute(ran::countDown);
        await(ran);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwUndeclared(Throwable error) throws E {
        throw (E) error;
    }

    /** One that stayed would end each sleep at once. */
    @Test
    void interrupt_ofTheLoop_doesNotKeepItFromSleep() throws InterruptedException {
        BlockingQueue<Boolean> sleeps = new LinkedBlockingQueue<>();
        LocalLoop interrupted = new LocalLoop("interrupted", (blocker, nanos) -> {
            sleeps.add(Thread.currentThread().isInterrupted());
            LockSupport.parkNanos(blocker, nanos);
        });
        interrupted.execute(() -> {
            sleeps.clear();
            Thread.currentThread().interrupt();
        });
        assertThat(sleeps.poll(20, TimeUnit.SECONDS))
                .as("interrupted as it goes to sleep")
                .isFalse();
        interrupted.end();
    }
}
