package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.hook.Gradient;
import io.reactivecomm.hook.GradientHook;
import java.util.List;
import java.util.Locale;
import reactor.core.publisher.Flux;

/** The moment at which the gradients of a step reach the buckets. A hook before theirs; the buckets and their calls are the same. */
enum Variant implements GradientHook {
    /** Once the backward pass has ended, all at once. */
    REDUCE_AFTER_BACKWARD {
        @Override
        public Flux<Gradient> apply(Flux<Gradient> ready) {
            return ready.collectList().flatMapIterable(List::copyOf);
        }
    },
    /** Each as soon as it is there. */
    BUCKETS_OVERLAPPED {
        @Override
        public Flux<Gradient> apply(Flux<Gradient> ready) {
            return ready;
        }
    };

    /** {@return its name in words} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
