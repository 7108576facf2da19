package io.reactivecomm.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.device.FakeHome;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** Calls of one tensor that are in flight together, which a device does one behind the other. */
class OrderedCallsTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static List<Tensor> tensors() {
        return List.of(1f, 2f).stream()
                .map(value -> FakeHome.ONE.take(Tensor.of(new float[] {value, value}), FakeHome.ONE.device(0)))
                .toList();
    }

    private static Mono<Work> sum(ProcessGroup group, String name, Tensor tensor) {
        return group.named(name).allReduce(tensor, ReduceOp.SUM);
    }

    private static <T> List<Signal<T>> ends(LocalWorld world, Function<ProcessGroup, Mono<T>> calls) {
        return Flux.fromIterable(world.groups())
                .flatMapSequential(group -> calls.apply(group).materialize())
                .collectList()
                .block(LIMIT);
    }

    @Test
    void twoAllReducesOfATensor_inOppositeOrders_areDoneOneBehindTheOther() {
        List<Tensor> tensors = tensors();
        for (Function<ProcessGroup, ProcessGroup> form :
                List.<Function<ProcessGroup, ProcessGroup>>of(group -> group, ProcessGroup::enqueued)) {
            try (LocalWorld world = FakeWorlds.world(2)) {
                assertThat(ends(world, group -> {
                            Tensor tensor = tensors.get(group.rank());
                            Mono<Work> a = sum(form.apply(group), "a", tensor);
                            Mono<Work> b = sum(form.apply(group), "b", tensor);
                            return group.rank() == 0 ? Mono.when(a, b) : Mono.when(b, a);
                        }))
                        .allSatisfy(end -> assertThat(end.getThrowable()).isNull());
                assertThat(tensors.get(0).toFloatArray())
                        .isEqualTo(tensors.get(1).toFloatArray());
            }
        }
        // 3, 6, 12, 24
        assertThat(tensors.get(0).toFloatArray()).containsExactly(24, 24);
        tensors.forEach(Tensor::close);
    }

    /** Its calls follow each other with code of the host between them. */
    @Test
    void compositeThatClaims_isNotOrderedByTheDevice() {
        List<Tensor> tensors = tensors();
        try (LocalWorld world = FakeWorlds.world(2)) {
            assertThat(ends(world, group -> {
                        Tensor tensor = tensors.get(group.rank());
                        return group.composite("claims")
                                .claiming(List.of(), List.of(tensor))
                                .mono(inside -> sum(group, "other", tensor));
                    }))
                    .allSatisfy(end -> assertThat(end.getThrowable())
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContaining("other=claims #0"));
        }
        tensors.forEach(Tensor::close);
    }
}
