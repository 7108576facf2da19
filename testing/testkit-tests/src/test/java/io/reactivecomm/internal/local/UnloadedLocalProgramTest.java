package io.reactivecomm.internal.local;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLeaks;
import io.reactivecomm.observability.watch.JobWatch;
import io.reactivecomm.testkit.UnloadedProgram;
import io.reactivecomm.timeline.Timeline;
import io.reactivecomm.timing.CallTiming;
import io.reactivecomm.timing.CommsLogger;
import io.reactivecomm.timing.CommsLoggerOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** A program of local ranks that uses all of the library leaves nothing behind in its JVM. */
@Timeout(120)
class UnloadedLocalProgramTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void program_thatHasClosedAll_isCollected() throws Exception {
        UnloadedProgram.requireCollected(Calls.class);
    }

    @Test
    @Tag("thorough")
    void program_thatWasRecorded_isCollected() throws Exception {
        // The server's recording: the threads of the JVM's recorder belong to the program that begins the first one.
        UnloadedProgram.requireCollected(Calls.class, "-XX:StartFlightRecording:+io.reactivecomm.Call#enabled=true");
    }

    private static void use(LocalWorld world) {
        Flux.fromIterable(world.groups()).flatMap(UnloadedLocalProgramTest::use).blockLast(LIMIT);
    }

    private static Flux<?> use(ProcessGroup group) {
        Tensor tensor = Tensor.of(new float[100_000]);
        Tensor gradient = Tensor.of(new float[1_000]);
        Tensor large = Tensor.of(new float[16 << 20]);
        GradientBuckets buckets = GradientBuckets.average(group.named("buckets"));
        return group.allReduce(tensor, ReduceOp.SUM)
                .<Object>cast(Object.class)
                .concatWith(group.named("large").allReduce(large, ReduceOp.SUM))
                .concatWith(group.allGatherObject("rank " + group.rank(), String.class))
                .concatWith(group.allGatherObject("x".repeat(300_000), String.class))
                .concatWith(
                        group.newGroup(0, 1).flatMap(inner -> inner.barrier().doFinally(end -> inner.close())))
                .concatWith(Flux.just(new Gradient("weights", gradient)).transform(buckets))
                .concatWith(CallTiming.timed(group.named("timed").barrier()))
                .doFinally(end -> {
                    buckets.close();
                    List.of(tensor, gradient, large).forEach(Tensor::close);
                });
    }

    /** Calls of all sorts, then again with timeline, log of calls and dumps. */
    public static final class Calls implements Runnable {

        @Override
        public void run() {
            TensorLeaks.watch(TensorLeaks.Level.ALL);
            try (LocalWorld world = ReactiveComm.local(2)) {
                use(world);
                JobWatch.of(world)
                        .every(Duration.ofMillis(100))
                        .snapshots()
                        .take(3)
                        .blockLast(LIMIT);
            }
            observe();
        }

        private static void observe() {
            try {
                Path folder = Files.createTempDirectory("unloaded");
                CommsLogger log = CommsLogger.of(CommsLoggerOptions.DEFAULT);
                try (Timeline timeline = Timeline.to(folder.resolve("trace.json"))) {
                    CommConfig settings = CommConfig.of(0, 2, "127.0.0.1", 29500)
                            .withObserver(timeline)
                            .withObserver(log)
                            .withDumps(folder);
                    try (LocalWorld world = ReactiveComm.local(2, settings)) {
                        use(world);
                        world.groups()
                                .getFirst()
                                .dump(folder.resolve("asked.json"))
                                .block(LIMIT);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
