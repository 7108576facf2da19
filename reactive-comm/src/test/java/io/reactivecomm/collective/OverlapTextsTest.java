package io.reactivecomm.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The advice of errors about tensors of one call that overlap, which is followed here. */
class OverlapTextsTest {

    private static final Tensor EIGHT = Tensor.allocate(DType.FLOAT32, 8);

    private static Tensor other(long count) {
        return Tensor.allocate(DType.FLOAT32, count);
    }

    /**
     * A call whose tensors overlap.
     *
     * @param inPlace the same call in place, or null if it cannot be
     */
    private record Overlap(String name, Runnable call, String advised, Runnable inPlace) {

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Overlap> overlaps() {
        Tensor low = EIGHT.slice(0, 4);
        Tensor middle = EIGHT.slice(2, 4);
        return List.of(
                new Overlap(
                        "all-reduce",
                        () -> new AllReduce(low, middle, ReduceOp.SUM),
                        "pass the output as input",
                        () -> new AllReduce(low, low, ReduceOp.SUM)),
                new Overlap(
                        "outputs",
                        () -> new AllReduce(List.of(other(4), other(4)), List.of(low, middle), ReduceOp.SUM),
                        "",
                        null),
                new Overlap(
                        "all-gather",
                        () -> new AllGather(middle, EIGHT).checkedFor(1, 2),
                        "the input be this rank's own part of the output",
                        () -> new AllGather(EIGHT.slice(4, 4), EIGHT).checkedFor(1, 2)),
                new Overlap(
                        "reduce-scatter",
                        () -> new ReduceScatter(EIGHT, middle, ReduceOp.SUM).checkedFor(1, 2),
                        "the output be this rank's own part of the input",
                        () -> new ReduceScatter(EIGHT, EIGHT.slice(4, 4), ReduceOp.SUM).checkedFor(1, 2)),
                new Overlap(
                        "gather",
                        () -> new Gather(middle, List.of(low, other(4)), 0).checkedFor(0, 2),
                        "the input be this rank's own part of the output",
                        () -> new Gather(low, List.of(low, other(4)), 0).checkedFor(0, 2)),
                new Overlap(
                        "scatter",
                        () -> new Scatter(List.of(low, other(4)), middle, 0).checkedFor(0, 2),
                        "the output be this rank's own part of the input",
                        () -> new Scatter(List.of(low, other(4)), low, 0).checkedFor(0, 2)),
                new Overlap("all-to-all", () -> new AllToAll(EIGHT, EIGHT), "does not work in place", null));
    }

    @ParameterizedTest
    @MethodSource("overlaps")
    void overlapOfOneCall_advisesACallInPlace_onlyWhereThatWorks(Overlap overlap) {
        InvalidCallException refused = catchThrowableOfType(InvalidCallException.class, overlap.call()::run);
        assertThat(refused)
                .hasMessageContaining("give each tensor memory of its own")
                .hasMessageContaining(overlap.advised());
        assertThat(refused.getMessage().contains("for a call in place")).isEqualTo(overlap.inPlace() != null);
        if (overlap.inPlace() != null) {
            overlap.inPlace().run();
        }
    }

    @Test
    void overlapInAScope_namesTheTwoCalls() {
        Collective first = new AllReduce(EIGHT.slice(0, 4), EIGHT.slice(0, 4), ReduceOp.SUM);
        Collective apart = new AllReduce(other(4), other(4), ReduceOp.SUM);
        Collective second = new AllReduce(EIGHT.slice(3, 4), EIGHT.slice(3, 4), ReduceOp.SUM);
        assertThat(catchThrowableOfType(InvalidCallException.class, () -> new Coalesced(List.of(first, apart, second))))
                .hasMessageContaining("of call 1 in the scope")
                .hasMessageContaining("of call 3 in the scope")
                .hasMessageContaining("give each call in the scope memory of its own")
                .extracting(Throwable::getMessage)
                .asString()
                .doesNotContain("place");
    }
}
