package io.reactivecomm.compression.reduce;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Move;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.internal.call.InHostMemory;
import io.reactivecomm.compression.internal.call.Lasting;
import io.reactivecomm.compression.internal.call.Weights;
import io.reactivecomm.compression.internal.levels.ChunkEncoder;
import io.reactivecomm.compression.internal.levels.LevelFeedback;
import io.reactivecomm.compression.internal.levels.QuantizedLevel;
import io.reactivecomm.kernel.HostMoves;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * A reduce-scatter whose elements travel quantised, over two levels: first between the ranks of a host, then between hosts. ZeRO++'s qgZ.
 *
 * <pre>{@code
 * world.mesh(new Dimension("host", hosts), new Dimension("rank", ranksOfEach)).flatMap(mesh ->
 *         QuantizedReduceScatter.of(world, mesh.axis("rank"), mesh.axis("host"), BlockQuantization.int4())
 *                 .reduceScatter(gradient, shard, ReduceOp.AVG));
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
 * <p><b>Cost.</b> With E bytes for an encoded tensor, L ranks of a host and H hosts: two all-to-alls, of E·(L−1)/L and of E·(H−1)/(L·H) bytes sent by a rank.
 *
 * <p><b>Threads.</b> Any. Immutable; it owns no memory and no group.
 *
 * <p><b>Source.</b> Wang et al., <em>ZeRO++</em>, 2023, section 3.3; DeepSpeed's all_to_all_quant_reduce.
 */
public final class QuantizedReduceScatter {

    private final ProcessGroup world;
    private final ProcessGroup withinHost;
    private final ProcessGroup acrossHosts;
    private final BlockQuantization codec;

    private QuantizedReduceScatter(ProcessGroup world, ProcessGroup withinHost, ProcessGroup acrossHosts, BlockQuantization codec) {
        this.world = world;
        this.withinHost = withinHost;
        this.acrossHosts = acrossHosts;
        this.codec = codec;
    }

    /**
     * {@return one over those groups}
     *
     * @param world all ranks, host by host
     * @param withinHost those of this rank's host
     * @param acrossHosts those that have this rank's place on their hosts
     * @throws InvalidCallException if the ranks of the groups are others
     */
    public static QuantizedReduceScatter of(ProcessGroup world, ProcessGroup withinHost, ProcessGroup acrossHosts, BlockQuantization codec) {
        Objects.requireNonNull(codec, "a quantised reduce-scatter has no codec; give one, such as BlockQuantization.int4()");
        requireLevels(world, withinHost, acrossHosts);
        return new QuantizedReduceScatter(world, withinHost, acrossHosts, codec);
    }

    BlockQuantization codec() {
        return codec;
    }

    int ranks() {
        return world.size();
    }

    /** {@return what ranks must have in common} */
    String label() {
        return codec.label() + ", " + acrossHosts.size() + " hosts of " + withinHost.size();
    }

    private static void requireLevels(ProcessGroup world, ProcessGroup withinHost, ProcessGroup acrossHosts) {
        int ranksOfHost = withinHost.size();
        boolean isWhole = (long) ranksOfHost * acrossHosts.size() == world.size();
        for (int i = 0; isWhole && i < ranksOfHost; i++) {
            isWhole = world.globalRank(acrossHosts.rank() * ranksOfHost + i) == withinHost.globalRank(i);
        }
        for (int host = 0; isWhole && host < acrossHosts.size(); host++) {
            isWhole = world.globalRank(host * ranksOfHost + withinHost.rank()) == acrossHosts.globalRank(host);
        }
        if (!isWhole) {
            throw new InvalidCallException("groups are not the two levels of their world: world=" + world.ranks() + ", withinHost=" + withinHost.ranks() + ", acrossHosts="
                    + acrossHosts.ranks() + "; order the world's ranks host by host, with as many on each, and give the groups of a mesh of hosts and ranks");
        }
    }

    /** {@return the reduce-scatter, cold; each subscription is a call} */
    public Mono<Compressed> reduceScatter(Tensor tensor, Tensor output, Reduction op) {
        ChunkEncoder plain = (chunk, index, encoded) -> codec.encode(chunk, 1, encoded, new long[1]);
        return call("no feedback", tensor, output, op,
                (inside, values, levels) -> levels.apply(List.of(plain, plain)).map(bytes -> new Compressed(0, true, bytes)));
    }

    /**
     * As {@link #reduceScatter}, with state.
     *
     * @param what tells which, to be compared by ranks
     */
    Mono<Compressed> call(String what, Tensor tensor, Tensor output, Reduction op, LevelFeedback feedback) {
        String operation = "quantised reduce-scatter(" + what + ", " + tensor.type() + List.of(tensor.count(), tensor.shape().length) + ", " + op.label() + ", " + label() + ")";
        return Lasting.composite(
                world.composite(operation).borrowing(List.of(tensor, output)).waitingOnly(), inside -> Mono.defer(() -> begun(inside, tensor, output, op, feedback)));
    }

    private Mono<Compressed> begun(ProcessGroup inside, Tensor tensor, Tensor output, Reduction op, LevelFeedback feedback) {
        Weights.requireReducible(Weights.refusal(tensor.type()), tensor, op);
        requireShard(tensor, output);
        boolean isCompressed = tensor.shape().length > 1 && tensor.count() > 0 && tensor.count() % (2L * world.size()) == 0;
        if (!isCompressed) {
            return inside.reduceScatter(tensor, output, op).map(work -> new Compressed(0, false, 0));
        }
        double weight = Weights.of(op, world.size(), tensor.type());
        return InHostMemory.read(inside, tensor, values -> InHostMemory.write(inside, output,
                shard -> feedback.around(inside, values, encoders -> levels(inside, encoders, values, shard, weight))));
    }

    private void requireShard(Tensor tensor, Tensor output) {
        if (output.type() != tensor.type() || output.count() != tensor.count() / world.size() || tensor.count() % world.size() != 0) {
            throw new InvalidCallException("an output is no shard of its input: input=" + tensor + ", output=" + output + ", ranks=" + world.size()
                    + "; give the same type, and the input's elements over the ranks");
        }
    }

    /** {@return how many chunks this rank quantises at each level, by the places of {@link LevelFeedback}; none at one that is left out} */
    List<Integer> chunks() {
        if (acrossHosts.size() == 1) {
            return List.of(world.size(), 0);
        }
        return List.of(withinHost.size() == 1 ? 0 : world.size(), acrossHosts.size());
    }

    private Mono<Long> levels(ProcessGroup inside, List<ChunkEncoder> encoders, Tensor values, Tensor shard, double weight) {
        ChunkEncoder within = encoders.get(LevelFeedback.WITHIN);
        ChunkEncoder across = encoders.get(LevelFeedback.ACROSS);
        if (acrossHosts.size() == 1) {
            return level(inside.within(withinHost), within, values, shard, weight);
        }
        if (withinHost.size() == 1) {
            return level(inside.within(acrossHosts), across, values, shard, weight);
        }
        Tensor sums = Tensor.allocate(values.type().accumulator(), shard.count() * acrossHosts.size());
        return new QuantizedLevel(inside.within(withinHost), codec, within, values, sums, shard.count(), weight)
                .run()
                .flatMap(first -> level(inside.within(acrossHosts), across, sums, shard, 1).map(second -> first + second))
                .doFinally(end -> sums.close());
    }

    /** {@return the last level, whose sums are the shard once they are rounded to its type} */
    private Mono<Long> level(ProcessGroup group, ChunkEncoder encoder, Tensor values, Tensor shard, double weight) {
        Tensor sum = Tensor.allocate(values.type().accumulator(), shard.count());
        return new QuantizedLevel(group, codec, encoder, values, sum, shard.count(), weight)
                .run()
                .doOnNext(bytes -> HostMoves.run(List.of(Move.copy(sum, shard))))
                .doFinally(end -> sum.close());
    }
}
