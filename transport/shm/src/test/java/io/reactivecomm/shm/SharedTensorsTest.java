package io.reactivecomm.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.WorldContract;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Collectives of tensors that the other ranks read where they lie, beside some that they cannot. */
class SharedTensorsTest extends WorldContract implements ShmWorlds {

    private static final Duration SHORT = Duration.ofMillis(300);
    /** Several pieces. */
    private static final long LONG = 600_001;

    /** {@return a part of a tensor that others can read, or of one of the process's own, that begins at an odd place} */
    private static Tensor part(ProcessGroup group, boolean isShared, DType type, long count) {
        Tensor whole = isShared ? group.allocate(type, count + 3) : Tensor.allocate(type, count + 3);
        return whole.slice(3, count);
    }

    private static int value(int rank, long index) {
        return (int) ((rank + 1) * 31 + index * 7) % 101;
    }

    private static void fill(Tensor tensor, int rank) {
        for (long i = 0; i < tensor.count(); i++) {
            if (tensor.type() == DType.INT8) {
                tensor.segment().set(ValueLayout.JAVA_BYTE, i, (byte) value(rank, i));
            } else {
                tensor.segment().setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, value(rank, i));
            }
        }
    }

    private static int at(Tensor tensor, long index) {
        return tensor.type() == DType.INT8
                ? tensor.segment().get(ValueLayout.JAVA_BYTE, index)
                : tensor.segment().getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index);
    }

    private static int expected(ReduceOp op, DType type, int size, long index) {
        int all = value(0, index);
        for (int rank = 1; rank < size; rank++) {
            int next = value(rank, index);
            all = op == ReduceOp.SUM ? all + next : op == ReduceOp.MAX ? Math.max(all, next) : all ^ next;
        }
        return type == DType.INT8 ? (byte) all : all;
    }

    /** @param shared a bit for each rank whose tensor others can read */
    @ParameterizedTest(name = "size={0} {1} count={2} {3} shared={4}")
    @CsvSource({
        "2, INT8, 1, SUM, 3",
        "2, INT8, 4097, MAX, 1",
        "2, INT32, 600001, SUM, 3",
        "2, INT32, 600001, BXOR, 2",
        "2, INT8, 3000001, SUM, 1",
        "3, INT8, 4999, SUM, 7",
        "3, INT32, 600001, SUM, 5",
        "3, INT32, 20000, MAX, 2",
        "3, INT8, 1000003, BXOR, 7",
        "5, INT32, 1, SUM, 31",
        "5, INT32, 70001, SUM, 21",
        "5, INT32, 600001, SUM, 31",
        "5, INT8, 99991, MAX, 10"
    })
    void allReduce_sharedAndPrivateTensors_inPlaceAndOutOfPlace(
            int size, DType type, long count, ReduceOp op, int shared) {
        List<ProcessGroup> groups = world(size);
        List<Tensor> inputs = new ArrayList<>();
        List<Tensor> outputs = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            boolean isShared = (shared >> rank & 1) != 0;
            inputs.add(part(groups.get(rank), isShared, type, count));
            outputs.add(part(groups.get(rank), !isShared, type, count));
            fill(inputs.get(rank), rank);
        }
        all(groups, group -> group.allReduce(inputs.get(group.rank()), outputs.get(group.rank()), op));
        for (int rank = 0; rank < size; rank++) {
            requireUnwritten(inputs.get(rank), rank);
        }
        all(groups, group -> group.allReduce(inputs.get(group.rank()), op));
        for (int rank = 0; rank < size; rank++) {
            requireReduced(inputs.get(rank), op, size);
            requireReduced(outputs.get(rank), op, size);
        }
        inputs.forEach(Tensor::close);
        outputs.forEach(Tensor::close);
    }

    private static void requireUnwritten(Tensor input, int rank) {
        for (long i = 0; i < input.count(); i++) {
            int expected = input.type() == DType.INT8 ? (byte) value(rank, i) : value(rank, i);
            if (at(input, i) != expected) {
                throw new AssertionError("an input was written: rank=" + rank + ", element=" + i);
            }
        }
    }

    private static void requireReduced(Tensor result, ReduceOp op, int size) {
        for (long i = 0; i < result.count(); i++) {
            int expected = expected(op, result.type(), size, i);
            if (at(result, i) != expected) {
                throw new AssertionError(
                        "a result is wrong: element=" + i + ", is=" + at(result, i) + ", expected=" + expected);
            }
        }
    }

    /** What is lent is the program's again at the error, and is written to at once: whoever succeeds has read it before. */
    @ParameterizedTest
    @ValueSource(longs = {5_000, LONG})
    void timeout_tensorsThatAreLent_areOverwrittenAtOnce_nobodySucceedsWithThat(long count) {
        List<ProcessGroup> groups = world(3);
        for (int round = 0; round < 3; round++) {
            List<Tensor> tensors = new ArrayList<>();
            for (ProcessGroup group : groups) {
                tensors.add(group.allocate(DType.INT32, count));
                fill(tensors.getLast(), group.rank());
            }
            List<Mono<Work>> calls = groups.stream()
                    .map(group -> group.timeout(SHORT).allReduce(tensors.get(group.rank()), ReduceOp.SUM))
                    .toList();
            List<CompletableFuture<Outcome>> begun = IntStream.range(0, 2)
                    .mapToObj(rank -> scribbling(calls.get(rank), tensors.get(rank)))
                    .toList();
            begun.forEach(each -> end(each).error(CommTimeoutException.class));
            end(begin(calls.get(2))).error(CommTimeoutException.class);
            all(groups, ProcessGroup::barrier);
            tensors.forEach(Tensor::close);
        }
    }

    private static CompletableFuture<Outcome> scribbling(Mono<Work> call, Tensor tensor) {
        return begin(call.doOnError(error -> tensor.segment().fill((byte) -1)));
    }

    /** A race on purpose: some succeed, some fail, and those that succeed have the right values. */
    @Test
    void abort_whileTensorsAreRead_andOverwrittenAtOnce_successIsRight() {
        for (int round = 0; round < 12; round++) {
            List<ProcessGroup> groups = world(2);
            List<Tensor> inputs = new ArrayList<>();
            List<Tensor> outputs = new ArrayList<>();
            for (ProcessGroup group : groups) {
                inputs.add(group.allocate(DType.INT32, LONG));
                outputs.add(group.allocate(DType.INT32, LONG));
                fill(inputs.getLast(), group.rank());
            }
            List<CompletableFuture<Outcome>> begun = groups.stream()
                    .map(group ->
                            begin(group.allReduce(inputs.get(group.rank()), outputs.get(group.rank()), ReduceOp.SUM)
                                    .doOnError(error ->
                                            inputs.get(group.rank()).segment().fill((byte) -1))))
                    .toList();
            for (int i = 0; i < round * 200; i++) {
                Thread.onSpinWait();
            }
            groups.get(round % 2).abort("the test says so");
            for (int rank = 0; rank < 2; rank++) {
                if (end(begun.get(rank)) instanceof Outcome.Success) {
                    requireReduced(outputs.get(rank), ReduceOp.SUM, 2);
                }
            }
            groups.forEach(ProcessGroup::close);
            inputs.forEach(Tensor::close);
            outputs.forEach(Tensor::close);
        }
    }

    @Test
    void close_ofATensorDuringItsCall_freesItAfterwards() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> tensors =
                groups.stream().map(group -> group.allocate(DType.INT32, LONG)).toList();
        long address = tensors.get(0).segment().address();
        CompletableFuture<Outcome> first = begin(groups.get(0).allReduce(tensors.get(0), ReduceOp.SUM));
        tensors.get(0).close();
        end(begin(groups.get(1).allReduce(tensors.get(1), ReduceOp.SUM))).work();
        end(first).work();
        tensors.get(0).released().block(LIMIT);
        try (Tensor next = groups.get(0).allocate(DType.INT32, LONG)) {
            assertThat(next.segment().address()).as("memory that is free again").isEqualTo(address);
            assertThat(next.toIntArray()).containsOnly(0);
        }
        tensors.get(1).close();
    }

    @Test
    void close_ofTheGroupBeforeItsTensors_leavesThemUsable() {
        List<ProcessGroup> groups = world(2);
        Tensor tensor = groups.get(0).allocate(DType.INT32, LONG);
        groups.forEach(ProcessGroup::close);
        fill(tensor, 4);
        requireUnwritten(tensor, 4);
        try (Tensor late = groups.get(0).allocate(DType.INT32, 8)) {
            assertThat(late.toIntArray()).containsOnly(0);
        }
        tensor.close();
    }

    /** Rank 1 has done its part and leaves; what it sent is copied and lies in its memory until rank 2's part is there. */
    @Test
    void reduce_memberThatHasLeftAfterItsPart_resultIsRight() throws Exception {
        List<ProcessGroup> groups = world(3);
        List<Tensor> tensors = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            tensors.add(Tensor.allocate(DType.INT32, 100_000));
            fill(tensors.getLast(), rank);
        }
        List<Mono<Work>> reduces = groups.stream()
                .map(group -> group.reduce(tensors.get(group.rank()), 0, ReduceOp.SUM))
                .toList();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Outcome> slow = begin(reduces.get(2));
        List<CompletableFuture<Outcome>> barriers = groups.stream()
                .map(group -> begin(group.named("hold").barrier().doOnNext(work -> {
                    if (group.rank() == 2) {
                        held.countDown();
                        await(goOn);
                    }
                })))
                .toList();
        assertThat(held.await(20, TimeUnit.SECONDS)).isTrue();
        end(barriers.get(0)).work();
        CompletableFuture<Outcome> root = begin(reduces.get(0));
        end(begin(reduces.get(1))).work();
        groups.get(1).close();
        assertThat(root).isNotDone();
        goOn.countDown();
        end(slow).work();
        end(root).work();
        requireReduced(tensors.get(0), ReduceOp.SUM, 3);
        tensors.forEach(Tensor::close);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
