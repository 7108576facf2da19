package io.reactivecomm.testkit;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Programs that do the same on every rank of a local world, each on a thread of its own. */
public final class LocalWorldRuns {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private LocalWorldRuns() {}

    /** {@return what each rank returned, in rank order, within a minute} */
    public static <T> List<T> onEachRank(int worldSize, Function<ProcessGroup, T> program) throws Exception {
        return onEachRank(worldSize, PATIENCE, program);
    }

    /** As the other, with so much time for all together. */
    public static <T> List<T> onEachRank(int worldSize, Duration patience, Function<ProcessGroup, T> program)
            throws Exception {
        try (LocalWorld world = ReactiveComm.local(worldSize);
                ExecutorService threads = Executors.newFixedThreadPool(worldSize)) {
            List<Callable<T>> runs = world.groups().stream()
                    .map(group -> (Callable<T>) () -> program.apply(group))
                    .toList();
            List<Future<T>> results = threads.invokeAll(runs, patience.toMillis(), TimeUnit.MILLISECONDS);
            if (results.stream().anyMatch(Future::isCancelled)) {
                throw new AssertionError("programs on " + worldSize + " ranks did not end within " + patience);
            }
            return results.stream().map(Future::resultNow).toList();
        }
    }
}
