package io.reactivecomm.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LateFreeingTest {

    private static final Object KIND = "some memory";

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<String> freed = new ArrayList<>();

    @Test
    void threadThatCannotBeMade_memoryIsGivenBackAtOnce() {
        LateFreeing freeing = new LateFreeing(
                task -> {
                    throw new OutOfMemoryError("expected: unable to create native thread");
                },
                100);
        freeing.later(KIND, 10, () -> freed.add("first"));
        assertThat(freed).containsExactly("first");
        freeing.await(KIND);
        assertThat(freed).containsExactly("first");
    }

    @Test
    void moreOnItsWayThanTheBound_isGivenBackAtOnce_untilThatHasArrived() {
        LateFreeing freeing = new LateFreeing(tasks::add, 100);
        freeing.later(KIND, 1_000, () -> freed.add("large"));
        assertThat(freed).isEmpty();
        freeing.later(KIND, 1, () -> freed.add("beyond"));
        assertThat(freed).containsExactly("beyond");
        tasks.remove().run();
        freeing.later(KIND, 1, () -> freed.add("later"));
        assertThat(freed).containsExactly("beyond", "large");
        tasks.remove().run();
        assertThat(freed).containsExactly("beyond", "large", "later");
    }

    @Test
    void memoryThatCannotBeGivenBack_isNoFailureOfWhoWaitsForSome() {
        LateFreeing freeing = new LateFreeing(tasks::add, 100);
        freeing.later(KIND, 1, () -> {
            throw new IllegalStateException("expected in this test's log");
        });
        freeing.later(KIND, 1, () -> freed.add("next"));
        freeing.await("another kind");
        assertThat(freed).isEmpty();
        freeing.await(KIND);
        assertThat(freed).containsExactly("next");
        tasks.forEach(Runnable::run);
        assertThat(freed).containsExactly("next");
    }

    @Test
    void thread_isADaemonOfNobodysProgram() {
        CompletableFuture<Thread> on = new CompletableFuture<>();
        CompletableFuture<@Nullable ClassLoader> loader = new CompletableFuture<>();
        LateFreeing.PROCESS.later(KIND, 1, () -> {
            on.complete(Thread.currentThread());
            loader.complete(Thread.currentThread().getContextClassLoader());
        });
        Thread thread = on.orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getName()).isEqualTo("rcomm-freeing");
        assertThat(loader.join()).isNull();
    }
}
