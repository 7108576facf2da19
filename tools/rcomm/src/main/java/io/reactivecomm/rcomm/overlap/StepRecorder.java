package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.Work;
import io.reactivecomm.samples.programs.train.StepWatch;
import io.reactivecomm.samples.programs.world.Names;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Notes what happens in a step, and when. Times count since the epoch, so that those of several processes fit together.
 *
 * <p><b>Threads.</b> Any: the compute thread, the loop and the buckets' workers report side by side. Steps follow one another.
 */
final class StepRecorder implements StepWatch {

    /** What has to be added to {@link System#nanoTime}. */
    private final long epochNanos = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now()) - System.nanoTime();

    private List<TimeSpan> compute = new ArrayList<>();
    private List<TimeSpan> reductions = new ArrayList<>();
    private int reductionsBegun;
    private long backwardEndNanos;

    /** {@return a step that is recorded from its subscription to its end} */
    Mono<StepTimes> record(Mono<Void> step) {
        return Mono.defer(() -> {
            begin();
            long began = System.nanoTime();
            return step.then(Mono.fromSupplier(() -> end(began)));
        });
    }

    private synchronized void begin() {
        compute = new ArrayList<>();
        reductions = new ArrayList<>();
        reductionsBegun = 0;
    }

    private synchronized StepTimes end(long began) {
        reductions.sort(Comparator.comparingLong(TimeSpan::fromNanos));
        return new StepTimes(
                span("step", began, System.nanoTime()),
                backwardEndNanos,
                List.copyOf(compute),
                List.copyOf(reductions));
    }

    @Override
    public synchronized void computed(Phase phase, long fromNanos, long toNanos) {
        compute.add(span(Names.of(phase), fromNanos, toNanos));
        if (phase == Phase.BACKWARD) {
            backwardEndNanos = epochNanos + toNanos;
        }
    }

    /** The reduction's own end tells more exactly. */
    @Override
    public void gradientReturned() {}

    /** {@return what notes the end of a reduction that begins now; buckets begin in the order of their numbers} */
    Runnable reductionBegins() {
        String name = nextBucket();
        long began = System.nanoTime();
        return () -> reduced(span(name, began, System.nanoTime()));
    }

    /** {@return a reduction that is noted from its subscription to its end} */
    Mono<Work> noted(Mono<Work> reduction) {
        return Mono.defer(() -> reduction.doOnTerminate(reductionBegins()));
    }

    private synchronized String nextBucket() {
        return "bucket " + reductionsBegun++;
    }

    private synchronized void reduced(TimeSpan reduction) {
        reductions.add(reduction);
    }

    private TimeSpan span(String name, long fromNanos, long toNanos) {
        return new TimeSpan(name, epochNanos + fromNanos, epochNanos + toNanos);
    }
}
