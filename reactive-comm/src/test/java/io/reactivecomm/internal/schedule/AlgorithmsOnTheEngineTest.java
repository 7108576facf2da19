package io.reactivecomm.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.internal.schedule.choice.Offer;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Every algorithm that has others beside it, asked for by name, on the engine: small tensors go eagerly, large ones by grants. */
@Timeout(120)
class AlgorithmsOnTheEngineTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int[] SIZES = {1, 2, 3, 8};
    private static final int[] SIZES_THOROUGHLY = {5, 6, 7, 13};
    private static final int EAGER_COUNT = 7 * 3 * 5 * 8;
    private static final int GRANTED_COUNT = 100 * EAGER_COUNT + 840 * 7;

    static Stream<Offer> offers() {
        return Example.offers().filter(offer -> switch (offer.operation()) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL -> true;
            default -> false;
        });
    }

    @ParameterizedTest
    @MethodSource("offers")
    void algorithm_askedForByName_runsAndIsRight(Offer offer) {
        requireResults(offer, SIZES);
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("offers")
    void algorithm_inMoreSizes_runsAndIsRight(Offer offer) {
        requireResults(offer, SIZES_THOROUGHLY);
    }

    private static void requireResults(Offer offer, int... sizes) {
        for (int size : sizes) {
            try (LocalWorld world = ReactiveComm.local(size)) {
                for (int count : new int[] {0, EAGER_COUNT, GRANTED_COUNT}) {
                    boolean isTooLarge = offer.needs().contains(Offer.Need.EAGER) && count == GRANTED_COUNT && size > 1;
                    if (!isTooLarge) {
                        requireResult(world, offer, size, count);
                    }
                }
            }
        }
    }

    private static void requireResult(LocalWorld world, Offer offer, int size, int count) {
        List<Tensor> inputs = new ArrayList<>();
        List<Tensor> outputs = new ArrayList<>();
        List<Mono<Work>> calls = new ArrayList<>();
        int root = size / 2;
        int share = count / size;
        for (int rank = 0; rank < size; rank++) {
            ProcessGroup group = world.groups().get(rank).algorithm(offer.name());
            Tensor input = tensor(values(rank, offer.operation() == Operation.ALL_GATHER ? share : share * size));
            boolean isInPlace = rank % 2 == 1
                    || switch (offer.operation()) {
                        case INFERENCE_ALL_REDUCE, REDUCE, BROADCAST -> true;
                        default -> false;
                    };
            Tensor output = isInPlace && offer.operation() != Operation.ALL_TO_ALL
                    ? inPlace(offer.operation(), input, rank, share, size)
                    : Tensor.allocate(
                            DType.INT32, offer.operation() == Operation.REDUCE_SCATTER ? share : (long) share * size);
            Tensor contribution = offer.operation() == Operation.ALL_GATHER && isInPlace
                    ? output.slice((long) rank * share, share)
                    : input;
            inputs.add(contribution);
            outputs.add(output);
            calls.add(
                    switch (offer.operation()) {
                        case ALL_REDUCE -> group.allReduce(input, output, ReduceOp.SUM);
                        case INFERENCE_ALL_REDUCE -> group.inferenceAllReduce(output, ReduceOp.SUM);
                        case REDUCE -> group.reduce(output, root, ReduceOp.SUM);
                        case BROADCAST -> group.broadcast(output, root);
                        case ALL_GATHER -> group.allGather(contribution, output);
                        case REDUCE_SCATTER -> group.reduceScatter(input, output, ReduceOp.SUM);
                        default -> group.allToAll(input, output);
                    });
        }
        List<Object> works = Mono.zip(calls, List::of).block(PATIENCE);
        assertThat(works)
                .allSatisfy(work -> assertThat(((Work) work).algorithm()).isEqualTo(offer.name()));
        for (int rank = 0; rank < size; rank++) {
            if (offer.operation() != Operation.REDUCE || rank == root) {
                assertThat(outputs.get(rank).toIntArray())
                        .as("%s on rank %d of %d, count %d", offer.name(), rank, size, count)
                        .isEqualTo(expected(offer.operation(), rank, size, share, root));
            }
        }
    }

    private static Tensor inPlace(Operation operation, Tensor input, int rank, int share, int size) {
        return switch (operation) {
            case ALL_GATHER -> {
                int[] all = new int[share * size];
                System.arraycopy(values(rank, share), 0, all, rank * share, share);
                yield tensor(all);
            }
            case REDUCE_SCATTER -> input.slice((long) rank * share, share);
            default -> input;
        };
    }

    private static Tensor tensor(int[] values) {
        return Tensor.of(values, values.length);
    }

    private static int[] values(int rank, int count) {
        int[] values = new int[count];
        Arrays.setAll(values, i -> (rank + 1) * 1_000_003 + i * 31);
        return values;
    }

    private static int[] expected(Operation operation, int rank, int size, int share, int root) {
        int[] sum = new int[share * size];
        for (int each = 0; each < size; each++) {
            int[] values = values(each, share * size);
            Arrays.setAll(sum, i -> sum[i] + values[i]);
        }
        int[] parts = new int[share * size];
        for (int each = 0; each < size; each++) {
            int from = operation == Operation.ALL_TO_ALL ? rank * share : 0;
            System.arraycopy(values(each, share * size), from, parts, each * share, share);
        }
        return switch (operation) {
            case BROADCAST -> values(root, share * size);
            case REDUCE_SCATTER -> Arrays.copyOfRange(sum, rank * share, (rank + 1) * share);
            case ALL_GATHER, ALL_TO_ALL -> parts;
            default -> sum;
        };
    }

    /** A ring brackets a sum of half-precision numbers otherwise, in full precision all the way: its bits are the same on all ranks. */
    @ParameterizedTest
    @ValueSource(strings = {"ring", "recursive-doubling"})
    void reassociatedSum_hasTheSameBitsOnAllRanks_andRoundsOnce(String algorithm) {
        int size = 5;
        int count = 50_000;
        try (LocalWorld world = ReactiveComm.local(size)) {
            List<Tensor> tensors = new ArrayList<>();
            List<Mono<Work>> calls = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                Tensor tensor = Tensor.allocate(DType.FLOAT16, count);
                for (int i = 0; i < count; i++) {
                    // 2048 + 1 needs twelve bits: a fold that rounded each step would lose the ones.
                    short bits = Float.floatToFloat16(rank == 0 ? 2048 : 1);
                    tensor.segment().setAtIndex(ValueLayout.JAVA_SHORT, i, bits);
                }
                tensors.add(tensor);
                calls.add(world.groups().get(rank).algorithm(algorithm).allReduce(tensor, ReduceOp.SUM));
            }
            Mono.when(calls).block(PATIENCE);
            tensors.forEach(tensor -> assertThat(tensor.toFloatArray()).containsOnly(2052));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bruck", "no-such"})
    void algorithm_ofAnotherOperation_isRefusedWithWhatThereIs(String name) {
        try (LocalWorld world = ReactiveComm.local(1)) {
            ProcessGroup group = world.groups().getFirst();
            assertThatThrownBy(() -> group.algorithm(name)
                            .allReduce(tensor(new int[3]), ReduceOp.SUM)
                            .block(PATIENCE))
                    .isInstanceOf(UnsupportedCollectiveException.class)
                    .hasMessageContaining("algorithm=" + name)
                    .hasMessageContaining("choose rank-order-direct or gather-fold or staged-gather-fold");
        }
    }
}
