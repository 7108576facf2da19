package io.reactivecomm.hook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.util.context.Context;

/** Ends of a step that come while its composite call is being opened. */
class ReducingPassTest {

    /** An operator that notes the errors of its step. */
    private static final class Noting implements ReducingPass.Watch {

        private final List<@Nullable Throwable> ends = new ArrayList<>();

        @Override
        public void stopped() {}

        @Override
        public void ended(@Nullable Throwable error) {
            ends.add(error);
        }

        @Override
        public void abandoned() {}
    }

    static Stream<Throwable> thrown() {
        return Stream.of(new IllegalStateException("planted"), new IOException("planted"), new Error("planted"));
    }

    /** Throws also a checked exception undeclared, as Kotlin and Scala do. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwUndeclared(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void earlyEnd_whereTheOpeningThrows_stillEndsTheRun(Throwable thrown) {
        AtomicInteger cancellations = new AtomicInteger();
        Noting operator = new Noting();
        try (LocalWorld world = ReactiveComm.local(1)) {
            ReducingPass pass = ReducingPass.of(this, world.groups().getFirst(), Context.empty());
            Flux<Object> call = Flux.from(run -> {
                run.onSubscribe(new Subscription() {
                    @Override
                    public void request(long items) {}

                    @Override
                    public void cancel() {
                        cancellations.incrementAndGet();
                    }
                });
                pass.cancel();
                throwUndeclared(thrown);
            });
            assertThatThrownBy(() -> pass.open(call, Context.empty(), operator)).isSameAs(thrown);
        }
        assertThat(cancellations).as("ends of the run").hasValue(1);
        assertThat(operator.ends).containsExactly(thrown);
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void signalThatThrows_asAGradientIsHandedOver_failsTheStep(Throwable thrown) {
        Noting operator = new Noting();
        try (LocalWorld world = ReactiveComm.local(1)) {
            ProcessGroup group = world.groups().getFirst();
            ReducingPass pass = ReducingPass.of(this, group, Context.empty());
            pass.open(ReducingPass.composite(group, "step"), Context.empty(), operator);
            assertThatThrownBy(() -> pass.handOver(() -> throwUndeclared(thrown)))
                    .isSameAs(thrown);
            assertThat(pass.isOpen()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void subscriberThatThrows_asItIsSubscribed_cancelsTheGradients(Throwable thrown) {
        AtomicInteger cancellations = new AtomicInteger();
        try (LocalWorld world = ReactiveComm.local(1)) {
            ProcessGroup group = world.groups().getFirst();
            ReducingPass pass = ReducingPass.of(this, group, Context.empty());
            pass.open(ReducingPass.composite(group, "step"), Context.empty(), new Noting());
            Flux<Gradient> gradients = Flux.<Gradient>never().doOnCancel(cancellations::incrementAndGet);
            CoreSubscriber<Gradient> subscriber = new CoreSubscriber<>() {
                @Override
                public void onSubscribe(Subscription subscription) {
                    throwUndeclared(thrown);
                }

                @Override
                public void onNext(Gradient gradient) {}

                @Override
                public void onError(Throwable error) {}

                @Override
                public void onComplete() {}
            };
            assertThatThrownBy(() -> new HandedOver(gradients, pass).subscribe(subscriber))
                    .isSameAs(thrown);
        }
        assertThat(cancellations).as("cancellations of the gradients").hasValue(1);
    }
}
