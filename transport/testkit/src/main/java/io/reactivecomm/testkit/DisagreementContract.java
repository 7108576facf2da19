package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Ranks that call different things under one identity: every rank that has not ended is told who called what, and the next call works. */
public abstract class DisagreementContract extends WorldContract {

    /** A call that a rank makes, with tensors from that memory. */
    public interface Call extends BiFunction<ProcessGroup, GuardedMemory, Mono<Work>> {}

    /**
     * Two calls that do not go together.
     *
     * @param most what all ranks but one call
     * @param one what the last rank calls
     * @param texts how the two are shown
     */
    public record Disagreement(String name, Call most, Call one, List<String> texts) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Call allReduce(DType type, long count, ReduceOp op) {
        return (group, memory) -> group.allReduce(memory.input(type, count, 0, group.rank()), op);
    }

    private static Call broadcast(long count, int root) {
        return (group, memory) -> group.broadcast(memory.input(DType.FLOAT32, count, 0, group.rank()), root);
    }

    private static Call reduce(long count, int root) {
        return (group, memory) -> group.reduce(memory.input(DType.FLOAT32, count, 0, group.rank()), root, ReduceOp.SUM);
    }

    private static Call allGather(long count) {
        return (group, memory) -> group.allGather(
                memory.input(DType.FLOAT32, count, 0, group.rank()), memory.tensor(DType.FLOAT32, count * group.size()));
    }

    private static Call reduceScatter(long count) {
        return (group, memory) -> group.reduceScatter(
                memory.input(DType.FLOAT32, count * group.size(), 0, group.rank()), memory.tensor(DType.FLOAT32, count), ReduceOp.SUM);
    }

    private static Call barrier() {
        return (group, memory) -> group.barrier();
    }

    private static List<Disagreement> disagreements() {
        Call five = allReduce(DType.FLOAT32, 5, ReduceOp.SUM);
        String fiveText = "all-reduce(FLOAT32 × 5, SUM)";
        Call large = allReduce(DType.FLOAT32, 300_000, ReduceOp.SUM);
        return List.of(
                new Disagreement("type", five, allReduce(DType.INT32, 5, ReduceOp.SUM), List.of(fiveText, "all-reduce(INT32 × 5, SUM)")),
                new Disagreement("count", five, allReduce(DType.FLOAT32, 6, ReduceOp.SUM), List.of(fiveText, "all-reduce(FLOAT32 × 6, SUM)")),
                new Disagreement("0 against 5", five, allReduce(DType.FLOAT32, 0, ReduceOp.SUM), List.of(fiveText, "FLOAT32 × 0, SUM")),
                new Disagreement("5 against 0", allReduce(DType.FLOAT32, 0, ReduceOp.SUM), five, List.of(fiveText, "FLOAT32 × 0, SUM")),
                new Disagreement("count of large", large, allReduce(DType.FLOAT32, 300_001, ReduceOp.SUM), List.of("300000", "300001")),
                new Disagreement("large against small", large, five, List.of("300000", fiveText)),
                new Disagreement("op", five, allReduce(DType.FLOAT32, 5, ReduceOp.MAX), List.of(fiveText, "all-reduce(FLOAT32 × 5, MAX)")),
                new Disagreement("operation", five, broadcast(5, 0), List.of(fiveText, "broadcast(FLOAT32 × 5, root=0)")),
                new Disagreement("operation, other way", broadcast(5, 0), five, List.of(fiveText, "broadcast(FLOAT32 × 5, root=0)")),
                new Disagreement("barrier", barrier(), five, List.of(fiveText, "barrier()")),
                new Disagreement("barrier, other way", large, barrier(), List.of("300000", "barrier()")),
                new Disagreement("gather and scatter", allGather(5), reduceScatter(5),
                        List.of("all-gather(FLOAT32 × 5)", "reduce-scatter(FLOAT32 × 5, SUM)")),
                new Disagreement("root of a broadcast", broadcast(5, 0), broadcast(5, 1), List.of("root=0", "root=1")),
                new Disagreement("root of a large broadcast", broadcast(300_000, 0), broadcast(300_000, 1), List.of("root=0", "root=1")),
                new Disagreement("root of a reduce", reduce(5, 0), reduce(5, 1), List.of("root=0", "root=1")),
                new Disagreement("root of a large reduce", reduce(300_000, 0), reduce(300_000, 1), List.of("root=0", "root=1")));
    }

    final Stream<Arguments> disagreementsAndSizes() {
        return disagreements().stream().flatMap(each -> IntStream.of(2, 3, 5).mapToObj(size -> Arguments.of(each, size)));
    }

    @ParameterizedTest(name = "{0}, size={1}")
    @MethodSource("disagreementsAndSizes")
    void ranks_thatCallDifferentThings_areToldWhoCalledWhat(Disagreement disagreement, int size) {
        List<ProcessGroup> groups = world(size);
        for (int odd : new int[] {0, size - 1}) {
            try (GuardedMemory memory = new GuardedMemory()) {
                List<Outcome> outcomes = outcomes(
                        groups, group -> (group.rank() == odd ? disagreement.one() : disagreement.most()).apply(group, memory));

                requireTold(outcomes, disagreement, odd);
                Call next = allReduce(DType.FLOAT32, 30_000, ReduceOp.SUM);
                all(groups, group -> next.apply(group, memory));
            }
        }
    }

    private static void requireTold(List<Outcome> outcomes, Disagreement disagreement, int odd) {
        List<String> told = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.Failure failure) {
                assertThat(failure.error()).isInstanceOf(MismatchException.class);
                told.add(String.valueOf(failure.error().getMessage()));
            }
        }
        assertThat(outcomes.get(odd)).as("the rank that called something else").isInstanceOf(Outcome.Failure.class);
        assertThat(told).as("ranks that were told").hasSizeGreaterThanOrEqualTo(2);
        assertThat(told).as("one text for all").containsOnly(told.getFirst());
        assertThat(told.getFirst()).contains(disagreement.texts()).contains("rank " + odd + " called ");
    }
}
