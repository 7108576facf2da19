package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A loop that is never out of tasks, or that runs one which fails badly, still keeps its times. */
class LocalLoopUnderLoadTest {

    private final LocalLoop loop = new LocalLoop("rcomm-test-loop");
    private final AtomicBoolean stop = new AtomicBoolean();

    @AfterEach
    void end() {
        stop.set(true);
        loop.end();
    }

    private void again() {
        if (!stop.get()) {
            loop.execute(this::again);
        }
    }

    @Test
    void timer_runsThoughTasksNeverEnd() throws InterruptedException {
        CountDownLatch rang = new CountDownLatch(1);
        loop.execute(this::again);
        loop.schedule(rang::countDown, 1_000_000);

        assertThat(rang.await(30, TimeUnit.SECONDS)).as("the timer ran").isTrue();
    }

    @Test
    void error_ofATask_endsNothing() {
        CompletableFuture<String> next = new CompletableFuture<>();
        loop.execute(() -> {
            throw new NoClassDefFoundError("expected in this test's log");
        });
        loop.execute(() -> next.complete("ran"));

        assertThat(next.orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo("ran");
    }
}
