package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.testkit.GroupWorld;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** Checked exceptions that subscribers and sources throw undeclared: they do no more than unchecked ones, and no rank waits. */
class LocalUndeclaredTest extends GroupWorld implements LocalWorlds {

    /** Each is dropped, with the state of its thread. */
    private final Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();

    private final Queue<Boolean> interrupts = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void watchDropped() {
        dropped.clear();
        interrupts.clear();
        Hooks.onErrorDropped(error -> {
            interrupts.add(Thread.currentThread().isInterrupted());
            dropped.add(error);
        });
    }

    @AfterEach
    void forgetDropped() {
        Hooks.resetOnErrorDropped();
        Thread.interrupted();
    }

    /** The places where a subscriber throws. */
    private enum Place {
        ON_SUBSCRIBE,
        ON_NEXT,
        ON_COMPLETE
    }

    /** A subscriber that throws at a place, once: Reactor gives one whose {@code onSubscribe} has thrown another subscription, and the error. */
    private static final class Thrower implements CoreSubscriber<Object> {

        private final Throwable thrown;
        private final Place place;
        private boolean hasThrown;

        private Thrower(Throwable thrown, Place place) {
            this.thrown = thrown;
            this.place = place;
        }

        private void at(Place here) {
            if (here == place && !hasThrown) {
                hasThrown = true;
                Thrown.on(thrown);
            }
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
            at(Place.ON_SUBSCRIBE);
        }

        @Override
        public void onNext(Object result) {
            if (result instanceof Tensor tensor) {
                tensor.close();
            }
            at(Place.ON_NEXT);
        }

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onComplete() {
            at(Place.ON_COMPLETE);
        }
    }

    static Stream<Throwable> thrown() {
        return Stream.of(new IllegalStateException("planted"), new IOException("planted"));
    }

    static Stream<Arguments> places() {
        return thrown().flatMap(each -> Arrays.stream(Place.values()).map(place -> Arguments.of(each, place)));
    }

    private static void subscribe(Publisher<?> publisher, Thrower thrower) {
        // Some operators throw on what onSubscribe has thrown.
        Throwable error = catchThrowable(() -> publisher.subscribe(thrower));
        assertThat(error == null ? thrower.thrown : error).isSameAs(thrower.thrown);
    }

    private static <T> CompletableFuture<Signal<T>> begun(Mono<T> call) {
        return call.materialize().toFuture().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    /** Other ranks count on what it has begun. */
    @ParameterizedTest
    @MethodSource("places")
    void subscriberOfObjects_thatThrows_takesNothingFromOthers(Throwable thrown, Place place) {
        List<ProcessGroup> world = world(2);
        subscribe(world.get(1).allGatherObject(1, Integer.class), new Thrower(thrown, place));
        assertThat(world.get(0).allGatherObject(0, Integer.class).block(LIMIT)).containsExactly(0, 1);
        requireTogether(world);
        assertThat(dropped).allSatisfy(each -> assertThat(each).isSameAs(thrown));
    }

    @ParameterizedTest
    @MethodSource("places")
    void subscriberOfAComposite_thatThrows_leavesNobodyWaiting(Throwable thrown, Place place) {
        List<ProcessGroup> world = world(2);
        CompletableFuture<Signal<Long>> waiting = begun(world.get(0)
                .composite("flux")
                .flux(LocalUndeclaredTest::twoBarriers)
                .count());
        subscribe(world.get(1).composite("flux").flux(LocalUndeclaredTest::twoBarriers), new Thrower(thrown, place));
        waiting.join();
        requireTogether(world);
    }

    private static Flux<Object> twoBarriers(ProcessGroup inside) {
        return inside.barrier().concatWith(inside.barrier()).cast(Object.class);
    }

    @ParameterizedTest
    @MethodSource("places")
    void subscriberOfAStream_thatThrows_leavesNobodyWaiting(Throwable thrown, Place place) {
        List<ProcessGroup> world = world(2);
        CompletableFuture<Signal<Void>> sending = begun(closing(world.get(0).sendAll(tensors(), 1, 0)));
        subscribe(closingDiscarded(world.get(1).receiveAll(0, 0)), new Thrower(thrown, place));
        sending.join();
        CompletableFuture<Signal<Void>> receiving = begun(closing(world.get(0).receiveAll(1, 1)));
        subscribe(closingDiscarded(world.get(1).sendAll(tensors(), 0, 1)), new Thrower(thrown, place));
        receiving.join();
        requireTogether(world);
    }

    private static Flux<Tensor> tensors() {
        return Flux.range(0, 3).map(each -> Tensor.allocate(DType.INT8, 4));
    }

    private static Mono<Void> closing(Flux<Tensor> stream) {
        return closingDiscarded(stream).doOnNext(Tensor::close).then();
    }

    private static Flux<Tensor> closingDiscarded(Flux<Tensor> stream) {
        return stream.doOnDiscard(Tensor.class, Tensor::close);
    }

    /** The places where a source throws. */
    private enum At {
        SUBSCRIBE,
        REQUEST,
        CANCEL
    }

    /** A source of no tensors that throws. */
    private record Source(Throwable thrown, At place) implements Publisher<Tensor> {

        private void at(At here) {
            Thrown.on(here == place ? thrown : null);
        }

        @Override
        public void subscribe(org.reactivestreams.Subscriber<? super Tensor> subscriber) {
            at(At.SUBSCRIBE);
            subscriber.onSubscribe(new Subscription() {

                @Override
                public void request(long n) {
                    at(At.REQUEST);
                }

                @Override
                public void cancel() {
                    at(At.CANCEL);
                }
            });
        }
    }

    static Stream<Arguments> sources() {
        return thrown().flatMap(each -> Stream.of(At.SUBSCRIBE, At.REQUEST).map(place -> Arguments.of(each, place)));
    }

    @ParameterizedTest
    @MethodSource("sources")
    void source_thatThrows_failsTheStreamOnBoth(Throwable thrown, At place) {
        List<ProcessGroup> world = world(2);
        CompletableFuture<Signal<Void>> sending =
                begun(world.get(0).sendAll(new Source(thrown, place), 1, 0).then());
        CompletableFuture<Signal<Void>> receiving =
                begun(world.get(1).receiveAll(0, 0).then());
        assertThat(sending.join().getThrowable()).isSameAs(thrown);
        assertThat(receiving.join().getThrowable())
                .isInstanceOf(CommException.class)
                .hasMessageContaining("planted");
        requireTogether(world);
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void source_thatThrowsWhenItIsCancelled_endsTheStreamOnBoth(Throwable thrown) {
        List<ProcessGroup> world = world(2);
        CompletableFuture<Signal<Void>> sending =
                begun(world.get(0).sendAll(new Source(thrown, At.CANCEL), 1, 0).then());
        Subscription receiving = receive(world.get(1));
        requireTogether(world);
        receiving.cancel();
        sending.join();
        requireTogether(world);
        assertThat(dropped).containsExactly(thrown);
    }

    private static Subscription receive(ProcessGroup group) {
        CompletableFuture<Subscription> given = new CompletableFuture<>();
        group.receiveAll(0, 0).subscribe(new CoreSubscriber<>() {

            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(1);
                given.complete(subscription);
            }

            @Override
            public void onNext(Tensor tensor) {
                tensor.close();
            }

            @Override
            public void onError(Throwable error) {}

            @Override
            public void onComplete() {}
        });
        return given.join();
    }

    /** Who throws that has taken the interrupt from the thread, and does not deal with it. */
    @ParameterizedTest
    @MethodSource("interrupted")
    void interrupt_ofASubscribersThread_isKept(Place place) {
        List<ProcessGroup> world = world(2);
        InterruptedException thrown = new InterruptedException("planted");
        CompletableFuture<Signal<List<Integer>>> objects = begun(world.get(0).allGatherObject(0, Integer.class));
        subscribe(world.get(1).allGatherObject(1, Integer.class), new Thrower(thrown, place));
        objects.join();
        CompletableFuture<?> barrier = begun(world.get(0).barrier());
        subscribe(world.get(1).barrier(), new Thrower(thrown, place));
        barrier.join();
        requireTogether(world);
        assertThat(dropped).containsExactly(thrown, thrown);
        assertThat(interrupts).containsExactly(true, true);
    }

    static Stream<Place> interrupted() {
        return Stream.of(Place.ON_NEXT, Place.ON_COMPLETE);
    }

    @Test
    void interrupt_ofTheAssemblingThread_isKept() {
        List<ProcessGroup> world = world(2);
        Mono<?> failed = world.get(0).coalesce(scope -> Thrown.on(new InterruptedException("planted")));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(begun(failed).join().getThrowable()).hasMessageContaining("planted");
    }
}
