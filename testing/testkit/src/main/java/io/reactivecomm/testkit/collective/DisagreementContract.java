package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Ranks that call different things under one identity: every rank that has not ended is told who called what, and the next call works. */
public abstract class DisagreementContract extends WorldContract {

    /** What an error says of one rank. */
    private static final Pattern CALLED =
            Pattern.compile("rank (?<rank>\\d+) (called (?<call>.*?)|has not issued it)(?=, rank \\d|; let)");

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
                memory.input(DType.FLOAT32, count, 0, group.rank()),
                memory.tensor(DType.FLOAT32, count * group.size()));
    }

    private static Call reduceScatter(long count) {
        return (group, memory) -> group.reduceScatter(
                memory.input(DType.FLOAT32, count * group.size(), 0, group.rank()),
                memory.tensor(DType.FLOAT32, count),
                ReduceOp.SUM);
    }

    private static Call barrier() {
        return (group, memory) -> group.barrier();
    }

    private static List<Disagreement> disagreements() {
        Call five = allReduce(DType.FLOAT32, 5, ReduceOp.SUM);
        String fiveText = "all-reduce(FLOAT32 × 5, SUM)";
        Call large = allReduce(DType.FLOAT32, 300_000, ReduceOp.SUM);
        return List.of(
                new Disagreement(
                        "type",
                        five,
                        allReduce(DType.INT32, 5, ReduceOp.SUM),
                        List.of(fiveText, "all-reduce(INT32 × 5, SUM)")),
                new Disagreement(
                        "count",
                        five,
                        allReduce(DType.FLOAT32, 6, ReduceOp.SUM),
                        List.of(fiveText, "all-reduce(FLOAT32 × 6, SUM)")),
                new Disagreement(
                        "0 against 5",
                        five,
                        allReduce(DType.FLOAT32, 0, ReduceOp.SUM),
                        List.of(fiveText, "FLOAT32 × 0, SUM")),
                new Disagreement(
                        "5 against 0",
                        allReduce(DType.FLOAT32, 0, ReduceOp.SUM),
                        five,
                        List.of(fiveText, "FLOAT32 × 0, SUM")),
                new Disagreement(
                        "count of large",
                        large,
                        allReduce(DType.FLOAT32, 300_001, ReduceOp.SUM),
                        List.of("300000", "300001")),
                new Disagreement("large against small", large, five, List.of("300000", fiveText)),
                new Disagreement(
                        "op",
                        five,
                        allReduce(DType.FLOAT32, 5, ReduceOp.PRODUCT),
                        List.of(fiveText, "all-reduce(FLOAT32 × 5, PRODUCT)")),
                new Disagreement(
                        "operation", five, broadcast(5, 0), List.of(fiveText, "broadcast(FLOAT32 × 5, root=0)")),
                new Disagreement(
                        "operation, other way",
                        broadcast(5, 0),
                        five,
                        List.of(fiveText, "broadcast(FLOAT32 × 5, root=0)")),
                new Disagreement("barrier", barrier(), five, List.of(fiveText, "barrier()")),
                new Disagreement("barrier, other way", large, barrier(), List.of("300000", "barrier()")),
                new Disagreement(
                        "gather and scatter",
                        allGather(5),
                        reduceScatter(5),
                        List.of("all-gather(FLOAT32 × 5)", "reduce-scatter(FLOAT32 × 5, SUM)")),
                new Disagreement("root of a broadcast", broadcast(5, 0), broadcast(5, 1), List.of("root=0", "root=1")),
                new Disagreement(
                        "root of a large broadcast",
                        broadcast(300_000, 0),
                        broadcast(300_000, 1),
                        List.of("root=0", "root=1")),
                new Disagreement("root of a reduce", reduce(5, 0), reduce(5, 1), List.of("root=0", "root=1")),
                new Disagreement(
                        "root of a large reduce", reduce(300_000, 0), reduce(300_000, 1), List.of("root=0", "root=1")));
    }

    /** A call whose tensors a rank cuts by lengths of its own. */
    private static Call rows(Form form, DType type, int root, Function<ProcessGroup, List<Long>> lengths) {
        return (group, memory) -> {
            Result.Question question = new Result.Question(form, type, lengths.apply(group), root, ReduceOp.SUM);
            return new RowRun(question, false, group.size(), 1, memory).assemble(group);
        };
    }

    private static List<Long> parts(Form form, ProcessGroup group, long each) {
        int parts = Math.max(form.lengths(group.size()), form.lengths(group.size()) == 0 ? 3 : 1);
        return Collections.nCopies(parts, each);
    }

    private static Call even(Form form) {
        return rows(form, DType.FLOAT32, 0, group -> parts(form, group, 4));
    }

    /** One length more at the place where the odd rank deals with its neighbour, which sees it. */
    private static Call longer(Form form, ToIntFunction<ProcessGroup> place) {
        return rows(form, DType.FLOAT32, 0, group -> {
            List<Long> lengths = new ArrayList<>(parts(form, group, 4));
            int at = place.applyAsInt(group);
            lengths.set(at, lengths.get(at) + 1);
            return lengths;
        });
    }

    private static int neighbour(ProcessGroup group) {
        return (group.rank() + 1) % group.size();
    }

    /** The root, which is rank 0, means another rank; the others mean themselves. */
    private static int otherEnd(ProcessGroup group) {
        return group.rank() == 0 ? neighbour(group) : group.rank();
    }

    /** The same elements in all, cut otherwise. */
    private static Call shifted(Form form) {
        return rows(form, DType.FLOAT32, 0, group -> {
            List<Long> lengths = new ArrayList<>(parts(form, group, 4));
            int from = neighbour(group) % lengths.size();
            int to = (from + 1) % lengths.size();
            lengths.set(from, lengths.get(from) - 1);
            lengths.set(to, lengths.get(to) + 1);
            return lengths;
        });
    }

    private static Call algorithm(String name, Call call) {
        return (group, memory) -> call.apply(group.algorithm(name), memory);
    }

    private static List<Disagreement> disagreementsOfPairs() {
        return List.of(
                new Disagreement(
                        "splits of a pair",
                        even(Form.ALL_TO_ALL_SPLITS),
                        longer(Form.ALL_TO_ALL_SPLITS, group -> group.rank() * group.size() + neighbour(group)),
                        List.of("all-to-all(FLOAT32 × ")),
                new Disagreement(
                        "lists of a pair",
                        even(Form.ALL_TO_ALL_LISTS),
                        longer(Form.ALL_TO_ALL_LISTS, group -> neighbour(group) * group.size() + group.rank()),
                        List.of(" to [")),
                new Disagreement(
                        "even against splits",
                        even(Form.ALL_TO_ALL),
                        even(Form.ALL_TO_ALL_SPLITS),
                        List.of("all-to-all(FLOAT32 × ")),
                new Disagreement(
                        "gather's length of a pair",
                        even(Form.GATHER),
                        longer(Form.GATHER, DisagreementContract::otherEnd),
                        List.of("gather(FLOAT32 × ", "[4, ")),
                new Disagreement(
                        "scatter's length of a pair",
                        even(Form.SCATTER),
                        longer(Form.SCATTER, DisagreementContract::otherEnd),
                        List.of("scatter(FLOAT32 × ", "[4, ")));
    }

    private static List<Disagreement> disagreementsOfRows() {
        Form coalesced = Form.ALL_REDUCE_COALESCED;
        return List.of(
                new Disagreement(
                        "ragged all-gather, same total",
                        even(Form.ALL_GATHER_RAGGED),
                        shifted(Form.ALL_GATHER_RAGGED),
                        List.of("all-gather(FLOAT32 × 4)", "all-gather(FLOAT32 × [")),
                new Disagreement(
                        "ragged reduce-scatter, same total",
                        even(Form.REDUCE_SCATTER_RAGGED),
                        shifted(Form.REDUCE_SCATTER_RAGGED),
                        List.of("reduce-scatter(FLOAT32 × 4, SUM)", "reduce-scatter(FLOAT32 × [")),
                new Disagreement(
                        "coalesced, same total",
                        even(coalesced),
                        shifted(coalesced),
                        List.of("all-reduce(FLOAT32 × [4, 4, 4], SUM)")),
                new Disagreement(
                        "coalesced against one",
                        even(coalesced),
                        allReduce(DType.FLOAT32, 12, ReduceOp.SUM),
                        List.of("all-reduce(FLOAT32 × [4, 4, 4], SUM)", "all-reduce(FLOAT32 × 12, SUM)")),
                new Disagreement(
                        "coalesced all-gather, same total",
                        even(Form.ALL_GATHER_COALESCED),
                        shifted(Form.ALL_GATHER_COALESCED),
                        List.of("all-gather(FLOAT32 × [4, 4, 4])")),
                new Disagreement(
                        "inference against training",
                        even(Form.INFERENCE_ALL_REDUCE),
                        allReduce(DType.FLOAT32, 4, ReduceOp.SUM),
                        List.of("inference all-reduce(FLOAT32 × 4, SUM)", "called all-reduce(FLOAT32 × 4, SUM)")),
                new Disagreement(
                        "barriers",
                        barrier(),
                        (group, memory) -> group.monitoredBarrier(LIMIT, true),
                        List.of("barrier()", "monitored barrier()")),
                new Disagreement(
                        "factor",
                        reduced(new PreMulSum(0.5)),
                        reduced(new PreMulSum(0.25)),
                        List.of("PREMUL_SUM(0.5)", "PREMUL_SUM(0.25)")));
    }

    private Stream<Disagreement> disagreementsOfOwnReductions() {
        CustomReduction own = CustomReduction.ofFloats("a", Math::max);
        CustomReduction other = CustomReduction.ofFloats("b", Math::max);
        return reduces(own, DType.FLOAT32)
                ? Stream.of(new Disagreement(
                        "own reduction", reduced(own), reduced(other), List.of("custom(a)", "custom(b)")))
                : Stream.empty();
    }

    private static Call reduced(Reduction op) {
        return (group, memory) -> group.allReduce(memory.input(DType.FLOAT32, 5, 0, group.rank()), op);
    }

    private static Disagreement disagreementOfAlgorithms() {
        Call large = allReduce(DType.INT32, 30_000, ReduceOp.SUM);
        return new Disagreement(
                "algorithm",
                algorithm("ring", large),
                algorithm("recursive-doubling", large),
                List.of(
                        "all-reduce(INT32 × 30000, SUM) by ring",
                        "all-reduce(INT32 × 30000, SUM) by recursive-doubling"));
    }

    final Stream<Arguments> disagreementsAndSizes() {
        Stream<Disagreement> ofLinks = areOverLinks() ? Stream.of(disagreementOfAlgorithms()) : Stream.empty();
        Stream<Disagreement> ofPairs = disagreementsOfPairs().stream();
        Stream<Disagreement> ofAll = Stream.of(
                        disagreements().stream(),
                        disagreementsOfRows().stream(),
                        disagreementsOfOwnReductions(),
                        ofPairs)
                .flatMap(each -> each);
        return Stream.concat(ofAll, ofLinks)
                .flatMap(each -> IntStream.of(2, 3, 5).mapToObj(size -> Arguments.of(each, size)));
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}, size={1}")
    @MethodSource("disagreementsAndSizes")
    void ranks_thatCallDifferentThings_areToldWhoCalledWhat(Disagreement disagreement, int size) {
        inSharedWorld(size, groups -> requireToldAndGoingOn(disagreement, groups));
    }

    private void requireToldAndGoingOn(Disagreement disagreement, List<ProcessGroup> groups) {
        int size = groups.size();
        for (int odd : new int[] {0, size - 1}) {
            try (GuardedMemory memory = new GuardedMemory(home())) {
                List<Outcome> outcomes = outcomes(
                        groups,
                        group -> (group.rank() == odd ? disagreement.one() : disagreement.most()).apply(group, memory));

                requireTold(outcomes, disagreement, odd);
                Call next = allReduce(DType.FLOAT32, 30_000, ReduceOp.SUM);
                all(groups, group -> next.apply(group, memory));
            }
        }
    }

    private static void requireTold(List<Outcome> outcomes, Disagreement disagreement, int odd) {
        List<String> told = new ArrayList<>();
        for (int rank = 0; rank < outcomes.size(); rank++) {
            if (outcomes.get(rank) instanceof Outcome.Failure failure) {
                assertThat(failure.error()).isInstanceOf(MismatchException.class);
                String text = String.valueOf(failure.error().getMessage());
                assertThat(text).as("its own call").contains("rank " + rank + " called ");
                told.add(text);
            }
        }
        assertThat(outcomes.get(odd)).as("the rank that called something else").isInstanceOf(Outcome.Failure.class);
        assertThat(told).as("ranks that were told").hasSizeGreaterThanOrEqualTo(2);
        requireOneText(told);
        assertThat(told)
                .anySatisfy(
                        text -> assertThat(text).contains(disagreement.texts()).contains("rank " + odd + " called "));
    }

    /** A rank that calls after the verdict finds its own call where the texts of the others say that it had not issued it. */
    private static void requireOneText(List<String> told) {
        Set<String> frames = new TreeSet<>();
        Map<String, Set<String>> called = new TreeMap<>();
        for (String text : told) {
            Matcher each = CALLED.matcher(text);
            while (each.find()) {
                Set<String> calls = called.computeIfAbsent(each.group("rank"), ignored -> new TreeSet<>());
                if (each.group("call") != null) {
                    calls.add(each.group("call"));
                }
            }
            frames.add(CALLED.matcher(text).replaceAll(""));
        }
        assertThat(frames).as("one text for all").hasSize(1);
        assertThat(called.values())
                .as("one call of each rank: " + told)
                .allSatisfy(calls -> assertThat(calls).hasSizeLessThanOrEqualTo(1));
    }
}
