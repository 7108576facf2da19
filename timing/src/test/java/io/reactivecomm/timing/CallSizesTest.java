package io.reactivecomm.timing;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The size of a call is nccl-tests', on every rank. */
class CallSizesTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int RANKS = 4;
    private static final int ROOT = 2;
    /** The elements of one rank's part. */
    private static final int PART = 1000;

    private static final long WHOLE_BYTES = (long) RANKS * PART * Float.BYTES;

    private static Tensor part() {
        return Tensor.allocate(DType.FLOAT32, PART);
    }

    private static Tensor whole() {
        return Tensor.allocate(DType.FLOAT32, (long) RANKS * PART);
    }

    private static List<Tensor> parts() {
        return IntStream.range(0, RANKS).mapToObj(rank -> part()).toList();
    }

    /** Parts of 1, 2, 3 and 4 times a tenth of all elements. */
    private static Tensor ragged(int rank) {
        return Tensor.allocate(DType.FLOAT32, (rank + 1L) * RANKS * PART / 10);
    }

    private static List<Tensor> raggedParts() {
        return IntStream.range(0, RANKS).mapToObj(CallSizesTest::ragged).toList();
    }

    private static boolean isRoot(ProcessGroup group) {
        return group.rank() == ROOT;
    }

    private enum Form {
        ALL_REDUCE(group -> group.allReduce(whole(), ReduceOp.SUM)),
        ALL_REDUCE_OUT_OF_PLACE(group -> group.allReduce(whole(), whole(), ReduceOp.SUM)),
        ALL_REDUCE_COALESCED(group -> group.allReduceCoalesced(parts(), ReduceOp.SUM)),
        INFERENCE_ALL_REDUCE(group -> group.inferenceAllReduce(whole(), ReduceOp.SUM)),
        REDUCE(group -> group.reduce(whole(), ROOT, ReduceOp.SUM)),
        BROADCAST(group -> group.broadcast(whole(), ROOT)),
        ALL_GATHER(group -> group.allGather(part(), whole())),
        ALL_GATHER_LIST(group -> group.allGather(part(), parts())),
        ALL_GATHER_RAGGED(group -> group.allGather(ragged(group.rank()), raggedParts())),
        ALL_GATHER_COALESCED(group -> group.allGatherCoalesced(
                List.of(Tensor.allocate(DType.FLOAT32, PART / 2), Tensor.allocate(DType.FLOAT32, PART / 2)),
                List.of(Tensor.allocate(DType.FLOAT32, 2L * PART), Tensor.allocate(DType.FLOAT32, 2L * PART)))),
        REDUCE_SCATTER(group -> group.reduceScatter(whole(), part(), ReduceOp.SUM)),
        REDUCE_SCATTER_LIST(group -> group.reduceScatter(parts(), part(), ReduceOp.SUM)),
        REDUCE_SCATTER_RAGGED(group -> group.reduceScatter(raggedParts(), ragged(group.rank()), ReduceOp.SUM)),
        ALL_TO_ALL(group -> group.allToAll(whole(), whole())),
        ALL_TO_ALL_LIST(group -> group.allToAll(parts(), parts())),
        GATHER(group -> group.gather(part(), isRoot(group) ? parts() : List.of(), ROOT)),
        SCATTER(group -> group.scatter(isRoot(group) ? parts() : List.of(), part(), ROOT)),
        COALESCED_GATHER(
                group -> group.coalesce(scope -> scope.gather(part(), isRoot(group) ? parts() : List.of(), ROOT))),
        COALESCED_SCATTER(
                group -> group.coalesce(scope -> scope.scatter(isRoot(group) ? parts() : List.of(), part(), ROOT)));

        private final Function<ProcessGroup, Mono<Work>> call;

        Form(Function<ProcessGroup, Mono<Work>> call) {
            this.call = call;
        }
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void byteSize_isTheWholeArrays_onEveryRank(Form form) {
        try (LocalWorld world = ReactiveComm.local(RANKS)) {
            List<Long> sizes = Flux.fromIterable(world.groups())
                    .flatMap(form.call)
                    .map(Work::byteSize)
                    .collectList()
                    .block(LIMIT);
            assertThat(sizes).hasSize(RANKS).containsOnly(WHOLE_BYTES);
        }
    }

    /** Ranks off the root do not know the lengths of others. */
    @Test
    void byteSize_ofARaggedGather_isAllPartsOnTheRoot() {
        try (LocalWorld world = ReactiveComm.local(RANKS)) {
            List<Long> sizes = Flux.fromIterable(world.groups())
                    .flatMapSequential(group ->
                            group.gather(ragged(group.rank()), isRoot(group) ? raggedParts() : List.of(), ROOT))
                    .map(Work::byteSize)
                    .collectList()
                    .block(LIMIT);
            assertThat(sizes)
                    .containsExactly(
                            WHOLE_BYTES * RANKS / 10,
                            WHOLE_BYTES * RANKS * 2 / 10,
                            WHOLE_BYTES,
                            WHOLE_BYTES * RANKS * 4 / 10);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Form.class,
            names = {"GATHER", "SCATTER"})
    void stragglers_compareAllRanks(Form form) {
        try (LocalWorld world = ReactiveComm.local(RANKS)) {
            List<CommsLogger> loggers = new ArrayList<>();
            for (ProcessGroup group : world.groups()) {
                CommsLogger logger = CommsLogger.of(CommsLoggerOptions.DEFAULT);
                group.observe(logger);
                loggers.add(logger);
            }
            Flux.fromIterable(world.groups()).flatMap(form.call).blockLast(LIMIT);
            Stragglers found = Flux.fromIterable(world.groups())
                    .flatMap(group -> loggers.get(group.rank()).stragglers(group))
                    .blockFirst(LIMIT);
            assertThat(found.rows()).singleElement().satisfies(row -> {
                assertThat(row.kind().byteSize()).isEqualTo(WHOLE_BYTES);
                assertThat(row.shares())
                        .hasSize(RANKS)
                        .allSatisfy(share -> assertThat(share.count()).isEqualTo(1));
            });
        }
    }
}
