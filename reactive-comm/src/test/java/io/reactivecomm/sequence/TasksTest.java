package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class TasksTest {

    private final List<String> log = new ArrayList<>();
    private final Tasks tasks = new Tasks(() -> log.add("|"), error -> log.add(error.getMessage()));

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
}
