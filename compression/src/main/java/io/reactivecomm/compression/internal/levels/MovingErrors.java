package io.reactivecomm.compression.internal.levels;

import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.Codec;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.List;

/**
 * LoCo's errors of one level's chunks, which are kept as bytes: {@code lost = chunk + e − decoded}, then {@code e = β·e + (1 − β)·lost}.
 *
 * <p>A block of zeros is zeros when it is decoded, so that memory of zeros is a buffer without errors.
 */
public final class MovingErrors implements ChunkEncoder {

    /** Errors of a level lie one behind the other, chunk by chunk, in this encoding. */
    public static final BlockQuantization STORAGE = BlockQuantization.int8();

    private final Codec codec;
    private final double beta;
    private final boolean isReset;
    private final Tensor now;
    private final Tensor next;

    /**
     * Errors.
     *
     * @param codec of the chunks
     * @param isReset whether they begin as zeros, whatever {@code now} is
     * @param now what the step before has left
     * @param next takes what this one leaves
     */
    public MovingErrors(Codec codec, double beta, boolean isReset, Tensor now, Tensor next) {
        this.codec = codec;
        this.beta = beta;
        this.isReset = isReset;
        this.now = now;
        this.next = next;
    }

    @Override
    public void encode(Tensor chunk, int index, Tensor encoded) {
        long bytes = STORAGE.maxEncodedBytes(chunk.count());
        Tensor kept = now.slice(index * bytes, bytes);
        try (Tensor error = Tensor.allocate(chunk.type().accumulator(), chunk.count());
                Tensor lost = Tensor.allocate(error.type(), error.count());
                Tensor mixed = Tensor.allocate(error.type(), error.count())) {
            long[] length = new long[1];
            if (!isReset) {
                STORAGE.decode(kept, error);
            }
            codec.encodeWithError(chunk, error, lost, 1, encoded, length);
            HostMoves.run(List.of(Move.scaled(lost, mixed, 1 - beta)));
            if (!isReset) {
                STORAGE.decodeAndAdd(kept, (float) beta, mixed);
            }
            STORAGE.encode(mixed, 1, next.slice(index * bytes, bytes), length);
        }
    }
}
