package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/** {@link PreMulSum} and {@link CustomReduction}, by themselves and on all ranks of a world. */
@Timeout(60)
class CallersReductionsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** {@return how each rank's all-reduce in place ended, in rank order} */
    private static List<Signal<Work>> allReduce(LocalWorld world, List<Tensor> tensors, Reduction op) {
        return allReduce(world, tensors, rank -> op);
    }

    private static List<Signal<Work>> allReduce(LocalWorld world, List<Tensor> tensors, IntFunction<Reduction> ops) {
        List<Mono<Signal<Work>>> calls = new ArrayList<>();
        for (int rank = 0; rank < tensors.size(); rank++) {
            calls.add(world.groups()
                    .get(rank)
                    .allReduce(tensors.get(rank), ops.apply(rank))
                    .materialize());
        }
        return Mono.zip(
                        calls,
                        ends -> IntStream.range(0, ends.length)
                                .mapToObj(i -> CallersReductionsTest.signal(ends[i]))
                                .toList())
                .block(PATIENCE);
    }

    @SuppressWarnings("unchecked")
    private static Signal<Work> signal(Object end) {
        return (Signal<Work>) end;
    }

    @Test
    void supports_byTypeOfTheOperator() {
        CustomReduction floats = CustomReduction.ofFloats("f", Math::hypot);
        CustomReduction integers = CustomReduction.ofIntegers("i", Math::floorMod);
        for (DType type : DType.values()) {
            assertThat(floats.supports(type)).isEqualTo(type.family() == DType.Family.FLOAT);
            assertThat(new PreMulSum(2).supports(type)).isEqualTo(type.family() == DType.Family.FLOAT);
            assertThat(integers.supports(type)).isEqualTo(type.isInteger());
        }
        assertThat(floats.label()).isEqualTo("custom(f)");
        assertThat(new PreMulSum(0.5).label()).isEqualTo("PREMUL_SUM(0.5)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CustomReduction.ofFloats("é".repeat(101), Double::sum))
                .withMessageContaining("bytes=202");
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 40_000})
    void customReduction_foldsInRankOrder(int count) {
        try (LocalWorld world = ReactiveComm.local(4)) {
            List<Tensor> tensors = filled(4, count);
            assertThat(allReduce(world, tensors, CustomReduction.ofFloats("10a+b", (a, b) -> 10 * a + b)))
                    .allMatch(Signal::isOnNext);
            assertThat(tensors)
                    .allSatisfy(tensor -> assertThat(tensor.toFloatArray()).containsOnly(1234));
            tensors.forEach(Tensor::close);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 40_000})
    void preMulSum_multipliesEachElementOnce(int count) {
        try (LocalWorld world = ReactiveComm.local(4)) {
            for (String algorithm : List.of("", "ring", "recursive-doubling")) {
                List<Tensor> tensors = filled(4, count);
                List<Mono<Work>> calls = new ArrayList<>();
                for (int rank = 0; rank < 4; rank++) {
                    calls.add(world.groups()
                            .get(rank)
                            .algorithm(algorithm)
                            .allReduce(tensors.get(rank), new PreMulSum(3)));
                }
                Mono.when(calls).block(PATIENCE);
                assertThat(tensors)
                        .allSatisfy(tensor -> assertThat(tensor.toFloatArray()).containsOnly(30));
                tensors.forEach(Tensor::close);
            }
        }
    }

    /** Small tensors arrive with the openings, large ones in pieces: the operator throws in one event or the other. */
    @ParameterizedTest
    @ValueSource(ints = {3, 40_000})
    void operatorThatThrows_failsTheCallOnAllRanks_andNothingElse(int count) {
        try (LocalWorld world = ReactiveComm.local(3)) {
            CustomReduction faulty = CustomReduction.ofFloats("faulty", (a, b) -> {
                throw new ArithmeticException("no sum");
            });
            List<Tensor> tensors = filled(3, count);

            List<Signal<Work>> ends = allReduce(world, tensors, faulty);

            assertThat(ends)
                    .allSatisfy(
                            end -> assertThat(end.getThrowable())
                                    .isInstanceOf(InvalidCallException.class)
                                    .hasMessageStartingWith("all-reduce failed: rank=")
                                    .hasMessageContaining(
                                            "a reduction's operator threw: op=custom(faulty), cause=java.lang.ArithmeticException: no sum;"));
            tensors.forEach(tensor -> tensor.released().block(PATIENCE));
            List<Tensor> others = filled(3, count);
            assertThat(allReduce(world, others, ReduceOp.SUM)).allMatch(Signal::isOnNext);
            assertThat(others)
                    .allSatisfy(tensor -> assertThat(tensor.toFloatArray()).containsOnly(6));
            others.forEach(Tensor::close);
            tensors.forEach(Tensor::close);
        }
    }

    @Test
    void operatorThatThrowsOnOneRankOnly_failsTheOthersToo() {
        try (LocalWorld world = ReactiveComm.local(3)) {
            List<Tensor> tensors = filled(3, 100_000);
            List<Signal<Work>> ends = allReduce(
                    world,
                    tensors,
                    rank -> CustomReduction.ofFloats("sum", (a, b) -> {
                        if (rank == 1) {
                            throw new IllegalStateException("only here");
                        }
                        return a + b;
                    }));
            assertThat(ends)
                    .allSatisfy(end -> assertThat(end.getThrowable())
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContaining("rank=1"));
            tensors.forEach(Tensor::close);
        }
    }

    /** {@return for rank r a tensor of r + 1} */
    private static List<Tensor> filled(int ranks, int count) {
        List<Tensor> tensors = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            float[] values = new float[count];
            Arrays.fill(values, rank + 1);
            tensors.add(Tensor.of(values, count));
        }
        return tensors;
    }
}
