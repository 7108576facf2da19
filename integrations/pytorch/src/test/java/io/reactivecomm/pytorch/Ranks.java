package io.reactivecomm.pytorch;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The ranks of a test, as threads of this JVM. */
final class Ranks {

    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private Ranks() {}

    /** The program of one rank. */
    interface Program<T> {

        T run(ProcessGroup group) throws Exception;
    }

    /** {@return what the program returns on each rank} The first exception fails the test. */
    static <T> List<T> run(int size, Program<T> program) throws Exception {
        try (LocalWorld world = ReactiveComm.local(size);
                ExecutorService threads = Executors.newFixedThreadPool(size)) {
            List<Future<T>> running = new ArrayList<>();
            for (ProcessGroup group : world.groups()) {
                running.add(threads.submit(() -> run(group.timeout(DEADLINE), program)));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : running) {
                results.add(result(each));
            }
            return results;
        }
    }

    /** Other ranks do not wait for one that has failed. */
    private static <T> T run(ProcessGroup group, Program<T> program) throws Exception {
        try {
            return program.run(group);
        } catch (Exception | Error e) {
            group.abort("the test has failed on rank " + group.rank() + ": " + e);
            throw e;
        }
    }

    private static <T> T result(Future<T> running) throws Exception {
        try {
            return running.get(2 * DEADLINE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        }
    }
}
