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

    private BlockLoops() {}

    /** {@return how many of the part's first numbers were encoded, with what is lost of them} */
    static long encode(
            BlockQuantization codec,
            Source source,
            Strip strip,
            long first,
            long count,
            @Nullable MemorySegment after,
            MemorySegment encoded,
            long encodedAt) {
        int block = codec.block();
        boolean toBytes = codec.levels() == BlockQuantization.BYTE_LEVELS;
        DirectLoop loop = toBytes ? DirectLoop.QUANTIZE_TO_BYTES : DirectLoop.QUANTIZE_TO_HALF_BYTES;
        if (block % FloatVectors.GRAIN != 0 || !loop.isReady() || !source.isDirect(encoded, after)) {
            return 0;
        }
        long blocks = source.present(first, count) / block;
        for (long done = 0; done < blocks; done++) {
            long at = first + done * block;
            long to = encodedAt + done * codec.blockBytes(block);
            done += toBytes
                    ? FloatVectors.quantizeToBytes(
                            source.valueAddress(at),
                            source.beforeAddress(at),
                            Source.addressOf(after, at),
                            encoded.address() + to,
                            block,
                            blocks - done)
                    : FloatVectors.quantizeToHalfBytes(
                            source.valueAddress(at),
                            source.beforeAddress(at),
                            Source.addressOf(after, at),
                            encoded.address() + to,
                            block,
                            blocks - done);
            if (done < blocks) {
                codec.encodeFrom(done * block, source, strip, first, (done + 1) * block, after, encoded, encodedAt);
            }
        }
        // Memory that the collector frees stays until here.
        Reference.reachabilityFence(source);
        Reference.reachabilityFence(after);
        Reference.reachabilityFence(encoded);
        return blocks * block;
    }

    /** {@return how many of the first elements were decoded} */
    static long decode(
            BlockQuantization codec,
            MemorySegment part,
            double weight,
            boolean adds,
            DType type,
            MemorySegment target,
            long count) {
        int block = codec.block();
        boolean ofBytes = codec.levels() == BlockQuantization.BYTE_LEVELS;
        DirectLoop loop = ofBytes ? DirectLoop.DEQUANTIZE_BYTES : DirectLoop.DEQUANTIZE_HALF_BYTES;
        if (block % FloatVectors.GRAIN != 0 || !loop.isReady() || !Source.isDirect(type, part, target)) {
            return 0;
        }
        long blocks = count / block;
        if (ofBytes) {
            FloatVectors.dequantizeBytes(part.address(), (float) weight, adds, target.address(), block, blocks);
        } else {
            FloatVectors.dequantizeHalfBytes(part.address(), (float) weight, adds, target.address(), block, blocks);
        }
        Reference.reachabilityFence(part);
        Reference.reachabilityFence(target);
        return blocks * block;
    }
}
