package io.reactivecomm.compression.internal.levels;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.compression.internal.call.CodecThreads;
import io.reactivecomm.compression.internal.call.StepMemory;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * One level of a quantised reduce-scatter: chunks are quantised, go to their ranks by one all-to-all, and are added up there in rank order.
 *
 * <p>Of n ranks, chunk {@code i·n + j} goes to rank j, as its i-th. Two ranks, four chunks:
 *
 * <pre>
 *   rank 0   | 0 | 1 | 2 | 3 |      0 and 2 ─&gt; sums of rank 0
 *   rank 1   | 0 | 1 | 2 | 3 |      1 and 3 ─&gt; sums of rank 1
 * </pre>
 *
 * <p>Chunks are quantised in the order in which they leave, so that nothing is moved to make room for what goes to one rank together.
 */
public final class QuantizedLevel {

    private final Load load;
    private final ProcessGroup group;
    private final int chunksOfEach;
    private final long bytes;
    private final Tensor outgoing;
    private final Tensor incoming;

    /**
     * The elements of one level.
     *
     * @param group of this level
     * @param codec of a fixed length
     * @param encoder writes what the codec reads
     * @param values the chunks of all ranks of the group
     * @param sum takes the sums of this rank's chunks; of the accumulator's type
     * @param chunk how many elements a chunk has
     * @param weight what each rank's elements are multiplied by
     */
    public record Load(
            ProcessGroup group,
            Codec codec,
            ChunkEncoder encoder,
            Tensor values,
            Tensor sum,
            long chunk,
            double weight) {}

    private QuantizedLevel(Load load, StepMemory memory) {
        this.load = load;
        this.group = load.group();
        this.chunksOfEach = Math.toIntExact(load.sum().count() / load.chunk());
        this.bytes = load.codec().maxEncodedBytes(load.chunk());
        long all = Math.multiplyExact(bytes, (long) chunksOfEach * group.size());
        this.outgoing = memory.of(() -> group.allocate(DType.UINT8, all));
        this.incoming = memory.of(() -> group.allocate(DType.UINT8, all));
    }

    /** {@return the end, with the bytes that this rank has sent to others} The sums are there then. */
    public static Mono<Long> run(Load load) {
        return StepMemory.with(memory -> new QuantizedLevel(load, memory).run());
    }

    private Mono<Long> run() {
        return CodecThreads.run(group, this::encode)
                .then(Mono.defer(() -> group.allToAll(outgoing, incoming)).then())
                .then(CodecThreads.run(group, this::addUp))
                .then(Mono.fromSupplier(() -> (group.size() - 1) * chunksOfEach * bytes));
    }

    private void encode() {
        for (int rank = 0; rank < group.size(); rank++) {
            for (int i = 0; i < chunksOfEach; i++) {
                int index = i * group.size() + rank;
                load.encoder()
                        .encode(
                                load.values().slice(index * load.chunk(), load.chunk()),
                                index,
                                encoding(outgoing, rank, i));
            }
        }
    }

    private void addUp() {
        HostMoves.run(List.of(Move.zeros(load.sum())));
        for (int rank = 0; rank < group.size(); rank++) {
            for (int i = 0; i < chunksOfEach; i++) {
                load.codec()
                        .decodeAndAdd(
                                encoding(incoming, rank, i),
                                load.weight(),
                                load.sum().slice(i * load.chunk(), load.chunk()));
            }
        }
    }

    private Tensor encoding(Tensor encodings, int rank, int i) {
        return encodings.slice(((long) rank * chunksOfEach + i) * bytes, bytes);
    }
}
