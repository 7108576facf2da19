package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

@Timeout(30)
class OwnThreadsTest {

    private static final int TASKS = 1_000;

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void some_moreTasksThanThreads_allRunOnThoseThreads() {
        ThreadPoolExecutor threads = OwnThreads.some("test-threads", 2);
        CountDownLatch begin = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(TASKS);
        for (int i = 0; i < TASKS; i++) {
            threads.execute(() -> {
                await(begin);
                done.countDown();
            });
        }
        begin.countDown();
        await(done);
        assertThat(threads.getLargestPoolSize()).isEqualTo(2);
    }

    @Test
    void blocking_tasksThatWaitForEachOther_runAtOnce() {
        Scheduler threads = OwnThreads.blocking("test-blocking");
        CountDownLatch all = new CountDownLatch(Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE);
        CountDownLatch done = new CountDownLatch(Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE);
        for (int i = 0; i < Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE; i++) {
            threads.schedule(() -> {
                all.countDown();
                await(all);
                done.countDown();
            });
        }
        await(done);
    }

    @Test
    void blocking_tasksOfAWorker_runInTheirOrder() {
        Scheduler.Worker worker = OwnThreads.blocking("test-order").createWorker();
        Queue<Integer> ran = new ConcurrentLinkedQueue<>();
        CountDownLatch done = new CountDownLatch(TASKS);
        List<Integer> order = IntStream.range(0, TASKS).boxed().toList();
        order.forEach(i -> worker.schedule(() -> {
            ran.add(i);
            done.countDown();
        }));
        await(done);
        assertThat(ran).containsExactlyElementsOf(order);
    }

    @Test
    void task_hasTheClassLoaderOfItsGiver() {
        Scheduler thread = OwnThreads.blocking("test-loader");
        Queue<ClassLoader> seen = new ConcurrentLinkedQueue<>();
        CountDownLatch done = new CountDownLatch(1);
        ClassLoader own = Thread.currentThread().getContextClassLoader();
        ClassLoader given = new ClassLoader(own) {};
        Thread.currentThread().setContextClassLoader(given);
        try {
            thread.schedule(() -> {
                seen.add(Thread.currentThread().getContextClassLoader());
                done.countDown();
            });
        } finally {
            Thread.currentThread().setContextClassLoader(own);
        }
        await(done);
        assertThat(seen).containsExactly(given);
    }
}
