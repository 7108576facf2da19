package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.StepView;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The moment at which the gradients of a step reach the buckets. A hook before theirs; the buckets and their calls are the same. */
enum Variant {
    /** Once the backward pass has ended, all at once. */
    REDUCE_AFTER_BACKWARD,
    /** Each as soon as it is there. */
    BUCKETS_OVERLAPPED;

    /** {@return the hook of one rank} */
    GradientHook hook() {
        return switch (this) {
            case REDUCE_AFTER_BACKWARD -> new AfterBackward();
            case BUCKETS_OVERLAPPED -> (gradient, step) -> Mono.just(gradient);
        };
    }

    /** The hook that keeps gradients until the backward pass has ended. */
    private static final class AfterBackward implements GradientHook {

        private final List<Gradient> kept = new CopyOnWriteArrayList<>();

        @Override
        public void begins(StepView step) {
            kept.clear();
        }

        @Override
        public Mono<Gradient> apply(Gradient gradient, StepView step) {
            kept.add(gradient);
            return Mono.empty();
        }

        @Override
        public Flux<Gradient> passEnded(StepView step) {
            return Flux.fromIterable(List.copyOf(kept));
        }
    }

    /** {@return its name in words} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
