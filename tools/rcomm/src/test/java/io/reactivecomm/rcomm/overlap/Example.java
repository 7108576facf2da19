package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.rcomm.latency.Rate;
import java.time.Duration;
import java.util.List;

/** Made-up runs. */
final class Example {

    private static final long MILLI = 1_000_000;

    /** That of the example's links. */
    static final LinkShape SHAPE = LinkShape.of(Duration.ofMillis(2), Rate.GIGABIT);

    private Example() {}

    static TimeSpan span(String name, long fromMillis, long toMillis) {
        return new TimeSpan(name, fromMillis * MILLI, toMillis * MILLI);
    }

    /** {@return a step of 100 ms from that time on, 80 of them compute, whose second bucket ends at that time of it} */
    static StepTimes step(long fromMillis, long lastEndMillis) {
        return new StepTimes(
                span("step", fromMillis, fromMillis + 100),
                (fromMillis + 70) * MILLI,
                List.of(
                        span("forward", fromMillis, fromMillis + 30),
                        span("backward", fromMillis + 30, fromMillis + 70),
                        span("optimizer", fromMillis + 90, fromMillis + 100)),
                List.of(
                        span("bucket 0", fromMillis + 40, fromMillis + 60),
                        span("bucket 1", fromMillis + 55, fromMillis + lastEndMillis)));
    }

    /** {@return a run of three steps on two ranks} */
    static OverlapRun run(Variant variant, long fromMillis, long hash) {
        List<StepTimes> steps = List.of(step(fromMillis, 90), step(fromMillis + 100, 80), step(fromMillis + 200, 75));
        return new OverlapRun(
                "pigeons", SHAPE, Contents.PLAIN, variant, List.of(new RankRun(7, steps), new RankRun(hash, steps)));
    }
}
