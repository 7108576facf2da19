package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.LeakCheck;
import io.reactivecomm.testkit.NativeHeap;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Many and large calls in flight: nothing waits for what it does not need, and nothing is kept that nobody has asked for. */
public abstract class FlowContract extends WorldContract {

    private static final long FOUR_MEBIBYTES_OF_FLOATS = 1 << 20;

    /** Elements of a tensor that would be seen if it were buffered: 128 MiB. */
    private static final long HUGE_COUNT = 32 << 20;

    /** More than a window and the staging of some folds take, and much less than a huge tensor. */
    private static final long KEPT_BYTES = 32 << 20;

    final LongStream seeds() {
        return Depth.isWhole() ? LongStream.rangeClosed(1, 4) : LongStream.of(1);
    }

    /**
     * Each rank subscribes to 64 named calls in an order of its own. Eight of them at a time share memory and data, so that half a gigabyte
     * is enough: a rank's own loop is the only one that writes there.
     */
    @Tag("smoke")
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void allReduces_64LargeOnesEachRankInAnOrderOfItsOwn_complete(long seed) {
        int size = 8;
        List<ProcessGroup> groups = world(size);
        Random random = new Random(seed);
        long count = FOUR_MEBIBYTES_OF_FLOATS / (Depth.isWhole() ? 4 : 16);
        CollectiveCase large = new CollectiveCase(Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, count, 0, true);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<CaseRun> runs = IntStream.range(0, 64)
                    .mapToObj(i -> new CaseRun(large, size, i, memory))
                    .toList();
            List<List<Mono<Work>>> calls = groups.stream()
                    .map(group -> IntStream.range(0, 64)
                            .mapToObj(i -> runs.get(i).assemble(group.named("layer-" + i)))
                            .toList())
                    .toList();
            allShuffled(calls, random);
            runs.forEach(CaseRun::verify);
        }
    }

    @Test
    void calls_thatThePeerHasNotBegun_holdUpNothingAndAreNotBuffered() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Tensor huge = memory.input(DType.FLOAT32, HUGE_COUNT, 1, 0);
            Tensor hugeToo = memory.tensor(DType.FLOAT32, HUGE_COUNT);
            long before = NativeHeap.usedBytes();
            CompletableFuture<Outcome> broadcast =
                    begin(groups.get(0).named("huge").broadcast(huge, 0));
            CompletableFuture<Outcome> send = begin(groups.get(0).send(huge, 1, 0));

            for (int i = 0; i < 5; i++) {
                CaseRun run = new CaseRun(
                        new CollectiveCase(
                                Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, FOUR_MEBIBYTES_OF_FLOATS, 0, true),
                        2,
                        i,
                        memory);
                before += 2 * 4 * FOUR_MEBIBYTES_OF_FLOATS;
                all(groups, run::assemble);
                run.verify();
            }

            assertThat(broadcast).isNotDone();
            assertThat(send).isNotDone();
            LeakCheck.requireNativeBytes("bytes in use while a peer has not begun two calls", before + KEPT_BYTES);
            end(begin(groups.get(1).named("huge").broadcast(hugeToo, 0))).work();
            end(begin(groups.get(1).receive(hugeToo, 0, 0))).work();
            end(broadcast).work();
            end(send).work();
            assertThat(hugeToo.segment().mismatch(huge.segment())).isEqualTo(-1);
        }
    }

    /** More than may be announced to a peer that has not begun them, on both ends, the last first on one of them. */
    @Test
    void calls_thousandsInOppositeOrders_complete() {
        List<ProcessGroup> groups = world(2);
        int many = 1500;
        try (GuardedMemory memory = new GuardedMemory()) {
            List<CaseRun> runs = IntStream.range(0, many)
                    .mapToObj(i -> new CaseRun(
                            new CollectiveCase(Kind.ALL_REDUCE, DType.INT32, ReduceOp.SUM, 5 + i % 300, 0, true),
                            2,
                            i,
                            memory))
                    .toList();
            List<Mono<Work>> forward =
                    runs.stream().map(run -> run.assemble(groups.get(0))).toList();
            List<Mono<Work>> backward =
                    runs.stream().map(run -> run.assemble(groups.get(1))).toList();
            List<CompletableFuture<Outcome>> begun = new ArrayList<>();
            forward.forEach(call -> begun.add(begin(call)));
            backward.reversed().forEach(call -> begun.add(begin(call)));

            begun.forEach(each -> end(each).work());
            runs.forEach(CaseRun::verify);
        }
    }
}
