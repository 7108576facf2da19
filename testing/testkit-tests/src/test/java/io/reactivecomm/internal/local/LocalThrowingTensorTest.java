package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.observe.CommObserver;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.scheduler.Schedulers;

/** Calls of a tensor of the program's own that throws. They fail, whatever it throws, and no other rank waits for them. */
class LocalThrowingTensorTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** More than a call asks any method of a tensor; the test sees when it is not asked so often. */
    private static final int MOST_CALLS = 40;

    private static LocalWorld world(String backend) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return ReactiveComm.local(2, settings.withBackend(backend));
    }

    private static LocalWorld observedWorld() {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return ReactiveComm.local(2, settings.withObserver(new CommObserver() {}));
    }

    /** A call that two ranks make together. */
    private interface Call extends BiFunction<ProcessGroup, Tensor, Mono<Work>> {}

    private static Mono<Work> sum(ProcessGroup group, Tensor tensor) {
        return group.allReduce(tensor, ReduceOp.SUM);
    }

    private static Mono<Work> message(ProcessGroup group, Tensor tensor) {
        return group.rank() == 0 ? group.receive(tensor, 1, 0) : group.send(tensor, 0, 0);
    }

    private static List<Signal<Work>> ends(LocalWorld world, Tensor throwing, Tensor sound, Call call) {
        CompletableFuture<Signal<Work>> waiting =
                call.apply(world.groups().getFirst(), sound).materialize().toFuture();
        Signal<Work> culprit =
                call.apply(world.groups().getLast(), throwing).materialize().block(LIMIT);
        return List.of(culprit, Mono.fromFuture(waiting).block(LIMIT));
    }

    private static Tensor one() {
        return Tensor.of(new float[] {1});
    }

    static Stream<Throwable> thrown() {
        return Stream.of(
                new IllegalStateException("planted"),
                new UnsupportedCollectiveException("planted"),
                new IOException("planted"),
                new InternalError("planted"),
                new OutOfMemoryError("planted"),
                new Error("planted"));
    }

    static Stream<Arguments> places() {
        return thrown().flatMap(each -> Arrays.stream(ThrowingTensor.Place.values())
                .flatMap(place -> Stream.of("links", "strict").map(backend -> Arguments.of(each, place, backend))));
    }

    private static void requireFailed(List<Signal<Work>> ends) {
        assertThat(ends)
                .allSatisfy(end -> assertThat(end.getThrowable())
                        .isInstanceOfAny(InvalidCallException.class, UnsupportedCollectiveException.class)
                        .hasMessageContaining("planted")
                        .hasMessageNotContaining("a page of a tensor's memory is gone"));
    }

    @ParameterizedTest
    @MethodSource("places")
    void tensorThatThrows_failsTheCallOnAll(Throwable planted, ThrowingTensor.Place place, String backend) {
        try (LocalWorld world = world(backend);
                Tensor tensor = one();
                Tensor sound = one()) {
            Tensor throwing = new ThrowingTensor(tensor, planted, place);
            requireFailed(ends(world, throwing, sound, LocalThrowingTensorTest::sum));
            requireFailed(ends(world, throwing, sound, LocalThrowingTensorTest::message));
        }
    }

    /** No thread of the library's: an error there ends nothing, so the call has to fail. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tensorThatDies_onAThreadThatMustNotBlock_failsTheCallOnAll(boolean isAssembled) {
        try (LocalWorld world = world("links");
                Tensor tensor = one();
                Tensor sound = one()) {
            Tensor throwing = isAssembled
                    ? throwingAt("type", 1, tensor, new AtomicInteger())
                    : ThrowingTensor.borrowed(tensor, new OutOfMemoryError("planted"));
            requireFailed(ends(
                    world,
                    throwing,
                    sound,
                    (group, each) -> Mono.defer(() -> sum(group, each)).subscribeOn(Schedulers.parallel())));
        }
    }

    @Test
    void tensorThatDies_onItsRanksLoop_endsTheWorld() {
        try (LocalWorld world = world("links");
                Tensor tensor = one()) {
            Tensor throwing = ThrowingTensor.borrowed(tensor, new OutOfMemoryError("planted"));
            Flux.fromIterable(world.groups()).flatMap(ProcessGroup::barrier).blockLast(LIMIT);
            CompletableFuture<Work> met = world.groups().getFirst().barrier().toFuture();
            world.groups()
                    .getLast()
                    .barrier()
                    .flatMap(work -> sum(world.groups().getLast(), throwing))
                    .subscribe(ignored -> {}, ignored -> {});
            Mono.fromFuture(met).onErrorComplete().block(LIMIT);
            assertThatThrownBy(() -> world.groups().getFirst().ended().block(LIMIT))
                    .hasMessageContaining("fatal error on rank 1: java.lang.OutOfMemoryError");
        }
    }

    private static Stream<String> methods() {
        return Arrays.stream(Tensor.class.getMethods())
                .filter(each -> !each.isBridge() && !Modifier.isStatic(each.getModifiers()))
                .map(Method::getName)
                .distinct()
                .sorted();
    }

    /** {@return a tensor of which a method dies when it is called for the n-th time} */
    private static Tensor throwingAt(String name, int call, Tensor tensor, AtomicInteger calls) {
        return (Tensor) Proxy.newProxyInstance(
                Tensor.class.getClassLoader(), new Class<?>[] {Tensor.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(name) && calls.incrementAndGet() == call) {
                        throw new OutOfMemoryError("planted");
                    }
                    try {
                        return method.invoke(tensor, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    static Stream<Arguments> methodsAndBackends() {
        return methods().flatMap(method -> Stream.of("links", "strict").map(each -> Arguments.of(method, each)));
    }

    /** Wherever that is: on the program's thread the call fails, and on the loop the world ends. */
    @ParameterizedTest
    @MethodSource("methodsAndBackends")
    void tensorThatDiesAtAnyMoment_leavesNobodyWaiting(String method, String backend) {
        requireNobodyWaits(method, () -> world(backend), LocalThrowingTensorTest::sum);
    }

    @ParameterizedTest
    @CsvSource({"type", "count", "byteSize", "shape", "device"})
    void tensorThatDiesWhenItsCallIsDescribed_leavesNobodyWaiting(String method) {
        requireNobodyWaits(method, LocalThrowingTensorTest::observedWorld, LocalThrowingTensorTest::sum);
        requireNobodyWaits(method, LocalThrowingTensorTest::observedWorld, LocalThrowingTensorTest::message);
    }

    private static void requireNobodyWaits(String method, Supplier<LocalWorld> worlds, Call call) {
        List<Integer> asked = new ArrayList<>();
        boolean isReached = true;
        for (int n = 1; isReached && n <= MOST_CALLS; n++) {
            AtomicInteger calls = new AtomicInteger();
            try (Tensor tensor = one();
                    Tensor sound = one();
                    LocalWorld world = worlds.get()) {
                assertThat(ends(world, throwingAt(method, n, tensor, calls), sound, call))
                        .hasSize(2);
            }
            isReached = calls.get() >= n;
            asked.add(calls.get());
        }
        assertThat(isReached).as("calls of %s: %s", method, asked).isFalse();
    }
}
