package io.reactivecomm.compression.internal.levels;

import io.reactivecomm.Tensor;

/** The quantisation of one level's chunks, with the state of each or without any. */
public interface ChunkEncoder {

    /**
     * Encodes a chunk.
     *
     * @param index of the chunk among those of the level
     * @param encoded all bytes of the encoding
     */
    void encode(Tensor chunk, int index, Tensor encoded);
}
