package io.reactivecomm.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls of several tensors or parts: what they accept, what ranks must agree on, and how they are cut. */
class RowCallsTest {

    private static final ReduceOp SUM = ReduceOp.SUM;

    private static Tensor of(long count) {
        return Tensor.allocate(DType.FLOAT32, count);
    }

    private static List<Tensor> list(long... counts) {
        return Arrays.stream(counts).mapToObj(RowCallsTest::of).toList();
    }

    private static long[] splits(long... counts) {
        return counts;
    }

    /** A call that cannot be, and a part of what is said of it. */
    record Wrong(String text, ThrowingCallable call) {}

    static Stream<Wrong> wrongCalls() {
        Tensor twelve = of(12);
        List<Tensor> halves = List.of(twelve.slice(0, 7), twelve.slice(6, 6));
        return Stream.of(
                new Wrong("inputs=null", () -> new AllToAll((List<Tensor>) null, list(1))),
                new Wrong("got no output", () -> new AllToAll(list(1), List.of())),
                new Wrong("got no input", () -> new AllReduce(List.of(), List.of(), SUM)),
                new Wrong("outputs=null", () -> new Gather(of(1), null, 0)),
                new Wrong("inputs=null", () -> new Scatter(null, of(1), 0)),
                new Wrong("lists of two lengths: inputs=2, outputs=1", () -> new AllReduce(list(1, 1), list(1), SUM)),
                new Wrong("lists of two lengths", () -> new AllGatherCoalesced(list(1, 1), list(2))),
                new Wrong("output=2 elements, expected=1", () -> new AllReduce(list(1, 1), list(1, 2), SUM)),
                new Wrong(
                        "output=3 elements, expected=4",
                        () -> new AllGatherCoalesced(list(2), list(3)).checkedFor(0, 2)),
                new Wrong("outputs=3, size=2", () -> new AllGather(of(1), list(1, 1, 1)).checkedFor(0, 2)),
                new Wrong("output=1 elements, expected=2", () -> new AllGather(of(2), list(1, 5)).checkedFor(0, 2)),
                new Wrong("inputs=3, size=2", () -> new ReduceScatter(list(1, 1, 1), of(1), SUM).checkedFor(0, 2)),
                new Wrong("outputs=1, expected=2", () -> new Gather(of(1), list(1), 0).checkedFor(0, 2)),
                new Wrong("outputs=2, expected=0", () -> new Gather(of(1), list(1, 1), 1).checkedFor(0, 2)),
                new Wrong("output of the root itself", () -> new Gather(of(1), list(2, 1), 0).checkedFor(0, 2)),
                new Wrong("root=2, size=2", () -> new Gather(of(1), List.of(), 2).checkedFor(0, 2)),
                new Wrong("inputs=0, expected=2", () -> new Scatter(List.of(), of(1), 0).checkedFor(0, 2)),
                new Wrong("inputs=2, expected=0", () -> new Scatter(list(1, 1), of(1), 1).checkedFor(0, 2)),
                new Wrong("output of the root itself", () -> new Scatter(list(2, 1), of(1), 0).checkedFor(0, 2)),
                new Wrong("root=-1", () -> new Scatter(List.of(), of(1), -1).checkedFor(0, 2)),
                new Wrong(
                        "cannot cut its input into equal parts: input=5 elements, size=2",
                        () -> new AllToAll(of(5), of(5)).checkedFor(0, 2)),
                new Wrong("output=6 elements, expected=4", () -> new AllToAll(of(4), of(6)).checkedFor(0, 2)),
                new Wrong("inputSplits=null", () -> new AllToAll(of(4), null, of(4), splits(4))),
                new Wrong(
                        "split out of range: outputSplits=[5, -1]",
                        () -> new AllToAll(of(4), splits(4), of(4), splits(5, -1))),
                new Wrong(
                        "do not add up: inputSplits=[1, 2], sum=3, input=4 elements",
                        () -> new AllToAll(of(4), splits(1, 2), of(4), splits(4))),
                new Wrong(
                        "input parts=1, size=2",
                        () -> new AllToAll(of(4), splits(4), of(4), splits(2, 2)).checkedFor(0, 2)),
                new Wrong("output parts=3, size=2", () -> new AllToAll(list(1, 1), list(1, 1, 1)).checkedFor(0, 2)),
                new Wrong("own part: input=1, output=2", () -> new AllToAll(list(1, 3), list(2, 3)).checkedFor(0, 2)),
                new Wrong(
                        "two element types: first=FLOAT32, output=INT32",
                        () -> new Gather(of(1), List.of(Tensor.of(new int[1])), 0)),
                new Wrong("tensors that overlap", () -> new AllReduce(halves, halves, SUM)),
                new Wrong("tensors that overlap", () -> new AllToAll(list(7, 6), halves)),
                new Wrong("tensors that overlap", () -> new AllToAll(twelve, twelve.slice(6, 6))),
                new Wrong(
                        "tensors that overlap",
                        () -> new AllGather(twelve.slice(0, 6), List.of(of(6), twelve.slice(0, 6))).checkedFor(0, 2)),
                new Wrong(
                        "tensors that overlap",
                        () -> new Gather(twelve.slice(0, 6), List.of(of(6), twelve.slice(5, 6)), 0).checkedFor(0, 2)),
                new Wrong(
                        "tensors that overlap",
                        () -> new Scatter(List.of(of(6), twelve.slice(5, 6)), twelve.slice(0, 6), 0).checkedFor(0, 2)),
                new Wrong("got no ranks", () -> new NewGroup(List.of(), List.of(0)).checkedFor(0, 2)),
                new Wrong("rank=2, size=2", () -> NewGroup.of(0, 2).checkedFor(0, 2)),
                new Wrong("got a rank twice: rank=0", () -> NewGroup.of(0, 0).checkedFor(0, 2)));
    }

    @ParameterizedTest
    @MethodSource("wrongCalls")
    @SuppressWarnings("NullAway") // Nulls are among the wrong arguments.
    void call_thatCannotBe_isRefusedWithTheRemedy(Wrong wrong) {
        assertThatThrownBy(wrong.call())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(wrong.text())
                .hasMessageContaining("; ");
    }

    @Test
    void splits_whoseSumOverflows_areRefused() {
        long huge = Long.MAX_VALUE / 2 + 2;

        assertThatThrownBy(() -> new AllToAll(of(4), splits(huge, huge, 0), of(4), splits(4)))
                .isInstanceOf(InvalidCallException.class);
    }

    @Test
    void lists_changedAfterwards_changeNothing() {
        List<Tensor> tensors = new ArrayList<>(list(1, 2));
        AllReduce call = new AllReduce(tensors, tensors, SUM);
        tensors.clear();

        assertThat(call.inputs()).hasSize(2);
        assertThat(call.tensors()).as("in place each tensor is borrowed once").hasSize(2);
    }

    @Test
    void inPlace_isWhereARankHasItsOwnPart() {
        List<Tensor> three = list(4, 5, 6);

        assertThat(new AllGather(three.get(1), three).checkedFor(1, 3)).isNotNull();
        assertThat(new ReduceScatter(three, three.get(2), SUM).checkedFor(2, 3)).isNotNull();
        assertThat(new Gather(three.get(0), three, 0).checkedFor(0, 3)).isNotNull();
        assertThat(new Scatter(three, three.get(0), 0).checkedFor(0, 3)).isNotNull();
        assertThat(new AllGatherCoalesced(List.of(three.get(0).slice(2, 2)), List.of(three.get(0))).checkedFor(1, 2))
                .isNotNull();
        for (ThrowingCallable wrong : List.<ThrowingCallable>of(
                () -> new AllGather(three.get(0).slice(0, 4), List.of(three.get(0), of(4), of(4))).checkedFor(1, 3),
                () -> new AllGatherCoalesced(List.of(three.get(0).slice(2, 2)), List.of(three.get(0)))
                        .checkedFor(0, 2))) {
            assertThatThrownBy(wrong).isInstanceOf(InvalidCallException.class).hasMessageContaining("overlap");
        }
    }

    @Test
    void emptyTensors_neverOverlap() {
        Tensor tensor = of(4);

        assertThat(new AllToAll(List.of(tensor, tensor.slice(2, 0)), list(4, 0)))
                .isNotNull();
        assertThat(new AllGather(tensor.slice(1, 0), List.of(tensor.slice(1, 0), tensor)).checkedFor(0, 2))
                .isNotNull();
    }

    @Test
    void signatures_sayWhatAllRanksAgreeOn() {
        assertThat(new AllReduce(list(5), list(5), SUM).signature())
                .isEqualTo(new AllReduce(of(5), of(5), SUM).signature());
        assertThat(new AllReduce(list(2, 3), list(2, 3), SUM).signature())
                .isNotEqualTo(new AllReduce(list(3, 2), list(3, 2), SUM).signature());
        assertThat(new AllGather(of(3), list(3, 3)).signature()).isEqualTo(new AllGather(of(3), of(6)).signature());
        assertThat(new AllGather(of(3), list(3, 4)).signature())
                .isEqualTo(new AllGather(of(4), list(3, 4)).signature());
        assertThat(new AllGather(of(3), list(3, 4)).signature().count()).isEqualTo(Signature.UNEVEN);
        assertThat(new ReduceScatter(list(3, 3), of(3), SUM).signature())
                .isEqualTo(new ReduceScatter(of(6), of(3), SUM).signature());
        assertThat(new AllToAll(list(1, 2), list(1, 5)).signature())
                .isEqualTo(new AllToAll(of(9), splits(2, 7), of(3), splits(0, 3)).signature());
        assertThat(new Gather(of(1), List.of(), 1).signature()).isEqualTo(new Gather(of(9), list(3, 9), 1).signature());
        assertThat(NewGroup.of(1, 0).signature()).isNotEqualTo(NewGroup.of(0, 1).signature());
        assertThat(new NewGroup(List.of(0, 1), List.of(1, 2)).signature())
                .isNotEqualTo(NewGroup.of(0, 1).signature());
    }

    @Test
    void descriptions_showThePartsAsTheRankHasThem() {
        assertThat(new AllReduce(list(2, 3), list(2, 3), SUM).describe())
                .isEqualTo("all-reduce(FLOAT32 × [2, 3], SUM)");
        assertThat(new AllGather(of(3), list(3, 4)).describe()).isEqualTo("all-gather(FLOAT32 × [3, 4])");
        assertThat(new AllGatherCoalesced(list(2, 3), list(4, 6)).describe()).isEqualTo("all-gather(FLOAT32 × [2, 3])");
        assertThat(new ReduceScatter(list(3, 4), of(4), SUM).describe())
                .isEqualTo("reduce-scatter(FLOAT32 × [3, 4], SUM)");
        assertThat(new AllToAll(of(4), of(4)).describe()).isEqualTo("all-to-all(FLOAT32 × 4)");
        assertThat(new AllToAll(list(1, 2), list(1, 5)).describe()).isEqualTo("all-to-all(FLOAT32 × [1, 2] to [1, 5])");
        assertThat(new Gather(of(9), list(3, 9), 1).describe()).isEqualTo("gather(FLOAT32 × [3, 9], root=1)");
        assertThat(new Gather(of(9), List.of(), 1).describe()).isEqualTo("gather(FLOAT32 × 9, root=1)");
        assertThat(new Scatter(list(3, 9), of(9), 1).describe()).isEqualTo("scatter(FLOAT32 × [3, 9], root=1)");
        assertThat(NewGroup.of(2, 0).describe()).isEqualTo("new group([2, 0])");
        assertThat(new MonitoredBarrier(true).describe()).isEqualTo("monitored barrier()");
    }

    @Test
    void cuts_haveOnePartOrOneForEachRank() {
        assertThat(new AllReduce(list(2, 3), list(2, 3), SUM).partitions(4))
                .isEqualTo(new Partitions(Partition.whole(5), Partition.whole(5)));
        assertThat(new AllGather(of(3), of(6)).partitions(2))
                .isEqualTo(new Partitions(Partition.whole(3), Partition.even(2, 3)));
        assertThat(new AllGather(of(3), list(3, 4)).partitions(2))
                .isEqualTo(new Partitions(Partition.whole(3), Partition.of(3, 4)));
        assertThat(new AllGatherCoalesced(list(2, 3), list(4, 6)).partitions(2))
                .isEqualTo(new Partitions(Partition.whole(5), Partition.even(2, 5)));
        assertThat(new ReduceScatter(list(3, 4), of(4), SUM).partitions(2))
                .isEqualTo(new Partitions(Partition.of(3, 4), Partition.whole(4)));
        assertThat(new AllToAll(of(6), of(6)).partitions(3))
                .isEqualTo(new Partitions(Partition.even(3, 2), Partition.even(3, 2)));
        assertThat(new Gather(of(9), List.of(), 1).partitions(2))
                .isEqualTo(new Partitions(Partition.whole(9), Partition.nothing()));
        assertThat(new Scatter(list(3, 9), of(9), 1).partitions(2))
                .isEqualTo(new Partitions(Partition.of(3, 9), Partition.whole(9)));
        assertThat(new MonitoredBarrier(false).partitions(2)).isEqualTo(Partitions.NONE);
    }

    @Test
    void bytes_areThoseOfTheLargerSide() {
        assertThat(new AllReduce(list(2, 3), list(2, 3), SUM).byteSize(4)).isEqualTo(20);
        assertThat(new AllGather(of(3), list(3, 4)).byteSize(2)).isEqualTo(28);
        assertThat(new AllToAll(list(1, 2), list(1, 5)).byteSize(2)).isEqualTo(24);
        assertThat(new Gather(of(9), List.of(), 1).byteSize(2)).isEqualTo(72);
        assertThat(new Gather(of(9), list(9, 9), 0).byteSize(2)).isEqualTo(72);
        assertThat(new Scatter(List.of(), of(9), 1).byteSize(2)).isEqualTo(72);
        assertThat(new Scatter(list(9, 9), of(9), 0).byteSize(2)).isEqualTo(72);
    }
}
