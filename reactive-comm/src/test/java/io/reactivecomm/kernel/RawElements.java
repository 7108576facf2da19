package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.reactivecomm.DType;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Elements of any type as their bits in a long, upper bits 0. */
final class RawElements {

    private static final float[] SPECIAL = {
        0f,
        -0f,
        Float.NaN,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY,
        Float.MIN_VALUE,
        -Float.MIN_NORMAL,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
        65504f,
        0x1p-24f
    };

    private RawElements() {}

    static long get(MemorySegment segment, DType type, long index) {
        long at = index * type.byteSize();
        return switch (type.byteSize()) {
            case 1 -> segment.get(JAVA_BYTE, at) & 0xFFL;
            case 2 -> segment.get(JAVA_SHORT_UNALIGNED, at) & 0xFFFFL;
            case 4 -> segment.get(JAVA_INT_UNALIGNED, at) & 0xFFFF_FFFFL;
            default -> segment.get(JAVA_LONG_UNALIGNED, at);
        };
    }

    static void set(MemorySegment segment, DType type, long index, long bits) {
        long at = index * type.byteSize();
        switch (type.byteSize()) {
            case 1 -> segment.set(JAVA_BYTE, at, (byte) bits);
            case 2 -> segment.set(JAVA_SHORT_UNALIGNED, at, (short) bits);
            case 4 -> segment.set(JAVA_INT_UNALIGNED, at, (int) bits);
            default -> segment.set(JAVA_LONG_UNALIGNED, at, bits);
        }
    }

    /** Integers of all bits, floats mostly of a middling size and now and then special, every other BOOL false. */
    static long random(DType type, SplittableRandom random) {
        float value = random.nextInt(16) == 0
                ? SPECIAL[random.nextInt(SPECIAL.length)]
                : (random.nextFloat() - 0.5f) * (1 << random.nextInt(8));
        return switch (type) {
            case FLOAT32, FLOAT16, BFLOAT16 -> of(type, value);
            case FLOAT64 -> Double.doubleToRawLongBits(value * (1 + random.nextDouble()));
            case BOOL -> random.nextBoolean() ? 0 : 1L << random.nextInt(8);
            default -> random.nextLong() >>> (64 - 8 * type.byteSize());
        };
    }

    /** The number in a floating-point type, with what does not fit into BFLOAT16 cut off. */
    static long of(DType type, float value) {
        return switch (type) {
            case FLOAT32 -> Float.floatToRawIntBits(value) & 0xFFFF_FFFFL;
            case FLOAT64 -> Double.doubleToRawLongBits(value);
            case FLOAT16 -> Float.floatToFloat16(value) & 0xFFFFL;
            case BFLOAT16 -> Float.floatToRawIntBits(value) >>> 16;
            default -> throw new AssertionError(type);
        };
    }
}
