package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class DrainLoopTest {

    private final List<String> log = new ArrayList<>();
    private final DrainLoop tasks = DrainLoop.ofTasks(() -> log.add("|"), error -> log.add(error.getMessage()));

    @Test
    void action_isHeldUntilItIsReleased() {
        AtomicInteger runs = new AtomicInteger();
        DrainLoop loop = DrainLoop.held(runs::incrementAndGet);

        loop.run();
        assertThat(runs).hasValue(0);
        loop.release();

        assertThat(runs.get()).isPositive();
        int before = runs.get();
        loop.run();
        assertThat(runs).hasValue(before + 1);
    }

    @Test
    void action_thatAsksItself_runsAgainAfterwards() {
        List<String> told = new ArrayList<>();
        AtomicReference<DrainLoop> loop = new AtomicReference<>();
        loop.set(DrainLoop.held(() -> {
            told.add("begin");
            if (told.size() == 1) {
                loop.get().run();
            }
            told.add("end");
        }));

        loop.get().release();

        assertThat(told).containsExactly("begin", "end", "begin", "end");
    }

    @Test
    void action_askedByManyThreads_neverRunsTwiceAtOnce_andSeesWhatEachWroteBefore() throws Exception {
        int threads = 4;
        int each = 20_000;
        AtomicInteger written = new AtomicInteger();
        int[] unguarded = new int[2];
        DrainLoop loop = DrainLoop.held(() -> {
            unguarded[0]++;
            unguarded[1] = written.get();
        });
        loop.release();
        CyclicBarrier start = new CyclicBarrier(threads);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(CompletableFuture.runAsync(
                    () -> {
                        try {
                            start.await();
                        } catch (Exception e) {
                            throw new AssertionError(e);
                        }
                        for (int n = 0; n < each; n++) {
                            written.incrementAndGet();
                            loop.run();
                        }
                    },
                    task -> Thread.ofPlatform().start(task)));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();

        loop.run();

        assertThat(unguarded[1]).isEqualTo(threads * each);
        assertThat(unguarded[0]).isBetween(2, threads * each + 2);
    }

    @Test
    void action_thatThrows_runsForThoseWhoAskedMeanwhile_andThrowsOnInTheEnd() {
        AtomicInteger runs = new AtomicInteger();
        AtomicReference<DrainLoop> asked = new AtomicReference<>();
        DrainLoop loop = DrainLoop.held(() -> {
            if (runs.incrementAndGet() == 1) {
                asked.get().run();
                throw new IllegalStateException("the first time");
            }
        });
        asked.set(loop);

        assertThatIllegalStateException().isThrownBy(loop::release).withMessage("the first time");
        assertThat(runs.get()).isGreaterThan(1);

        int before = runs.get();
        loop.run();
        assertThat(runs).hasValue(before + 1);
    }

    @Test
    void taskOfATask_comesAfterIt_inTheSameRound() {
        tasks.execute(() -> {
            tasks.execute(() -> log.add("b"));
            log.add("a");
        });
        assertThat(log).startsWith("a", "b", "|");
        log.clear();
        tasks.execute(() -> log.add("c"));
        assertThat(log).containsExactly("c", "|");
    }

    @Test
    void taskThatThrows_keepsNoneFromRunning() {
        tasks.execute(() -> {
            tasks.execute(() -> log.add("b"));
            throw new AssertionError("a");
        });
        assertThat(log).startsWith("a", "b", "|");
    }

    @Test
    void partThatThrows_takesNothingFromItsTask_andItsFaultIsThrownOnInTheEnd() {
        DrainLoop loop = DrainLoop.ofTasks(() -> {}, error -> {
            log.add("fault " + error.getMessage());
            Thrown.on(error);
        });
        assertThatIllegalStateException()
                .isThrownBy(() -> loop.execute(() -> {
                    loop.execute(() -> log.add("next"));
                    loop.guarded(() -> {
                        throw new IllegalStateException("a part");
                    });
                    loop.throwLater(new IllegalStateException("another"));
                    log.add("goes on");
                }))
                .withMessage("a part");
        assertThat(log).containsExactly("fault a part", "goes on", "next");
        loop.execute(() -> assertThat(loop.run()).isFalse());
        assertThat(loop.run()).isTrue();
    }

    @Test
    void tasksOfManyThreads_runOneAtATime() throws ExecutionException, InterruptedException {
        int[] count = {0};
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                all.add(threads.submit(() -> {
                    for (int i = 0; i < 20_000; i++) {
                        tasks.execute(() -> count[0]++);
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        tasks.execute(() -> log.add("counted " + count[0]));
        assertThat(log).contains("counted 80000");
    }

    @Test
    void task_ofAHeldLoop_waitsForTheRelease_andRunsOnceThoughItThrows() {
        AtomicInteger rounds = new AtomicInteger();
        DrainLoop loop = DrainLoop.held(rounds::incrementAndGet);

        loop.execute(() -> {
            log.add("a");
            throw new IllegalStateException("a task");
        });
        loop.execute(() -> log.add("b"));
        assertThat(log).isEmpty();

        assertThatIllegalStateException().isThrownBy(loop::release).withMessage("a task");
        assertThat(log).containsExactly("a", "b");
        assertThat(rounds.get()).isPositive();
    }

    /** As Kotlin and Scala throw them. */
    @Test
    void checkedException_thrownUndeclared_takesNoRoundFromOthers() {
        IOException thrown = new IOException("planted");
        tasks.add(() -> Thrown.on(thrown));
        tasks.execute(() -> log.add("next"));
        assertThat(log).containsExactly("planted", "next", "|");

        DrainLoop held = DrainLoop.held(() -> {
            log.add("acts");
            Thrown.on(log.size() < 5 ? thrown : null);
        });
        assertThatThrownBy(held::release).isSameAs(thrown);
        assertThat(log).endsWith("acts", "acts");
    }
}
