package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivecomm.CommException;
import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ObjectCodec;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.TensorLeaks;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GroupWorld;
import io.reactivecomm.testkit.ObjectEnding;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.Sinks;

/** Errors that are fatal to the JVM, on a rank's loop: they end the world on all ranks, by name, and nobody waits for a deadline. */
public abstract class FatalErrorContract extends GroupWorld {

    private static final int CULPRIT = 1;

    final Stream<Named<Supplier<Error>>> fatalErrors() {
        return Stream.of(
                Named.of("out of memory", () -> new OutOfMemoryError("as thrown by the machine")),
                Named.of("stack overflow", FatalErrorContract::overflow),
                Named.of("an internal error", () -> new InternalError("a program's own")),
                Named.of("linkage", () -> new NoClassDefFoundError("io.example.Missing")));
    }

    /** {@return a stack overflow as it really is} */
    private static Error overflow() {
        try {
            throw new IllegalStateException("an endless recursion ended: depth=" + depth(0));
        } catch (StackOverflowError e) {
            return e;
        }
    }

    private static int depth(int above) {
        return above < 0 ? 0 : 1 + depth(above + 1);
    }

    /** What a fatal error leaves open is for the collector: after it nobody promises more. */
    @BeforeEach
    final void watchNoTensors() {
        TensorLeaks.watch(TensorLeaks.Level.OFF);
    }

    /** The situation of a world when the error strikes: an idle group, and calls that wait for the culprit. */
    private final class Scene {

        final List<ProcessGroup> world = world(3);
        private final List<CompletableFuture<Signal<Void>>> ends = new ArrayList<>();
        private final List<CompletableFuture<Outcome>> pending = new ArrayList<>();

        Scene() {
            List<ProcessGroup> inner = group(world, 2, 1, 0);
            Stream.concat(world.stream(), inner.stream())
                    .forEach(group ->
                            ends.add(group.ended().materialize().toFuture().thenApply(Objects::requireNonNull)));
            pending.add(begin(world.get(0).named("waits").barrier()));
            pending.add(begin(inner.get(0).named("waits").barrier()));
            pending.add(begin(world.get(CULPRIT).named("waits").receive(Tensor.of(new byte[1]), 2, 9)));
        }

        ProcessGroup culprit() {
            return world.get(CULPRIT);
        }

        /** All ranks meet the call that the culprit makes. */
        void meet() {
            begin(world.get(0).named("meet").barrier());
            begin(world.get(2).named("meet").barrier());
        }

        Mono<Work> meeting() {
            return culprit().named("meet").barrier();
        }

        void requireEnded(Class<? extends Error> error) {
            String text = "fatal error on rank " + CULPRIT + ": " + error.getName();
            ends.forEach(end -> assertThat(end.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                            .join()
                            .getThrowable())
                    .isInstanceOf(GroupClosedException.class)
                    .hasMessageContaining(text));
            pending.forEach(call ->
                    assertThat(end(call).error(GroupClosedException.class)).hasMessageContaining(text));
            world.forEach(group -> assertThat(end(begin(group.barrier())).error(GroupClosedException.class))
                    .hasMessageContaining(text));
        }
    }

    /** A subscriber that throws where it is told to, and remembers what it heard. */
    private static final class Thrower implements CoreSubscriber<Work> {

        private final Supplier<Error> error;
        private final String place;
        private final List<String> heard = new ArrayList<>();
        private final CompletableFuture<List<String>> end = new CompletableFuture<>();

        private Thrower(Supplier<Error> error, String place) {
            this.error = error;
            this.place = place;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(1);
        }

        @Override
        public void onNext(Work work) {
            hear("onNext", false);
        }

        @Override
        public void onError(Throwable cause) {
            hear(Exceptions.isJvmFatal(cause) ? "fatal" : "onError", true);
        }

        @Override
        public void onComplete() {
            hear("onComplete", true);
        }

        private void hear(String what, boolean isLast) {
            heard.add(what);
            if (isLast) {
                end.complete(List.copyOf(heard));
            }
            if (what.equals(place)) {
                throw error.get();
            }
        }

        List<String> heard() {
            return end.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
        }
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("fatalErrors")
    void onNext_thatDies_isToldSo_andTheWorldEnds(Supplier<Error> error) {
        Scene scene = new Scene();
        scene.meet();
        Thrower thrower = new Thrower(error, "onNext");
        scene.meeting().subscribe(thrower);
        scene.requireEnded(error.get().getClass());
        assertThat(thrower.heard()).containsExactly("onNext", "fatal");
    }

    @ParameterizedTest
    @MethodSource("fatalErrors")
    void onComplete_thatDies_endsTheWorld(Supplier<Error> error) {
        Scene scene = new Scene();
        scene.meet();
        Thrower thrower = new Thrower(error, "onComplete");
        scene.meeting().subscribe(thrower);
        scene.requireEnded(error.get().getClass());
        assertThat(thrower.heard()).containsExactly("onNext", "onComplete");
    }

    @ParameterizedTest
    @MethodSource("fatalErrors")
    void onError_thatDies_endsTheWorld(Supplier<Error> error) {
        Scene scene = new Scene();
        Thrower thrower = new Thrower(error, "onError");
        scene.culprit().named("wrong").broadcast(Tensor.of(new byte[1]), 99).subscribe(thrower);
        scene.requireEnded(error.get().getClass());
        assertThat(thrower.heard()).containsExactly("onError");
    }

    @ParameterizedTest
    @MethodSource("fatalErrors")
    void operator_thatDies_endsItsMono_andTheWorld(Supplier<Error> error) {
        Scene scene = new Scene();
        scene.meet();
        CompletableFuture<Outcome> own = begin(scene.meeting().doOnNext(work -> {
            throw error.get();
        }));
        scene.requireEnded(error.get().getClass());
        assertThat(((Outcome.Failure) end(own)).error())
                .isInstanceOf(error.get().getClass());
    }

    @Test
    void parts_andStreams_thatDie_areToldSo_andTheWorldEnds() {
        Scene scene = new Scene();
        List<Throwable> told = new ArrayList<>();
        scene.world
                .get(2)
                .sendAll(Flux.just(Tensor.of(new byte[3])), CULPRIT, 1)
                .subscribe(Tensor::close, error -> {});
        scene.culprit()
                .receiveAll(2, 1)
                .doOnNext(tensor -> {
                    tensor.close();
                    throw new OutOfMemoryError("as thrown by the machine");
                })
                .subscribe(tensor -> {}, told::add);
        scene.requireEnded(OutOfMemoryError.class);
        assertThat(told).singleElement().isInstanceOf(OutOfMemoryError.class);

        Scene other = new Scene();
        List<Throwable> toldOther = new ArrayList<>();
        other.world.forEach(group -> {
            Tensor input = Tensor.allocate(DType.INT8, 2);
            List<Tensor> outputs = Stream.generate(() -> Tensor.allocate(DType.INT8, 2))
                    .limit(3)
                    .toList();
            group.allGatherParts(input, outputs)
                    .doOnNext(part -> {
                        if (group.rank() == CULPRIT) {
                            throw new OutOfMemoryError("as thrown by the machine");
                        }
                    })
                    .subscribe(part -> {}, error -> {
                        if (group.rank() == CULPRIT) {
                            toldOther.add(error);
                        }
                    });
        });
        other.requireEnded(OutOfMemoryError.class);
        assertThat(toldOther).singleElement().isInstanceOf(OutOfMemoryError.class);
    }

    /** A codec of text that dies when it reads, or when it writes on a loop. */
    private record DyingCodec(Supplier<Error> error, boolean reads) implements ObjectCodec<String> {

        @Override
        public byte[] encode(String value) {
            return reads ? value.getBytes(StandardCharsets.UTF_8) : die();
        }

        @Override
        public String decode(byte[] bytes) {
            return reads ? die() : new String(bytes, StandardCharsets.UTF_8);
        }

        private <T> T die() {
            throw error.get();
        }
    }

    /** On the loop, where small objects have come. */
    @ParameterizedTest
    @MethodSource("fatalErrors")
    void codec_thatDiesReading_endsTheWorld(Supplier<Error> error) {
        requireReadingEndsTheWorld(error, "a");
    }

    /** Beside the loop, which is told. */
    @Test
    void codec_thatDiesReadingWhatIsLarge_endsTheWorld() {
        requireReadingEndsTheWorld(FatalErrorContract::overflow, "a".repeat(300_000));
    }

    private void requireReadingEndsTheWorld(Supplier<Error> error, String value) {
        Scene scene = new Scene();
        CompletableFuture<?> own =
                exchange(scene, value, new DyingCodec(error, true)).toFuture();
        scene.requireEnded(error.get().getClass());
        assertThat(own).failsWithin(LIMIT);
    }

    /** {@return what the culprit does when the others exchange objects} */
    private static Mono<List<String>> exchange(Scene scene, String value, ObjectCodec<String> codec) {
        ObjectCodec<String> sound = ObjectEnding.TEXT;
        scene.world.get(0).named("objects").allGatherObject(value, sound).subscribe(values -> {}, thrown -> {});
        scene.world.get(2).named("objects").allGatherObject(value, sound).subscribe(values -> {}, thrown -> {});
        return scene.culprit().named("objects").allGatherObject(value, codec);
    }

    @Test
    void codec_thatDiesWritingOnTheLoop_endsTheWorld() {
        Scene scene = new Scene();
        scene.meet();
        Mono<List<String>> exchange = exchange(scene, "a", new DyingCodec(FatalErrorContract::overflow, false));
        CompletableFuture<Throwable> own = new CompletableFuture<>();
        scene.meeting().subscribe(work -> exchange.subscribe(values -> {}, own::complete));
        scene.requireEnded(StackOverflowError.class);
        assertThat(own).succeedsWithin(LIMIT).isInstanceOfAny(StackOverflowError.class, GroupClosedException.class);
    }

    /** There it is the call's: the program's own thread goes on. */
    @Test
    void codec_thatDiesWritingElsewhere_failsTheCall() {
        List<ProcessGroup> world = world(2);
        ObjectCodec<String> codec = new DyingCodec(FatalErrorContract::overflow, false);
        CompletableFuture<?> other =
                world.get(0).allGatherObject("a", ObjectEnding.TEXT).toFuture();
        CompletableFuture<?> own = world.get(1).allGatherObject("a", codec).toFuture();
        for (CompletableFuture<?> each : List.of(own, other)) {
            assertThat(each)
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(InvalidCallException.class)
                    .withMessageContaining("StackOverflowError");
        }
        requireTogether(world);
    }

    @ParameterizedTest
    @MethodSource("fatalErrors")
    void operatorOfObjects_thatDies_endsTheWorld(Supplier<Error> error) {
        requireCombiningEndsTheWorld(error, "a");
    }

    /** Which are read beside the loop, and combined on it. */
    @Test
    void operatorOfLargeObjects_thatDies_endsTheWorld() {
        requireCombiningEndsTheWorld(FatalErrorContract::overflow, "a".repeat(300_000));
    }

    private void requireCombiningEndsTheWorld(Supplier<Error> error, String value) {
        Scene scene = new Scene();
        CompletableFuture<Throwable> own = new CompletableFuture<>();
        for (ProcessGroup group : scene.world) {
            group.named("objects")
                    .reduceObject(
                            value,
                            CULPRIT,
                            (left, right) -> {
                                throw error.get();
                            },
                            ObjectEnding.TEXT)
                    .subscribe(result -> {}, thrown -> {
                        if (group.rank() == CULPRIT) {
                            own.complete(thrown);
                        }
                    });
        }
        scene.requireEnded(error.get().getClass());
        assertThat(own).succeedsWithin(LIMIT).isInstanceOfAny(error.get().getClass(), GroupClosedException.class);
    }

    @ParameterizedTest
    @MethodSource("fatalErrors")
    void operatorOfAReduction_thatDies_endsTheWorld(Supplier<Error> error) {
        Scene scene = new Scene();
        for (ProcessGroup group : scene.world) {
            CustomReduction op = CustomReduction.ofIntegers("last", (left, right) -> {
                if (group.rank() == CULPRIT) {
                    throw error.get();
                }
                return right;
            });
            begin(group.named("reduced").reduce(Tensor.of(new long[] {group.rank()}), CULPRIT, op));
        }
        scene.requireEnded(error.get().getClass());
    }

    /** A subscriber that throws as it is given its subscription counts as one that cancels: the call runs on, and gives its tensors back. */
    @Test
    void subscription_thatDies_detachesItsSubscriber() throws InterruptedException {
        List<ProcessGroup> world = world(2);
        Tensor tensor = Tensor.of(new long[] {2});
        CompletableFuture<Outcome> other = begin(world.get(0).allReduce(Tensor.of(new long[] {1}), ReduceOp.SUM));
        CountDownLatch object = new CountDownLatch(1);
        world.get(0)
                .allGatherObject("zero", String.class)
                .doFinally(end -> object.countDown())
                .subscribe(ignored -> {}, ignored -> {});
        NoClassDefFoundError error = new NoClassDefFoundError("io.example.Missing");

        assertThat(catchThrowable(
                        () -> world.get(1).allReduce(tensor, ReduceOp.SUM).subscribe(new Refusing<>(error))))
                .isSameAs(error);
        assertThat(catchThrowable(
                        () -> world.get(1).allGatherObject("one", String.class).subscribe(new Refusing<>(error))))
                .isSameAs(error);

        end(other).work();
        assertThat(object.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        tensor.released().block(LIMIT);
        begin(world.get(0).allReduce(Tensor.of(new long[] {1}), ReduceOp.SUM));
        end(begin(world.get(1).allReduce(tensor, ReduceOp.SUM))).work();
    }

    /** On the program's own thread, where it is thrown on. The receiver must not wait for its deadline. */
    @Tag("smoke")
    @Test
    void sourceOfAStream_thatDiesAsItIsSubscribedTo_failsTheStreamOnBothRanks() {
        List<ProcessGroup> world = world(2);
        CompletableFuture<@Nullable List<Tensor>> received =
                world.get(0).receiveAll(1, 5).collectList().toFuture();
        NoClassDefFoundError error = new NoClassDefFoundError("io.example.Missing");
        CompletableFuture<Throwable> own = new CompletableFuture<>();
        Flux<Tensor> dying = Flux.from(subscriber -> {
            throw error;
        });

        assertThat(catchThrowable(() -> world.get(1).sendAll(dying, 0, 5).subscribe(tensor -> {}, own::complete)))
                .isSameAs(error);

        assertThat(own).succeedsWithin(LIMIT).isSameAs(error);
        assertThat(received)
                .failsWithin(LIMIT)
                .withThrowableThat()
                .havingCause()
                .withMessageContaining("io.example.Missing");
        requireTogether(world);
    }

    @Test
    void subscriptionOfAStream_thatDies_isACancellation() {
        List<ProcessGroup> world = world(2);
        NoClassDefFoundError error = new NoClassDefFoundError("io.example.Missing");
        CompletableFuture<@Nullable List<Tensor>> received =
                world.get(0).receiveAll(1, 5).collectList().toFuture();
        assertThat(catchThrowable(() -> world.get(1)
                        .sendAll(Flux.just(Tensor.of(new byte[1])), 0, 5)
                        .subscribe(new Refusing<>(error))))
                .isSameAs(error);
        assertThat(received)
                .failsWithin(LIMIT)
                .withThrowableThat()
                .havingCause()
                .withMessageContaining("its subscriber cancelled it");

        CompletableFuture<@Nullable List<Tensor>> sent = world.get(0)
                .sendAll(Flux.just(Tensor.of(new byte[1])), 1, 6)
                .collectList()
                .toFuture();
        assertThat(catchThrowable(() -> world.get(1).receiveAll(0, 6).subscribe(new Refusing<>(error))))
                .isSameAs(error);
        assertThat(sent).succeedsWithin(LIMIT);
        requireTogether(world);
    }

    /** A subscriber that throws as it is given its subscription. */
    private static final class Refusing<T> extends BaseSubscriber<T> {

        private final Error error;

        private Refusing(Error error) {
            this.error = error;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            throw error;
        }
    }

    /** A subscriber that throws a fatal error from {@code onComplete}. */
    private static final class DyingAtTheEnd implements CoreSubscriber<Object> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(Object value) {}

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onComplete() {
            throw new OutOfMemoryError("as thrown by the machine");
        }
    }

    /** Those who wait for a tensor are notified on the loop, too. */
    @Test
    void releaseOfATensor_thatDies_endsTheWorld_andNotTheCall() {
        Scene scene = new Scene();
        Tensor tensor = Tensor.allocate(DType.INT8, 1);
        CompletableFuture<Outcome> own = begin(scene.culprit().named("alone").receive(tensor, 2, 3));
        tensor.released().subscribe(new DyingAtTheEnd());
        end(begin(scene.world.get(2).named("alone").send(Tensor.of(new byte[1]), CULPRIT, 3)))
                .work();
        scene.requireEnded(OutOfMemoryError.class);
        end(own).work();
    }

    @Test
    void releaseOfTensorsOfComposites_thatDies_endsTheWorld() {
        Scene scene = new Scene();
        Tensor tensor = Tensor.allocate(DType.INT8, 1);
        scene.culprit()
                .named("alone")
                .composite("borrows")
                .borrowing(List.of(tensor))
                .mono(inside -> scene.meeting())
                .subscribe(work -> {}, error -> {});
        tensor.released().subscribe(new DyingAtTheEnd());
        // The run cannot end before.
        scene.meet();
        scene.requireEnded(OutOfMemoryError.class);
    }

    @Test
    void releaseOfRows_thatDies_endsTheWorld_andTheOthersAreReleased() {
        Scene scene = new Scene();
        List<Tensor> indices =
                Stream.generate(() -> Tensor.of(new long[] {1})).limit(3).toList();
        List<Tensor> values =
                Stream.generate(() -> Tensor.of(new float[] {1}, 1, 1)).limit(3).toList();
        for (int rank = 2; rank >= 0; rank--) {
            SparseTensor rows = new SparseTensor(indices.get(rank), values.get(rank), 3);
            scene.world
                    .get(rank)
                    .named("rows")
                    .sparseAllReduce(rows, ReduceOp.SUM)
                    .subscribe(SparseTensor::close, error -> {});
            if (rank == CULPRIT) {
                indices.get(rank).released().subscribe(new DyingAtTheEnd());
            }
        }
        scene.requireEnded(OutOfMemoryError.class);
        values.get(CULPRIT).released().block(LIMIT);
    }

    /** On the thread of a step's worker. It ends the step, and no rank waits. */
    @Test
    void releaseOfAGradient_thatDies_endsTheStepOnAllRanks_andTheOthersAreReleased() {
        List<ProcessGroup> world = world(2);
        Gradient dying = new Gradient("a", Tensor.of(new float[] {1}));
        Gradient sound = new Gradient("b", Tensor.of(new float[] {1}));
        List<CompletableFuture<Signal<Gradient>>> ends = new ArrayList<>();
        for (ProcessGroup group : world) {
            Sinks.Many<Gradient> handed = Sinks.many().unicast().onBackpressureBuffer();
            ends.add(GradientBuckets.sum(group)
                    .apply(handed.asFlux())
                    .materialize()
                    .last()
                    .toFuture());
            for (Gradient each : List.of(dying, sound)) {
                handed.tryEmitNext(group.rank() == 0 ? new Gradient(each.name(), Tensor.of(new float[] {2})) : each);
            }
            if (group.rank() == CULPRIT) {
                dying.tensor().released().subscribe(new DyingAtTheEnd());
            }
            handed.tryEmitComplete();
        }
        ends.forEach(each -> assertThat(each).succeedsWithin(LIMIT));
        sound.tensor().released().block(LIMIT);
        dying.tensor().released().block(LIMIT);
    }

    @Test
    void endOfAGroup_thatDies_endsTheWorld() {
        Scene scene = new Scene();
        ProcessGroup left = group(scene.world, 0, 1, 2).get(CULPRIT);
        left.ended().subscribe(new DyingAtTheEnd());
        left.close();
        scene.requireEnded(OutOfMemoryError.class);
    }

    /** The world has been left by then. All later steps are done, and other subscribers are notified. */
    @Test
    void endOfTheWorld_thatDies_isNoHindrance() {
        List<ProcessGroup> world = world(2);
        world.get(1).ended().subscribe(new DyingAtTheEnd());
        CompletableFuture<@Nullable Void> other = world.get(1).ended().toFuture();
        CompletableFuture<Outcome> pending = begin(world.get(0).barrier());
        Throwable thrown = catchThrowable(() -> world.get(1).close());
        assertThat(thrown == null || thrown instanceof OutOfMemoryError).isTrue();
        assertThat(other).succeedsWithin(LIMIT);
        end(pending).error(CommException.class);
        assertThat(end(begin(world.get(1).barrier())).error(GroupClosedException.class))
                .isNotNull();
    }

    /** What Reactor alone calls fatal harms nobody else. */
    @Test
    void bubblingError_ofASubscriber_isDropped() {
        List<ProcessGroup> world = world(2);
        begin(world.get(0).barrier());
        world.get(1).barrier().subscribe(new Thrower(() -> new AssertionError("a subscriber's own fault"), "onNext"));
        begin(world.get(0).barrier());
        world.get(1)
                .barrier()
                .doOnNext(work -> {
                    throw Exceptions.bubble(new IllegalStateException("a subscriber's own fault"));
                })
                .subscribe();
        requireTogether(world);
    }
}
