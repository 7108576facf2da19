package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A number that two tensors have in common if their bits are the same, and otherwise hardly ever. */
final class ResultHash {

    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private ResultHash() {}

    static long of(Tensor tensor) {
        MemorySegment segment = tensor.segment();
        long hash = segment.byteSize();
        long at = 0;
        for (; at + Long.BYTES <= segment.byteSize(); at += Long.BYTES) {
            hash = (hash ^ segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at)) * FACTOR;
            hash ^= hash >>> Integer.SIZE;
        }
        for (; at < segment.byteSize(); at++) {
            hash = (hash ^ segment.get(ValueLayout.JAVA_BYTE, at)) * FACTOR;
        }
        return hash;
    }
}
