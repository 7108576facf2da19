package io.reactivecomm.compression.internal.lowrank;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.compression.internal.call.CodecThreads;
import io.reactivecomm.compression.internal.call.StepMemory;
import io.reactivecomm.compression.internal.state.Generation;
import io.reactivecomm.compression.internal.state.StateShape;
import io.reactivecomm.compression.reduce.PowerSgdOptions;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongPredicate;
import reactor.core.publisher.Mono;

/**
 * One compressed step of PowerSGD:
 *
 * <pre>
 *   Q  from the step before, or drawn ── orthogonalised
 *   M = gradient + error,  P = M Q ──────── all-reduce(P), all-reduce(rest)
 *   P orthogonalised,  Q = Mᵀ P ─────────── all-reduce(Q), meanwhile error = M − P Qᵀ with this rank's Q
 *   gradient = P Qᵀ
 * </pre>
 *
 * <p>P, Q and with them the result have the same bits on all ranks, since they come from all-reduces and each rank goes on with the same arithmetic.
 *
 * <p><b>Threads.</b> Those of {@link CodecThreads}, one after the other but for the error, which writes what nothing else reads then.
 */
public final class PowerSgdStep {

    /** The place of what the factors have lost, among the tensors that are kept. */
    public static final int ERRORS = 0;

    /** The place of the second factors. */
    public static final int FACTORS = 1;

    /** A block and its error are in the second cache together. */
    private static final int BLOCK_ELEMENTS = 8192;

    /**
     * The elements of one step, with what the step before has left.
     *
     * @param plan of the elements
     * @param group makes the calls
     * @param values this rank's elements, which the sum replaces; in the host's memory
     * @param op SUM, AVG or a PreMulSum
     * @param now what the step before has left
     * @param next takes what this one leaves
     * @param isFinished whether this rank has no inputs: its matrices are zeros without their errors, which stay
     */
    public record Load(
            LowRankPlan plan,
            PowerSgdOptions options,
            ProcessGroup group,
            Tensor values,
            Reduction op,
            Generation now,
            Generation next,
            boolean isFinished) {

        /** {@return what is kept of a plan, by place} */
        public static List<StateShape.Kept> kept(LowRankPlan plan, PowerSgdOptions options) {
            return List.of(
                    new StateShape.Kept(DType.FLOAT32, options.feedsBack() ? plan.errorCount() : 0),
                    new StateShape.Kept(DType.FLOAT32, options.warmStart() ? plan.qCount() : 0));
        }
    }

    private final Load load;
    private final LowRankPlan plan;
    private final Tensor values;
    private final Tensor rest;
    private final Tensor p;
    private final Tensor ownQ;
    private final Tensor q;

    private PowerSgdStep(Load load, StepMemory memory) {
        this.load = load;
        this.plan = load.plan();
        this.values = load.values();
        this.rest = memory.of(() -> load.group().allocate(values.type(), plan.restCount()));
        this.p = memory.of(() -> load.group().allocate(DType.FLOAT32, plan.pCount()));
        this.ownQ = memory.of(() -> load.group().allocate(DType.FLOAT32, plan.qCount()));
        this.q = load.options().warmStart()
                ? load.next().kept(FACTORS)
                : memory.of(() -> Tensor.allocate(DType.FLOAT32, plan.qCount()));
    }

    /** {@return the moves that keep what earlier steps have left of the matrices whose elements are absent, and of all on a finished rank} */
    public static List<Move> keep(Load load, LongPredicate isAbsent) {
        List<Move> moves = new ArrayList<>();
        for (LowRankMatrix matrix : load.plan().matrices()) {
            if (isAbsent.test(matrix.at())) {
                keep(moves, load, ERRORS, matrix.errorAt(), matrix.count());
                keep(moves, load, FACTORS, matrix.qAt(), matrix.qCount());
            } else if (load.isFinished()) {
                keep(moves, load, ERRORS, matrix.errorAt(), matrix.count());
            }
        }
        return moves;
    }

    private static void keep(List<Move> moves, Load load, int place, long from, long count) {
        Tensor before = load.now().kept(place);
        if (before.count() > 0) {
            moves.add(
                    Move.copy(before.slice(from, count), load.next().kept(place).slice(from, count)));
        }
    }

    /** {@return the end, when the sum is in the values} */
    public static Mono<Void> run(Load load) {
        return StepMemory.with(memory -> new PowerSgdStep(load, memory).run());
    }

    private Mono<Void> run() {
        return CodecThreads.run(load.group(), this::findP)
                .then(Mono.defer(this::reduceP))
                .then(CodecThreads.run(load.group(), this::findQ))
                .then(Mono.defer(this::reduceQ))
                .then(CodecThreads.run(load.group(), this::multiply));
    }

    private Mono<Void> reduceP() {
        List<Mono<Work>> calls = new ArrayList<>();
        calls.add(load.group().allReduce(p, load.op()));
        if (rest.count() > 0) {
            calls.add(load.group().allReduce(rest, load.op()));
        }
        return load.group().batch(calls).then();
    }

    /** Both read this rank's Q. The memory is given back when both have ended. */
    private Mono<Void> reduceQ() {
        Mono<Void> call = load.group().allReduce(ownQ, q, load.op()).then();
        return load.options().feedsBack()
                ? Mono.whenDelayError(call, CodecThreads.run(load.group(), this::findErrors))
                : call;
    }

    private void findP() {
        moveRest(true);
        forEach((matrix, stage) -> {
            float[] factor = start(matrix, stage);
            float[] product = new float[matrix.pCount()];
            float[] error = new float[matrix.blockRows(BLOCK_ELEMENTS) * matrix.columns()];
            forEachBlock(matrix, (block, first, rows, at) -> {
                int n = rows * matrix.columns();
                stage.read(values, matrix.at() + at, block, n);
                if (load.options().feedsBack()) {
                    if (!load.isFinished()) {
                        stage.read(load.now().kept(ERRORS), matrix.errorAt() + at, error, n);
                        LowRankKernel.add(block, error, n);
                    }
                    stage.write(block, load.next().kept(ERRORS), matrix.errorAt() + at, n);
                }
                LowRankKernel.timesQ(matrix, block, first, rows, factor, product);
            });
            stage.write(product, p, matrix.pAt(), product.length);
        });
    }

    /** {@return the orthogonal columns that the step begins with} Zeros, as those of a first step are, are drawn. */
    private float[] start(LowRankMatrix matrix, FloatStage stage) {
        float[] factor = new float[matrix.qCount()];
        if (load.options().warmStart()) {
            stage.read(load.now().kept(FACTORS), matrix.qAt(), factor, factor.length);
        }
        Random dice = new Random(seed(matrix));
        GramSchmidt.orthogonalize(factor, matrix.columns(), matrix.rank(), dice);
        return factor;
    }

    /** {@return a seed for each matrix and step} The sequence of {@link Random} is part of Java, so ranks of all JVMs draw alike. */
    private long seed(LowRankMatrix matrix) {
        return (load.options().seed() * 0x9E37_79B9_7F4A_7C15L + load.now().step()) * 0xD134_2543_DE82_EF95L
                + matrix.index();
    }

    private void findQ() {
        forEach((matrix, stage) -> {
            float[] basis = new float[matrix.pCount()];
            stage.read(p, matrix.pAt(), basis, basis.length);
            GramSchmidt.orthogonalize(basis, matrix.rows(), matrix.rank(), null);
            stage.write(basis, p, matrix.pAt(), basis.length);
            float[] product = new float[matrix.qCount()];
            forEachBlock(matrix, (block, first, rows, at) -> {
                readMatrix(matrix, stage, block, at, rows);
                LowRankKernel.addTransposedTimesP(matrix, block, first, rows, basis, product);
            });
            stage.write(product, ownQ, matrix.qAt(), product.length);
        });
    }

    private void readMatrix(LowRankMatrix matrix, FloatStage stage, float[] block, long at, int rows) {
        if (load.options().feedsBack()) {
            stage.read(load.next().kept(ERRORS), matrix.errorAt() + at, block, rows * matrix.columns());
        } else {
            stage.read(values, matrix.at() + at, block, rows * matrix.columns());
        }
    }

    private void findErrors() {
        forEach((matrix, stage) -> {
            Factors factors = new Factors(matrix, stage, ownQ);
            forEachBlock(matrix, (block, first, rows, at) -> {
                readMatrix(matrix, stage, block, at, rows);
                LowRankKernel.addProduct(matrix, block, first, rows, factors.p, factors.q, -1);
                stage.write(block, load.next().kept(ERRORS), matrix.errorAt() + at, rows * matrix.columns());
            });
        });
    }

    private void multiply() {
        moveRest(false);
        forEach((matrix, stage) -> {
            Factors factors = new Factors(matrix, stage, q);
            forEachBlock(matrix, (block, first, rows, at) -> {
                Arrays.fill(block, 0);
                LowRankKernel.addProduct(matrix, block, first, rows, factors.p, factors.q, 1);
                stage.write(block, values, matrix.at() + at, rows * matrix.columns());
            });
        });
    }

    /** Both factors of a matrix, as arrays. */
    private final class Factors {

        private final float[] p;
        private final float[] q;

        Factors(LowRankMatrix matrix, FloatStage stage, Tensor second) {
            this.p = new float[matrix.pCount()];
            this.q = new float[matrix.qCount()];
            stage.read(PowerSgdStep.this.p, matrix.pAt(), p, p.length);
            stage.read(second, matrix.qAt(), q, q.length);
        }
    }

    /** Moves what is not factored out of the values, or back. */
    private void moveRest(boolean isOut) {
        List<Move> moves = new ArrayList<>();
        long at = 0;
        for (LowRankPlan.Run run : plan.rest()) {
            Tensor inValues = values.slice(run.at(), run.count());
            Tensor inRest = rest.slice(at, run.count());
            if (isOut) {
                moves.add(Move.copy(inValues, inRest));
            } else {
                moves.add(Move.copy(inRest, inValues));
            }
            at += run.count();
        }
        HostMoves.run(moves);
    }

    /** Work on one matrix. */
    private interface MatrixWork {
        void on(LowRankMatrix matrix, FloatStage stage);
    }

    /** Work on some rows of a matrix, which lie {@code at} elements behind its first. */
    private interface BlockWork {
        void on(float[] block, int first, int rows, long at);
    }

    private void forEach(MatrixWork work) {
        try (FloatStage stage = new FloatStage()) {
            plan.matrices().forEach(matrix -> work.on(matrix, stage));
        }
    }

    private static void forEachBlock(LowRankMatrix matrix, BlockWork work) {
        int blockRows = matrix.blockRows(BLOCK_ELEMENTS);
        float[] block = new float[blockRows * matrix.columns()];
        for (int first = 0; first < matrix.rows(); first += blockRows) {
            work.on(block, first, Math.min(blockRows, matrix.rows() - first), (long) first * matrix.columns());
        }
    }
}
