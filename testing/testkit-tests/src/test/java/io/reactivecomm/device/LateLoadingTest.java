package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.testkit.device.FakeThread;
import io.reactivecomm.testkit.train.BucketWorld;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.MissingGradients;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.ContextView;

/** A step that fails while a device still loads one of its buckets. */
class LateLoadingTest extends BucketWorld implements FakeWorlds {

    private final Sinks.One<Work> reduction = Sinks.one();
    private final Sinks.Empty<Void> reached = Sinks.empty();
    private final Sinks.Empty<Void> ended = Sinks.empty();

    /** Ends on rank 1 when the test says so. */
    private final BucketReducer reducer = new BucketReducer() {
        @Override
        public String label() {
            return "late";
        }

        @Override
        public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {
            reached.tryEmitEmpty();
            return reduction.asMono();
        }
    };

    /** The reducer begins before the other rank has its gradients, so ranks do not ask which there are. */
    @Test
    void step_endsWithNothingBorrowed_whenADeviceLoadsABucketForLonger() {
        List<ProcessGroup> groups = world(2);
        List<List<Gradient>> gradients = List.of(scalars(1, "a", "b"), scalars(1, "a", "b"));
        List<GradientBuckets> buckets = buckets(
                groups,
                group -> GradientBuckets.of(group, SMALL.withReducer(reducer).withMissing(MissingGradients.LEFT_OUT))
                        .registered(parameters(gradients.getFirst())));
        Sinks.Many<Gradient> backward = Sinks.many().unicast().onBackpressureBuffer();
        Mono<Ended> step = begun(
                backward.asFlux().transform(buckets.get(0)).doOnError(error -> requireReleased(gradients.get(0))));
        Mono<Ended> other = begun(Flux.fromIterable(gradients.get(1)).transform(buckets.get(1)));
        reached.asMono().block(LIMIT);
        try (FakeThread.Pause pause = FakeThread.pause()) {
            groups.get(0).observe(new Onlooker(() -> {
                reduction.tryEmitError(new IllegalStateException("planted"));
                assertThat(await(other).error()).hasMessageContaining("planted");
                // What rank 1 says of it comes before this.
                all(groups, group -> group.named("behind").barrier());
            }));
            gradients.get(0).forEach(backward::tryEmitNext);
            ended.asMono().block(LIMIT);
            runStepsOnTheHost(groups);
        }
        assertThat(await(step).error()).hasMessageContaining("planted").hasNoSuppressedExceptions();
    }

    /** Steps without a device, on the threads of the one that fails: time for it to end too early. */
    private void runStepsOnTheHost(List<ProcessGroup> groups) {
        List<GradientBuckets> buckets = buckets(groups, group -> GradientBuckets.of(group.named("host"), SMALL));
        for (int i = 0; i < 10; i++) {
            steps(
                            2,
                            rank -> Flux.just(new Gradient("c", kept(Tensor.of(new float[1]))))
                                    .transform(buckets.get(rank)))
                    .forEach(Ended::requireSuccess);
        }
    }

    /** An observer of rank 0's bucket: it fails on rank 1 between its loading here and its call. */
    private final class Onlooker implements CommObserver {

        private final Runnable failing;

        private Onlooker(Runnable failing) {
            this.failing = failing;
        }

        @Override
        public void subscribed(ObservedCall call, ContextView context) {
            if (isOfTheBucket(call)) {
                failing.run();
            }
        }

        @Override
        public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
            if (isOfTheBucket(call)) {
                ended.tryEmitEmpty();
            }
        }

        private static boolean isOfTheBucket(ObservedCall call) {
            return call.operation().equals("bucket 0 by late");
        }
    }
}
