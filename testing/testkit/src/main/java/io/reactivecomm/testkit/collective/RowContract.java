package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/**
 * The contract of what every engine computes where a call has several tensors, or parts that differ in length. These are coalesced, ragged,
 * gather, scatter and the three all-to-alls, bit for bit as the {@link Oracle} has it.
 *
 * <p>The calls of one size run together, each rank subscribing in an order of its own; then they are subscribed to again.
 */
public abstract class RowContract extends WorldContract {

    private static final long PRIME = 1031;

    /** More than an engine moves at once. */
    private static final long SEVERAL_PIECES_BYTES = 600 << 10;

    private static final long MEBIBYTE = 1 << 20;

    private static final int TINY_TENSORS = 5_000;

    /** What is only moved is moved alike whatever its type: beyond so many ranks, with as many tensors squared, a few types are enough. */
    private static final int MOST_RANKS_OF_ALL_TYPES = 8;

    private static final List<Form> FORMS = List.of(
            Form.ALL_REDUCE_COALESCED,
            Form.INFERENCE_ALL_REDUCE,
            Form.ALL_GATHER_RAGGED,
            Form.ALL_GATHER_COALESCED,
            Form.REDUCE_SCATTER_RAGGED,
            Form.ALL_TO_ALL,
            Form.ALL_TO_ALL_SPLITS,
            Form.ALL_TO_ALL_LISTS,
            Form.GATHER,
            Form.SCATTER,
            Form.SCOPE);

    /** {@return the shapes to try} */
    protected ShapeMatrix matrix() {
        return ShapeMatrix.full();
    }

    /** Few shapes of a form are no reason for a world of its own. */
    final Stream<Arguments> formsAndSizes() {
        List<List<Form>> together =
                matrix().exhaustive() ? FORMS.stream().map(List::of).toList() : List.of(FORMS);
        return matrix().sizes().stream().flatMap(size -> together.stream().map(forms -> Arguments.of(forms, size)));
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}, size={1}")
    @MethodSource("formsAndSizes")
    void rows_eachTypeReductionAndCut_matchOracle(List<Form> forms, int size) {
        List<ProcessGroup> groups = world(size);
        forms.forEach(form -> requireOracles(form, groups));
    }

    private void requireOracles(Form form, List<ProcessGroup> groups) {
        int size = groups.size();
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<RowRun> runs = new ArrayList<>();
            int turn = 0;
            for (List<Long> lengths : cuts(form, size)) {
                for (Result.Question each : questions(form, lengths, size, turn++)) {
                    runs.add(new RowRun(each, turn % 2 == 0, size, 1 + runs.size(), memory));
                    turn += matrix().exhaustive() ? 1 : 0;
                }
            }
            runTogether(groups, runs, 31L * size + form.ordinal(), 2);
        }
    }

    /** {@return the call with every type and reduction, or with a few of them that change from cut to cut} */
    private List<Result.Question> questions(Form form, List<Long> lengths, int size, int turn) {
        List<Result.Question> all = new ArrayList<>();
        for (DType type : DType.values()) {
            for (ReduceOp op : ReduceOp.values()) {
                boolean fits = form.reduces() ? op.supports(type) && reduces(op, type) : op == ReduceOp.SUM;
                if (fits) {
                    all.add(new Result.Question(form, type, lengths, (turn + all.size()) % size, op));
                }
            }
        }
        return matrix().exhaustive() && (form.reduces() || size <= MOST_RANKS_OF_ALL_TYPES)
                ? all
                : IntStream.range(0, all.size())
                        .filter(i -> i % 5 == turn % 5)
                        .mapToObj(all::get)
                        .toList();
    }

    private static List<List<Long>> cuts(Form form, int size) {
        List<Long> counts = List.of(0L, 1L, size - 1L, (long) size, size + 1L, PRIME);
        if (form.lengths(size) == 1) {
            return counts.stream().distinct().map(List::of).toList();
        }
        if (form.lengths(size) == 0) {
            return List.of(
                    List.of(7L),
                    List.of(0L),
                    List.of(0L, 0L, 0L),
                    List.of(5L, 0L, 1L, PRIME, 3L, 0L),
                    List.of(2L, 2L, 2L, 2L));
        }
        int parts = form.lengths(size);
        List<List<Long>> cuts = new ArrayList<>();
        cuts.add(Collections.nCopies(parts, 0L));
        cuts.add(Collections.nCopies(parts, 3L));
        cuts.add(mixed(parts, i -> counts.get((i * 7 + i / counts.size()) % counts.size())));
        cuts.add(mixed(parts, i -> i == parts - 1 ? PRIME : 0));
        return cuts;
    }

    private static List<Long> mixed(int parts, IntToLongFunction length) {
        return IntStream.range(0, parts).mapToLong(length).boxed().toList();
    }

    @ParameterizedTest(name = "size={0}")
    @ValueSource(ints = {1, 2, 3, 5})
    void rows_severalPieces_matchOracle(int size) {
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<RowRun> runs = new ArrayList<>();
            for (Form form : FORMS) {
                DType type = form.ordinal() % 2 == 0
                        ? DType.FLOAT32
                        : reducible(ReduceOp.SUM, DType.BFLOAT16, DType.FLOAT64);
                long several = SEVERAL_PIECES_BYTES / type.byteSize();
                int parts = Math.max(1, form.lengths(size) == 0 ? 3 : form.lengths(size));
                List<Long> lengths = LongStream.range(0, parts)
                        .map(i -> i % 3 == 2 ? 1 : several + i)
                        .boxed()
                        .toList();
                runs.add(new RowRun(
                        new Result.Question(form, type, lengths, size - 1, ReduceOp.SUM),
                        size % 2 == 0,
                        size,
                        1 + runs.size(),
                        memory));
            }
            runTogether(groups, runs, size, 1);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("coalesced")
    void coalesced_manyTinyTensors_matchOracle(Form form) {
        int size = 3;
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            // On a device each is filled and read by moves of its own.
            long tensors = home() == TensorHome.HOST ? TINY_TENSORS : TINY_TENSORS / 5;
            List<Long> lengths =
                    LongStream.range(0, tensors).map(i -> i % 4).boxed().toList();
            RowRun run = new RowRun(
                    new Result.Question(form, DType.FLOAT32, lengths, 0, ReduceOp.SUM), true, size, 1, memory);
            runTogether(groups, List.of(run), 1, 2);
        }
    }

    final Stream<Form> coalesced() {
        return Stream.of(Form.ALL_REDUCE_COALESCED, Form.ALL_GATHER_COALESCED);
    }

    /** Up to a limit of all ranks' bytes together an engine may take another way than beyond it. */
    @ParameterizedTest(name = "size={0}")
    @ValueSource(ints = {1, 2, 3, 8})
    void inferenceAllReduce_aroundAndBeyondOneMebibyteInAll_matchesOracle(int size) {
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<RowRun> runs = new ArrayList<>();
            for (DType type :
                    matrix().exhaustive() ? List.of(DType.values()) : List.of(DType.FLOAT32, DType.BFLOAT16)) {
                ReduceOp op = ReduceOp.SUM.supports(type) ? ReduceOp.SUM : ReduceOp.BOR;
                long most = MEBIBYTE / size / type.byteSize();
                LongStream.of(most, most + 1, 2 * most + PRIME)
                        .filter(count -> op.supports(type) && reduces(op, type))
                        .forEach(count -> runs.add(new RowRun(
                                new Result.Question(Form.INFERENCE_ALL_REDUCE, type, List.of(count), 0, op),
                                true,
                                size,
                                1 + runs.size(),
                                memory)));
            }
            runTogether(groups, runs, size, 1);
        }
    }

    @ParameterizedTest(name = "size={0}")
    @ValueSource(ints = {1, 4})
    void work_ofRows_saysWhatWasDone(int size) {
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            for (Form form : FORMS) {
                int parts = Math.max(1, form.lengths(size));
                List<Long> lengths = Collections.nCopies(parts, 2L);
                RowRun run = new RowRun(
                        new Result.Question(form, DType.INT32, lengths, 0, ReduceOp.SUM), false, size, 1, memory);
                for (Work work : all(groups, run::assemble)) {
                    assertThat(work.operation()).isEqualTo(form.operation().label());
                    assertThat(work.algorithm()).isNotEmpty();
                    assertThat(work.tensors()).allMatch(tensor -> tensor.type() == DType.INT32);
                }
            }
            List<Tensor> inputs =
                    groups.stream().map(group -> memory.tensor(DType.INT32, 2)).toList();
            List<Tensor> outputs = IntStream.range(0, size)
                    .mapToObj(rank -> memory.tensor(DType.INT32, 2))
                    .toList();
            List<Work> gathered = all(
                    groups,
                    group -> group.gather(inputs.get(group.rank()), group.rank() == 0 ? outputs : List.of(), 0));
            assertThat(gathered.getFirst().tensors()).isEqualTo(outputs);
            assertThat(gathered.subList(1, size))
                    .allMatch(work -> work.tensors().isEmpty());
        }
    }

    /** Runs calls all at once, each rank in an order of its own, and checks them; as often as told, as further subscriptions. */
    private static void runTogether(List<ProcessGroup> groups, List<RowRun> runs, long seed, int times) {
        Random random = new Random(seed);
        List<List<Mono<Work>>> assembled = groups.stream()
                .map(group -> runs.stream()
                        .map(run -> run.assemble(group)
                                .onErrorMap(error ->
                                        new AssertionError("failed: rank=" + group.rank() + ", " + run, error)))
                        .toList())
                .toList();
        for (int time = 0; time < times; time++) {
            allShuffled(assembled, random);
            runs.forEach(RowRun::verify);
            runs.forEach(RowRun::fill);
        }
    }
}
