package io.reactivecomm.samples.programs.slow;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.observability.doctor.Doctor;
import io.reactivecomm.recorder.FlightDump;
import io.reactivecomm.timing.CommsLogger;
import io.reactivecomm.timing.CommsLoggerOptions;
import io.reactivecomm.timing.Stragglers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A job of two ranks that is slow on purpose, in one way after the other. What it shows does not depend on how fast the machine is: whoever is late
 * waits for the other first, and then for {@value #LATE_MILLIS} ms.
 */
final class SlowJob implements AutoCloseable {

    private static final int LATE_MILLIS = 20;
    private static final int STEPS = 10;
    private static final int SMALL_CALLS = 200;

    private final LocalWorld world = ReactiveComm.local(2);
    private final List<CommsLogger> loggers =
            world.groups().stream().map(SlowJob::observed).toList();
    private final List<Tensor> gradients =
            world.groups().stream().map(group -> Tensor.of(new float[250_000])).toList();

    private static CommsLogger observed(ProcessGroup group) {
        CommsLogger logger = CommsLogger.of(CommsLoggerOptions.DEFAULT);
        group.observe(logger);
        return logger;
    }

    private ProcessGroup group(int rank) {
        return world.groups().get(rank);
    }

    private Mono<Work> step(int rank) {
        return group(rank).named("gradients").allReduce(gradients.get(rank), ReduceOp.SUM);
    }

    /** Rank 1 has the slower machine, or the larger share: it begins each step when the other has long begun it. */
    SlowJob withALateRank() {
        for (int i = 0; i < STEPS; i++) {
            Sinks.Empty<Void> begun = Sinks.empty();
            Mono<Work> early = step(0).doOnSubscribe(subscription -> begun.tryEmitEmpty());
            Mono<Work> late = begun.asMono()
                    .then(Mono.delay(Duration.ofMillis(LATE_MILLIS)))
                    .then(step(1));
            Mono.when(early, late).block();
        }
        return this;
    }

    /** A call for each number: the way there and back is all that it takes. */
    SlowJob withSmallCalls() {
        List<Tensor> losses =
                world.groups().stream().map(group -> Tensor.of(new float[1])).toList();
        Flux.fromIterable(world.groups())
                .flatMap(group ->
                        group.allReduce(losses.get(group.rank()), ReduceOp.SUM).repeat(SMALL_CALLS - 1L))
                .blockLast();
        losses.forEach(Tensor::close);
        return this;
    }

    /** What rank 1 does with the result of a barrier holds its loop, which begins no call meanwhile. */
    SlowJob withAHeldLoop() {
        for (int i = 0; i < STEPS; i++) {
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch subscribed = new CountDownLatch(1);
            Mono.when(group(0).barrier(), group(1).barrier().doOnNext(work -> hold(held, subscribed)))
                    .subscribe();
            await(held);
            Mono<Void> steps = Mono.when(step(0), step(1)).cache();
            steps.subscribe();
            subscribed.countDown();
            steps.block();
        }
        return this;
    }

    private static void hold(CountDownLatch held, CountDownLatch subscribed) {
        held.countDown();
        await(subscribed);
        LockSupport.parkNanos(Duration.ofMillis(LATE_MILLIS).toNanos());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Rank 1 has caught an exception somewhere, and goes on without its step. {@return what the doctor says} */
    String withAMissingCall(Path folder) throws IOException {
        Mono<Work> waiting = step(0).cache();
        waiting.subscribe();
        List<FlightDump> dumps = List.of(dump(folder, 0), dump(folder, 1));
        Mono.when(waiting, step(1)).block();
        return Doctor.diagnose(dumps).text();
    }

    private FlightDump dump(Path folder, int rank) throws IOException {
        return FlightDump.read(Objects.requireNonNull(
                group(rank).dump(folder.resolve("rank-" + rank + ".json")).block()));
    }

    /** {@return what one rank's log says} */
    String summary(int rank) {
        return loggers.get(rank).summary().table();
    }

    /** {@return what ranks tell each other} */
    String stragglers() {
        List<Stragglers> all = Flux.fromIterable(world.groups())
                .flatMap(group -> loggers.get(group.rank()).stragglers(group))
                .collectList()
                .block();
        return Objects.requireNonNull(all).getFirst().table();
    }

    @Override
    public void close() {
        world.close();
        gradients.forEach(Tensor::close);
    }
}
