package io.reactivecomm.compression;

import io.reactivecomm.DType;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@link BlockQuantization}'s work that goes straight on memory: whole blocks of FLOAT32, of a multiple of {@link
 * FloatVectors#GRAIN} elements.
 */
final class BlockLoops {

    private static final int HEADER_BYTES = Double.BYTES;

    private BlockLoops() {}

    /** {@return how many of the part's first numbers were encoded, with what is lost of them} */
    static long encode(
            BlockQuantization codec, Source source, Strip strip, long first, long count, @Nullable MemorySegment after, MemorySegment encoded, long encodedAt) {
        int block = codec.block();
        boolean toBytes = codec.levels() == BlockQuantization.BYTE_LEVELS;
        DirectLoop loop = toBytes ? DirectLoop.QUANTIZE_TO_BYTES : DirectLoop.QUANTIZE_TO_HALF_BYTES;
        if (block % FloatVectors.GRAIN != 0 || !loop.isReady() || !source.isDirect(encoded, after)) {
            return 0;
        }
        long end = source.present(first, count) / block * block;
        long to = encodedAt;
        for (long at = 0; at < end; at += block) {
            long values = source.valueAddress(first + at);
            long before = source.beforeAddress(first + at);
            long lost = Source.addressOf(after, first + at);
            double largest = FloatStrip.finite(FloatVectors.largestMagnitude(values, before, block));
            if (largest > 0) {
                float raise = FloatStrip.raise(largest);
                float scale = FloatStrip.scale(largest, codec.levels());
                LittleEndian.putDouble(encoded, to, largest);
                long bytes = encoded.address() + to + HEADER_BYTES;
                if (toBytes) {
                    FloatVectors.quantizeToBytes(values, before, lost, raise, scale, (float) largest, bytes, block);
                } else {
                    FloatVectors.quantizeToHalfBytes(values, before, lost, raise, scale, (float) largest, bytes, block);
                }
            } else {
                // Nothing but zeros, or something that is no finite number.
                codec.encodeFrom(at, source, strip, first, at + block, after, encoded, encodedAt);
            }
            to += codec.blockBytes(block);
        }
        // Memory that the collector frees stays until here.
        Reference.reachabilityFence(source);
        Reference.reachabilityFence(after);
        Reference.reachabilityFence(encoded);
        return end;
    }

    /** {@return how many of the first elements were decoded} */
    static long decode(BlockQuantization codec, MemorySegment part, double weight, boolean adds, DType type, MemorySegment target, long count) {
        int block = codec.block();
        boolean ofBytes = codec.levels() == BlockQuantization.BYTE_LEVELS;
        DirectLoop loop = ofBytes ? DirectLoop.DEQUANTIZE_BYTES : DirectLoop.DEQUANTIZE_HALF_BYTES;
        if (block % FloatVectors.GRAIN != 0 || !loop.isReady() || !Source.isDirect(type, part, target)) {
            return 0;
        }
        long end = count / block * block;
        long from = 0;
        for (long at = 0; at < end; at += block) {
            float by = (float) LittleEndian.doubleAt(part, from) * (float) weight;
            long bytes = part.address() + from + HEADER_BYTES;
            if (ofBytes) {
                FloatVectors.dequantizeBytes(bytes, by, adds, Source.addressOf(target, at), block);
            } else {
                FloatVectors.dequantizeHalfBytes(bytes, by, adds, Source.addressOf(target, at), block);
            }
            from += codec.blockBytes(block);
        }
        Reference.reachabilityFence(part);
        Reference.reachabilityFence(target);
        return end;
    }
}
