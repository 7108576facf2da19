package io.reactivecomm.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The arguments that a call accepts, the fields on which ranks must agree, and the bytes that it counts. */
class CollectiveTest {

    private static final Tensor FOUR = Tensor.allocate(DType.FLOAT32, 4);
    private static final Tensor EIGHT = Tensor.allocate(DType.FLOAT32, 2, 4);

    /** A call that cannot be, and a part of what is said of it. */
    record Wrong(String text, ThrowingCallable call) {}

    static Stream<Wrong> wrongCalls() {
        Tensor integers = Tensor.allocate(DType.INT32, 4);
        Tensor closed = Tensor.allocate(DType.FLOAT32, 4);
        closed.close();
        return Stream.of(
                new Wrong("input=null", () -> new AllReduce(null, FOUR, ReduceOp.SUM)),
                new Wrong("output=null", () -> new AllGather(FOUR, (Tensor) null)),
                new Wrong("tensor=null", () -> new Send(null, 1, 0)),
                new Wrong("tensor=null", () -> new Receive(null, 1, 0)),
                new Wrong("op=null", () -> new Reduce(FOUR, 0, null)),
                new Wrong("closed tensor", () -> new Broadcast(closed, 0)),
                new Wrong(
                        "two element types: first=FLOAT32, output=INT32",
                        () -> new AllReduce(FOUR, integers, ReduceOp.SUM)),
                new Wrong("output=8 elements, expected=4", () -> new AllReduce(FOUR, EIGHT, ReduceOp.SUM)),
                new Wrong("output=8 elements, expected=12", () -> new AllGather(FOUR, EIGHT).checkedFor(0, 3)),
                new Wrong(
                        "input=8 elements, expected=12",
                        () -> new ReduceScatter(EIGHT, FOUR, ReduceOp.SUM).checkedFor(0, 3)),
                new Wrong("root=-1, size=3", () -> new Broadcast(FOUR, -1).checkedFor(0, 3)),
                new Wrong(
                        "root=3, size=3; name a rank from 0 to 2",
                        () -> new Reduce(FOUR, 3, ReduceOp.SUM).checkedFor(0, 3)),
                new Wrong("peer=3", () -> new Send(FOUR, 3, 0).checkedFor(0, 3)),
                new Wrong("peer=-1", () -> new Send(FOUR, ProcessGroup.ANY, 0).checkedFor(0, 3)),
                new Wrong("this rank itself", () -> new Receive(FOUR, 2, 0).checkedFor(2, 3)),
                new Wrong(
                        "tensors that overlap",
                        () -> new AllReduce(EIGHT.slice(0, 4), EIGHT.slice(2, 4), ReduceOp.SUM)),
                new Wrong("tensors that overlap", () -> new AllGather(EIGHT.slice(4, 4), EIGHT).checkedFor(0, 2)),
                new Wrong(
                        "tensors that overlap",
                        () -> new ReduceScatter(EIGHT, EIGHT.slice(0, 4), ReduceOp.SUM).checkedFor(1, 2)));
    }

    @ParameterizedTest
    @MethodSource("wrongCalls")
    void call_thatCannotBe_isRefusedWithTheRemedy(Wrong wrong) {
        assertThatThrownBy(wrong.call())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining(wrong.text())
                .hasMessageContaining("; ");
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void reductions_ofEachType_areThoseOfTheTable(DType type) {
        Tensor tensor = Tensor.allocate(type, 2);
        for (ReduceOp op : ReduceOp.values()) {
            if (op.supports(type)) {
                assertThat(new AllReduce(tensor, tensor, op).checkedFor(0, 2)).isNotNull();
            } else {
                assertThatThrownBy(() -> new AllReduce(tensor, tensor, op))
                        .isInstanceOf(UnsupportedCollectiveException.class)
                        .hasMessageContaining("op=" + op + ", type=" + type);
            }
        }
    }

    @Test
    void ownPart_inPlace_isAccepted() {
        assertThat(new AllGather(EIGHT.slice(4, 4), EIGHT).checkedFor(1, 2)).isNotNull();
        assertThat(new ReduceScatter(EIGHT, EIGHT.slice(0, 4), ReduceOp.SUM).checkedFor(0, 2))
                .isNotNull();
        assertThat(new AllReduce(EIGHT, EIGHT.slice(0, 8), ReduceOp.SUM).checkedFor(0, 2))
                .isNotNull();
    }

    @Test
    void signatures_sayWhatRanksAgreeOn() {
        assertThat(new AllReduce(FOUR, FOUR, ReduceOp.AVG).signature().describe())
                .isEqualTo("all-reduce(FLOAT32 × 4, AVG)");
        assertThat(new Reduce(FOUR, 2, ReduceOp.MIN).signature().describe())
                .isEqualTo("reduce(FLOAT32 × 4, MIN, root=2)");
        assertThat(new Broadcast(EIGHT, 0).signature().describe()).isEqualTo("broadcast(FLOAT32 × 8, root=0)");
        assertThat(new AllGather(FOUR, EIGHT).signature().describe()).isEqualTo("all-gather(FLOAT32 × 4)");
        assertThat(new ReduceScatter(EIGHT, FOUR, ReduceOp.SUM).signature().describe())
                .isEqualTo("reduce-scatter(FLOAT32 × 4, SUM)");
        assertThat(new Barrier().signature().describe()).isEqualTo("barrier()");
        assertThat(new Send(FOUR, 1, 7).signature()).isEqualTo(new Receive(FOUR, 0, 9).signature());
    }

    @Test
    void bytes_areThoseOfTheTotalArray() {
        assertThat(new AllReduce(FOUR, FOUR, ReduceOp.SUM).byteSize(2)).isEqualTo(16);
        assertThat(new AllGather(FOUR, EIGHT).byteSize(2)).isEqualTo(32);
        assertThat(new ReduceScatter(EIGHT, FOUR, ReduceOp.SUM).byteSize(2)).isEqualTo(32);
        assertThat(new Barrier().byteSize(9)).isZero();
    }

    @Test
    void tensors_areEachBorrowedOnce_andResultsAreWhereTheyAre() {
        assertThat(new AllReduce(FOUR, FOUR, ReduceOp.SUM).tensors()).containsExactly(FOUR);
        assertThat(new AllGather(FOUR, EIGHT).tensors()).containsExactly(FOUR, EIGHT);
        assertThat(new Barrier().tensors()).isEmpty();
        assertThat(new Reduce(FOUR, 1, ReduceOp.SUM).results(1)).isEqualTo(List.of(FOUR));
        assertThat(new Reduce(FOUR, 1, ReduceOp.SUM).results(0)).isEmpty();
        assertThat(new Send(FOUR, 1, 0).results(0)).isEmpty();
    }
}
