package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.TensorHome;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;

/** The base of the contracts of compressed all-reduces: one reduction for each rank, steps on all ranks, and what a sequential loop makes of them. */
abstract class CompressedWorld extends WorldContract {

    static final CompressionOptions ONE_BIT = CompressionOptions.inTwoSteps(new OneBit());

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    final void closeAll() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        open.clear();
    }

    <T extends AutoCloseable> T kept(T resource) {
        open.add(resource);
        return resource;
    }

    List<CompressedAllReduce> reductions(int ranks, CompressionOptions options) {
        return IntStream.range(0, ranks)
                .mapToObj(rank -> kept(CompressedAllReduce.of(options)))
                .toList();
    }

    SequentialReduction expected(CompressionOptions options, DType type, int count, int ranks) {
        return kept(new SequentialReduction(options, type, count, ranks));
    }

    List<Tensor> inputs(DType type, int count, int ranks, int seed) {
        return IntStream.range(0, ranks)
                .mapToObj(rank -> kept(random(type, count, 31 * seed + rank)))
                .toList();
    }

    private static Tensor random(DType type, int count, int seed) {
        Random dice = new Random(seed);
        float[] numbers = new float[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = (float) dice.nextGaussian();
        }
        Tensor tensor = Tensor.allocate(type, count);
        try (Tensor floats = Tensor.of(numbers)) {
            HostMoves.run(List.of(Move.copy(floats, tensor)));
        }
        return tensor;
    }

    /** Runs a step on tensors of the host, which is done where this world's tensors are. */
    List<End> step(
            List<ProcessGroup> groups, List<CompressedAllReduce> reductions, List<Tensor> tensors, Reduction op) {
        List<Tensor> there = tensors.stream().map(this::there).toList();
        List<End> ends = End.ofAll(
                groups,
                LIMIT,
                group -> reductions.get(group.rank()).allReduce(group, "x", there.get(group.rank()), op));
        for (int rank = 0; rank < there.size(); rank++) {
            takeBack(there.get(rank), tensors.get(rank), ends.get(rank));
        }
        return ends;
    }

    /** {@return a tensor where this world's are; closed, if it is closed} */
    private Tensor there(Tensor tensor) {
        if (!tensor.isClosed() || home() == TensorHome.HOST) {
            return home().copy(tensor, home().device(0));
        }
        Tensor closed = home().copy(kept(Tensor.allocate(tensor.type(), tensor.count())), home().device(0));
        closed.close();
        return closed;
    }

    /** What failed is not looked at. */
    private void takeBack(Tensor there, Tensor tensor, End end) {
        if (there == tensor) {
            return;
        }
        if (end.error() == null) {
            tensor.segment().copyFrom(home().read(there));
        }
        there.close();
    }

    static void requireWell(List<End> ends) {
        assertThat(ends).allSatisfy(end -> assertThat(end.error()).isNull());
    }

    /** Requires so many right steps of random elements. */
    void requireSteps(
            List<ProcessGroup> groups,
            List<CompressedAllReduce> reductions,
            SequentialReduction expected,
            DType type,
            int count,
            Reduction op,
            int steps) {
        double weight = op == ReduceOp.AVG ? 1.0 / groups.size() : op instanceof PreMulSum scaled ? scaled.factor() : 1;
        for (int i = 0; i < steps; i++) {
            List<Tensor> tensors = inputs(type, count, groups.size(), (int) expected.steps());
            byte[] sum = expected.step(tensors, weight);
            requireWell(step(groups, reductions, tensors, op));
            for (int rank = 0; rank < groups.size(); rank++) {
                assertThat(SequentialReduction.bytes(tensors.get(rank)))
                        .as("rank %d, step %d", rank, i)
                        .isEqualTo(sum);
            }
        }
    }
}
