package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.Dimension;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Device;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Nothing where something is needed is said at once, in words, where it was given: a step or a call would fail far from there, or wait. */
@SuppressWarnings("NullAway")
class LocalNullTest {

    private static Named<Consumer<ProcessGroup>> what(String name, Consumer<ProcessGroup> call) {
        return Named.of(name, call);
    }

    static Stream<Named<Consumer<ProcessGroup>>> nulls() {
        return Stream.of(
                what("named", group -> group.named(null)),
                what("timeout", group -> group.timeout(null)),
                what("algorithm", group -> group.algorithm(null)),
                what("monitoredBarrier", group -> group.monitoredBarrier(null, true)),
                what("newGroup", group -> group.newGroup((int[]) null)),
                what("composite", group -> group.composite(null)),
                what("borrowing", group -> group.composite("step").borrowing(null)),
                what("borrowing of", group -> group.composite("step").borrowing(Arrays.asList((Tensor) null))),
                what("body", group -> group.composite("step").mono(null)),
                what("body of many", group -> group.composite("step").flux(null)),
                what("mesh", group -> group.mesh((Dimension[]) null)),
                what("type", group -> group.allocate((DType) null, 2)),
                what("shape", group -> group.allocate(DType.FLOAT32, (long[]) null)),
                what("type on a device", group -> group.allocate(Device.CPU, null, 2)),
                what("shape on a device", group -> group.allocate(Device.CPU, DType.FLOAT32, (long[]) null)),
                what("type of a tensor", group -> Tensor.allocate((DType) null, 2)),
                what("shape of a tensor", group -> Tensor.allocate(DType.FLOAT32, (long[]) null)),
                what("batch", group -> group.batch(null)),
                what("batch of", group -> group.batch(Arrays.<Mono<Work>>asList(group.barrier(), null))),
                what("hook's group", group -> ParallelHooks.dataParallel(null)),
                what("hook's reduction", group -> ParallelHooks.dataParallel(group, null)),
                what("register", group -> new GradientHooks().register(null)),
                what("buckets' group", group -> GradientBuckets.average(null)),
                what("buckets' options", group -> GradientBuckets.of(group, null)),
                what("scaling", group -> BucketOptions.DEFAULT.withScaling(null)),
                what("order", group -> BucketOptions.DEFAULT.withOrder(null)));
    }

    @ParameterizedTest
    @MethodSource("nulls")
    void nothing_isRefusedAtOnce_inWords(Consumer<ProcessGroup> call) {
        try (LocalWorld world = ReactiveComm.local(1, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT))) {
            List<ProcessGroup> groups = world.groups();
            assertThatNullPointerException()
                    .isThrownBy(() -> call.accept(groups.getFirst()))
                    .withMessageMatching("[a-z].*; (give|leave) .*");
        }
    }

    /** {@return the errors of what each of two ranks does, long before any deadline} */
    private static List<Throwable> errors(Function<ProcessGroup, Publisher<?>> calls) {
        try (LocalWorld world = ReactiveComm.local(2, CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT))) {
            return Flux.fromIterable(world.groups())
                    .flatMapSequential(group -> Flux.from(calls.apply(group))
                            .then(Mono.<Throwable>just(new AssertionError("completed")))
                            .onErrorResume(Mono::just))
                    .collectList()
                    .block(Duration.ofSeconds(30));
        }
    }

    /** It has taken its place: the others wait for it. */
    @Test
    void noScope_isRefusedOnAllRanks() {
        try (Tensor tensor = Tensor.of(new int[] {1})) {
            assertThat(errors(group -> group.coalesce(group.rank() == 0 ? null : scope -> scope.broadcast(tensor, 0))))
                    .hasSize(2)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContaining("calls=null; pass"));
        }
    }

    @Test
    void noDimension_isRefusedOnAllRanks() {
        assertThat(errors(group ->
                        group.mesh(group.rank() == 0 ? null : new Dimension("all", 2), new Dimension("one", 1))))
                .hasSize(2)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("null"));
    }

    @Test
    void noStream_isHeardByItsReceiver() {
        List<Throwable> errors =
                errors(group -> group.rank() == 0 ? group.sendAll(null, 1, 0) : group.receiveAll(0, 0));
        assertThat(errors.getFirst())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("tensors=null; pass");
        assertThat(errors.getLast()).isInstanceOf(CommException.class).hasMessageContaining("tensors=null; pass");
    }
}
