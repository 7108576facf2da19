package io.reactivecomm.testkit.group;

import io.reactivecomm.Collectives;
import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GuardedMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A rank's calls of every operation that can be coalesced, two of a kind so that they are fused, with lengths that do not divide evenly. */
final class ScopedProgram {

    private static final int TURNS = 2;

    private final ProcessGroup group;
    private final GuardedMemory memory;
    private final Reduction greater;
    private final DType narrow;
    private final List<Tensor> results = new ArrayList<>();
    private int salt;

    /**
     * @param greater takes the greater of two integers
     * @param narrow the type of an average, if possible one that is rounded from a wider sum
     */
    ScopedProgram(ProcessGroup group, GuardedMemory memory, Reduction greater, DType narrow) {
        this.group = group;
        this.memory = memory;
        this.greater = greater;
        this.narrow = narrow;
    }

    ProcessGroup group() {
        return group;
    }

    /** Makes the calls there. {@return what became of them} */
    <R> List<R> calls(Collectives<R> there) {
        List<R> made = new ArrayList<>();
        for (int turn = 0; turn < TURNS; turn++) {
            made.addAll(reductions(there, turn));
            made.addAll(gathers(there, turn));
            made.addAll(exchanges(there, turn));
            made.addAll(rooted(there, turn));
        }
        return made;
    }

    private <R> List<R> reductions(Collectives<R> there, int turn) {
        return List.of(
                there.allReduce(inPlace(DType.FLOAT32, 5 + turn), ReduceOp.SUM),
                there.allReduce(input(DType.FLOAT32, 70_001), output(DType.FLOAT32, 70_001), ReduceOp.SUM),
                there.allReduce(inPlace(narrow, 13), ReduceOp.AVG),
                there.allReduce(inPlace(DType.FLOAT32, 7), new PreMulSum(0.5)),
                there.allReduce(inPlace(DType.INT64, 4), greater),
                there.allReduceCoalesced(List.of(inPlace(DType.FLOAT32, 0), inPlace(DType.FLOAT32, 3)), ReduceOp.SUM),
                there.inferenceAllReduce(inPlace(DType.INT32, 6), ReduceOp.MAX));
    }

    private <R> List<R> gathers(Collectives<R> there, int turn) {
        long size = group.size();
        long own = ragged(turn, group.rank());
        return List.of(
                there.allGather(input(DType.INT32, 4), output(DType.INT32, 4 * size)),
                there.allGather(input(DType.INT32, own), outputs(DType.INT32, turn)),
                there.allGatherCoalesced(List.of(input(DType.INT8, 2)), List.of(output(DType.INT8, 2 * size))),
                there.reduceScatter(input(DType.FLOAT64, 3 * size), output(DType.FLOAT64, 3), ReduceOp.SUM),
                there.reduceScatter(inputs(DType.FLOAT64, turn), output(DType.FLOAT64, own), ReduceOp.SUM));
    }

    private <R> List<R> exchanges(Collectives<R> there, int turn) {
        long size = group.size();
        long each = 1L + turn;
        long[] splits = IntStream.range(0, group.size()).mapToLong(peer -> each).toArray();
        List<Tensor> sent = IntStream.range(0, group.size())
                .mapToObj(peer -> input(DType.UINT8, each))
                .toList();
        List<Tensor> taken = IntStream.range(0, group.size())
                .mapToObj(peer -> output(DType.UINT8, each))
                .toList();
        return List.of(
                there.allToAll(input(DType.UINT8, 2 * size), output(DType.UINT8, 2 * size)),
                there.allToAll(input(DType.UINT8, each * size), splits, output(DType.UINT8, each * size), splits),
                there.allToAll(sent, taken));
    }

    private <R> List<R> rooted(Collectives<R> there, int turn) {
        int root = group.size() - 1;
        boolean isRoot = group.rank() == root;
        long own = ragged(turn, group.rank());
        return List.of(
                there.broadcast(inPlace(DType.FLOAT16, 9), root),
                there.reduce(inPlace(DType.INT32, 40_000), root, ReduceOp.MIN),
                there.gather(input(DType.INT64, own), isRoot ? outputs(DType.INT64, turn) : List.of(), root),
                there.scatter(isRoot ? inputs(DType.INT64, turn) : List.of(), output(DType.INT64, own), root));
    }

    private static long ragged(int turn, int rank) {
        return 3L + turn + rank;
    }

    private List<Tensor> inputs(DType type, int turn) {
        return IntStream.range(0, group.size())
                .mapToObj(rank -> input(type, ragged(turn, rank)))
                .toList();
    }

    private List<Tensor> outputs(DType type, int turn) {
        return IntStream.range(0, group.size())
                .mapToObj(rank -> output(type, ragged(turn, rank)))
                .toList();
    }

    private Tensor input(DType type, long count) {
        return memory.input(type, count, salt++, group.rank());
    }

    private Tensor output(DType type, long count) {
        Tensor tensor = memory.tensor(type, count);
        results.add(tensor);
        return tensor;
    }

    private Tensor inPlace(DType type, long count) {
        Tensor tensor = input(type, count);
        results.add(tensor);
        return tensor;
    }

    /** Requires the same bits in every result. */
    void requireSameAs(ScopedProgram other) {
        if (results.size() != other.results.size()) {
            throw new AssertionError("other results: " + results.size() + " and " + other.results.size());
        }
        for (int i = 0; i < results.size(); i++) {
            long at = memory.home().read(results.get(i)).mismatch(memory.home().read(other.results.get(i)));
            if (at >= 0) {
                throw new AssertionError("results differ: result=" + i + ", byte=" + at + ", rank=" + group.rank()
                        + ", " + results.get(i));
            }
        }
    }
}
