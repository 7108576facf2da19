package io.reactivecomm.compression.reduce;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.FiniteElements;
import io.reactivecomm.compression.internal.call.CodecThreads;
import io.reactivecomm.compression.internal.call.InHostMemory;
import io.reactivecomm.compression.internal.call.Lasting;
import io.reactivecomm.compression.internal.call.StepMemory;
import io.reactivecomm.compression.internal.call.Weights;
import io.reactivecomm.compression.internal.levels.ChunkEncoder;
import io.reactivecomm.compression.internal.levels.LevelFeedback;
import io.reactivecomm.device.Move;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * A reduce-scatter whose elements travel quantised, over two levels: first between the ranks of a host, then between hosts. ZeRO++'s qgZ.
 *
 * <pre>{@code
 * QuantizedReduceScatter.of(BlockQuantization.int4()).reduceScatter(levels, gradient, shard, ReduceOp.AVG).subscribe();
 * }</pre>
 *
 * <p>Two hosts of two ranks; elements in four chunks, of which rank 1 gets the second:
 *
 * <pre>
 *   in the host      rank 1 gets chunks 1 and 3 of ranks 0 and 1, quantised, and adds up each; rank 3 those of ranks 2 and 3
 *   between hosts    rank 1 gets the sum of chunk 1 from rank 3, quantised anew, and adds it to its own, which is quantised too
 * </pre>
 *
 * <p>So what crosses between hosts is one shard for each other host, whatever the ranks of a host are: a flat all-to-all sends as many times more as those are. Elements are
 * quantised twice however many ranks there are, while in a ring they would be at each step.
 *
 * <p><b>What comes out</b> is the same, bit by bit, on all transports: both sums are taken in rank order, in the type's accumulator. A level of one rank is left out; of a world of one
 * rank, elements are quantised once. Error feedback is {@link LoCoReduceScatter}.
 *
 * <p><b>Special values.</b> A NaN or an infinity in the shard of one rank makes all elements of all ranks' shards NaN, and {@link Compressed#isFinite} false on all ranks. So a step is
 * skipped on all ranks or on none.
 *
 * <p><b>Uncompressed.</b> Tensors of fewer than two dimensions, which are biases and norms and want all bits, and those whose elements are no multiple of twice the world's ranks, are
 * given to {@link ProcessGroup#reduceScatter(Tensor, Tensor, Reduction)}, as in DeepSpeed.
 *
 * <p><b>Shapes.</b> FLOAT16, BFLOAT16, FLOAT32 and FLOAT64; SUM, AVG or {@link PreMulSum}. The output has the input's type and its elements over the world's ranks. <b>In place</b> if the
 * output is this rank's part of the input.
 *
 * <p><b>Devices.</b> Codecs run on the host: elements of a device are moved there and back.
 *
 * <p><b>One composite call</b> of the world is each reduce-scatter: a rank that fails in it is an error on all.
 *
 * <p><b>Errors.</b> Those of {@link ProcessGroup#reduceScatter(Tensor, Tensor, Reduction)}; {@link io.reactivecomm.compression.DecodingException} for bytes that no codec has written.
 *
 * <p><b>Cost.</b> With E bytes for an encoded tensor, L ranks of a host and H hosts: two all-to-alls, of E·(L−1)/L and of E·(H−1)/(L·H) bytes sent by a rank,
 * and an all-reduce of one number, in which ranks tell each other whether their shards are finite.
 *
 * <p><b>Threads.</b> Any. Immutable; it owns no memory and no group.
 *
 * <p><b>Source.</b> Wang et al., <em>ZeRO++</em>, 2023, section 3.3; DeepSpeed's all_to_all_quant_reduce.
 */
public final class QuantizedReduceScatter {

    private final BlockQuantization codec;

    private QuantizedReduceScatter(BlockQuantization codec) {
        this.codec = codec;
    }

    /** {@return one by that codec} */
    public static QuantizedReduceScatter of(BlockQuantization codec) {
        return new QuantizedReduceScatter(Objects.requireNonNull(
                codec, "a quantised reduce-scatter has no codec; give one, such as BlockQuantization.int4()"));
    }

    /** {@return the reduce-scatter, cold; each subscription is a call} */
    public Mono<Compressed> reduceScatter(Levels levels, Tensor tensor, Tensor output, Reduction op) {
        Objects.requireNonNull(levels, "levels");
        Objects.requireNonNull(tensor, "tensor");
        Objects.requireNonNull(output, "output");
        Objects.requireNonNull(op, "op");
        ChunkEncoder plain = (chunk, index, encoded) -> codec.encode(chunk, 1, encoded, new long[1]);
        return call(
                levels,
                "no feedback",
                codec,
                tensor,
                output,
                op,
                (inside, values, both) -> both.apply(List.of(plain, plain)));
    }

    /**
     * {@return a reduce-scatter with state or without}
     *
     * @param what tells which, to be compared by ranks
     */
    static Mono<Compressed> call(
            Levels levels,
            String what,
            BlockQuantization codec,
            Tensor tensor,
            Tensor output,
            Reduction op,
            LevelFeedback feedback) {
        String operation = "quantised reduce-scatter(" + what + ", " + tensor.type()
                + List.of(tensor.count(), tensor.shape().length) + ", " + op.label() + ", " + codec.label() + ", "
                + levels.label() + ")";
        return new CompressedCall(Operation.REDUCE_SCATTER, operation, List.of(tensor), List.of(output))
                .in(
                        levels.world(),
                        inside -> Mono.defer(() -> begun(levels, inside, codec, tensor, output, op, feedback))
                                .flatMap(done -> done.isFinite()
                                        ? Mono.just(done)
                                        : spoilt(inside, output).thenReturn(done)));
    }

    private static Mono<Compressed> begun(
            Levels levels,
            ProcessGroup inside,
            BlockQuantization codec,
            Tensor tensor,
            Tensor output,
            Reduction op,
            LevelFeedback feedback) {
        Weights.requireReducible(Weights.refusal(tensor.type()), tensor, op);
        requireShard(tensor, output, levels.ranks());
        boolean isCompressed =
                tensor.shape().length > 1 && tensor.count() > 0 && tensor.count() % (2L * levels.ranks()) == 0;
        if (!isCompressed) {
            return inside.reduceScatter(tensor, output, op)
                    .then(InHostMemory.read(inside, output, shard -> areFinite(inside, shard)))
                    .map(areFinite -> new Compressed(0, false, 0, areFinite));
        }
        double weight = Weights.of(op, levels.ranks(), tensor.type());
        return InHostMemory.read(
                inside,
                tensor,
                values -> InHostMemory.write(
                        inside,
                        output,
                        shard -> feedback.around(
                                inside,
                                values,
                                encoders -> new QuantizedLevels(levels, inside, codec, encoders)
                                        .run(values, shard, weight)
                                        .flatMap(bytes -> areFinite(inside, shard)
                                                .map(areFinite -> new Compressed(0, true, bytes, areFinite))))));
    }

    /** {@return whether the shards of all ranks are finite} Each rank has its own. */
    private static Mono<Boolean> areFinite(ProcessGroup group, Tensor shard) {
        return StepMemory.with(memory -> CodecThreads.on(group, () -> {
            Tensor finite = memory.of(() -> Tensor.of(new int[] {FiniteElements.only(shard) ? 1 : 0}));
            return group.allReduce(finite, ReduceOp.MIN).map(work -> finite.toIntArray()[0] == 1);
        }));
    }

    private static Mono<Void> spoilt(ProcessGroup group, Tensor output) {
        return Lasting.whileItGoesOn(Mono.defer(() ->
                group.move(List.of(Move.scaled(output, output, Double.NaN))).completed()));
    }

    private static void requireShard(Tensor tensor, Tensor output, int ranks) {
        if (output.type() != tensor.type() || output.count() != tensor.count() / ranks || tensor.count() % ranks != 0) {
            throw new InvalidCallException("an output is no shard of its input: input=" + tensor + ", output=" + output
                    + ", ranks=" + ranks + "; give the same type, and the input's elements over the ranks");
        }
    }
}
