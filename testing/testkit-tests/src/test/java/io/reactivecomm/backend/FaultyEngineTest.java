package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.backend.FaultyProvider.Place;
import io.reactivecomm.device.Handle;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** Engines and tensors that throw: the call fails on its ranks, and the error says whose fault that is. */
class FaultyEngineTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @AfterEach
    void mend() {
        FaultyProvider.place = Place.NOWHERE;
        FaultyProvider.handle = Handle.DONE;
    }

    private static LocalWorld world(int size) {
        CommConfig settings = CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT);
        return ReactiveComm.local(size, settings.withBackend("cpu:faulty"));
    }

    static Stream<Throwable> thrown() {
        return Stream.of(
                new IllegalStateException("planted"),
                new IOException("planted"),
                new NoClassDefFoundError("planted"),
                new AssertionError("planted"),
                new StackOverflowError("planted"));
    }

    static Stream<Arguments> faults() {
        return thrown().flatMap(each -> Stream.of(Place.REFUSAL, Place.CHECK, Place.SUBMIT, Place.COMPLETED)
                .map(place -> Arguments.of(each, place)));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void engineThatThrows_failsTheCall_andNoLaterOne(Throwable thrown, Place place) {
        FaultyProvider.handle = new FaultyProvider.Over();
        try (LocalWorld world = world(1);
                Tensor tensor = Tensor.of(new float[1])) {
            ProcessGroup group = world.groups().getFirst().enqueued();
            FaultyProvider.thrown = thrown;
            FaultyProvider.place = place;
            assertThatThrownBy(() -> group.allReduce(tensor, ReduceOp.SUM).block(LIMIT))
                    .isInstanceOf(CommException.class)
                    .hasMessageContainingAll("engine=faulty", place == Place.COMPLETED ? "handle" : "planted");
            FaultyProvider.place = Place.NOWHERE;
            tensor.released().block(LIMIT);
            assertThat(group.allReduce(tensor, ReduceOp.SUM).block(LIMIT)).isNotNull();
        }
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void engineThatThrowsWhenACallIsRefused_keepsNoRankWaiting(Throwable thrown) {
        try (LocalWorld world = world(2);
                Tensor closed = Tensor.of(new float[1])) {
            closed.close();
            FaultyProvider.thrown = thrown;
            FaultyProvider.place = Place.REFUSED;
            Mono<Signal<Work>> other = world.groups()
                    .getFirst()
                    .broadcast(Tensor.of(new float[1]), 0)
                    .materialize()
                    .cache();
            other.subscribe();
            assertThatThrownBy(
                            () -> world.groups().getLast().broadcast(closed, 0).block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("closed");
            assertThat(other.block(LIMIT)).isNotNull();
        }
    }

    /** Its memory stays borrowed: it is not known who touches it. */
    @Test
    void handleWhoseReleaseThrowsACheckedException_keepsTheTensor_andTheCallSucceeds() {
        FaultyProvider.handle = new FaultyProvider.Over();
        FaultyProvider.thrown = new IOException("planted");
        FaultyProvider.place = Place.RELEASED;
        try (LocalWorld world = world(1)) {
            Tensor tensor = Tensor.of(new float[1]);
            assertThat(world.groups()
                            .getFirst()
                            .enqueued()
                            .allReduce(tensor, ReduceOp.SUM)
                            .block(LIMIT))
                    .isNotNull();
            assertThat(tensor.released().toFuture()).isNotDone();
        }
    }

    static Stream<Supplier<@Nullable Mono<Void>>> handles() {
        return Stream.of(() -> null, () -> {
            throw new IllegalStateException("planted");
        });
    }

    @ParameterizedTest
    @MethodSource("handles")
    void handleThatDoesNotSayWhenItEnds_isAFaultOfTheEngine(Supplier<Mono<Void>> completed) {
        FaultyProvider.handle = new Handle() {

            @Override
            public Mono<Void> completed() {
                return completed.get();
            }

            @Override
            public Mono<Void> released() {
                return Mono.empty();
            }
        };
        try (LocalWorld world = world(1);
                Tensor tensor = Tensor.of(new float[1])) {
            assertThatThrownBy(() -> world.groups()
                            .getFirst()
                            .enqueued()
                            .allReduce(tensor, ReduceOp.SUM)
                            .block(LIMIT))
                    .isInstanceOf(CommException.class)
                    .hasMessageContainingAll("its handle cannot be waited for", "the engine has a fault");
        }
    }

    /** It is the program's own. */
    @ParameterizedTest
    @ValueSource(strings = {"readiness", "enqueued"})
    void tensorThatThrows_isNoFaultOfTheEngine(String method) {
        FaultyProvider.handle = method.equals("enqueued") ? new FaultyProvider.Over() : Handle.DONE;
        try (LocalWorld world = world(1);
                Tensor tensor = Tensor.of(new float[1])) {
            Tensor throwing = throwing(tensor, method);
            assertThatThrownBy(() -> world.groups()
                            .getFirst()
                            .enqueued()
                            .allReduce(throwing, ReduceOp.SUM)
                            .block(LIMIT))
                    .isInstanceOf(CommException.class)
                    .hasMessageContainingAll("one of its tensors threw", "planted")
                    .hasMessageNotContaining("the engine has a fault");
        }
    }

    /** The results are there by then, and failures of earlier writes are cleared. */
    @Test
    void tensorThatThrowsAsTheResultIsThere_isNoFaultOfTheEngine() {
        try (LocalWorld world = world(1);
                Tensor input = Tensor.of(new float[1]);
                Tensor output = Tensor.of(new float[1])) {
            Tensor throwing = throwing(output, "readiness");
            assertThatThrownBy(() -> world.groups()
                            .getFirst()
                            .allReduce(input, throwing, ReduceOp.SUM)
                            .block(LIMIT))
                    .isInstanceOf(CommException.class)
                    .hasMessageContainingAll("one of its tensors threw", "planted")
                    .hasMessageNotContaining("the engine has a fault");
        }
    }

    private static Tensor throwing(Tensor tensor, String name) {
        return (Tensor) Proxy.newProxyInstance(
                Tensor.class.getClassLoader(), new Class<?>[] {Tensor.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        throw new IllegalStateException("planted");
                    }
                    try {
                        return method.invoke(tensor, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
