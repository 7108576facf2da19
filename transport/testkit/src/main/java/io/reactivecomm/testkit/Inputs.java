package io.reactivecomm.testkit;

import io.reactivecomm.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What ranks contribute: elements that differ by rank, index and call, so that one that goes astray is seen.
 *
 * <p>Floating-point elements spread over some binary orders and have random fractions, so that another order of summation gives other
 * bits; among them are zeros of both signs. There is no infinity and no NaN. Booleans are false, true and odd spellings of true.
 */
public final class Inputs {

    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private Inputs() {}

    /**
     * {@return the bits of one element}
     *
     * @param salt tells calls apart
     */
    public static long bits(DType type, int salt, int rank, long index) {
        long random = mix(mix(salt * 1_000_003L + rank) + index);
        return switch (type) {
            case INT8, UINT8, FLOAT8_E4M3, FLOAT8_E5M2 -> random & 0xFF;
            case INT32, UINT32 -> random & 0xFFFF_FFFFL;
            case INT64, UINT64 -> random;
            case BOOL -> (random & 3) == 0 ? 0 : (random & 3) == 1 ? 1 : random >>> 56 | 2;
            case FLOAT16 -> Float.floatToFloat16(Float.intBitsToFloat((int) floatBits(random))) & 0xFFFFL;
            case BFLOAT16 -> floatBits(random) >>> 16;
            case FLOAT32 -> floatBits(random);
            case FLOAT64 -> doubleBits(random);
        };
    }

    /** Fills a segment with a rank's elements. */
    public static void fill(MemorySegment target, DType type, int salt, int rank) {
        long count = target.byteSize() / type.byteSize();
        for (long i = 0; i < count; i++) {
            put(target, type, i, bits(type, salt, rank, i));
        }
    }

    /** Writes the bits of one element. */
    public static void put(MemorySegment target, DType type, long index, long bits) {
        switch (type.byteSize()) {
            case 1 -> target.set(ValueLayout.JAVA_BYTE, index, (byte) bits);
            case 2 -> target.set(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2, (short) bits);
            case 4 -> target.set(ValueLayout.JAVA_INT_UNALIGNED, index * 4, (int) bits);
            case 8 -> target.set(ValueLayout.JAVA_LONG_UNALIGNED, index * 8, bits);
            default -> throw new IllegalArgumentException("no element is so wide: type=" + type);
        }
    }

    /** {@return the bits of one element} */
    static long get(MemorySegment source, DType type, long index) {
        return switch (type.byteSize()) {
            case 1 -> source.get(ValueLayout.JAVA_BYTE, index) & 0xFFL;
            case 2 -> source.get(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2) & 0xFFFFL;
            case 4 -> source.get(ValueLayout.JAVA_INT_UNALIGNED, index * 4) & 0xFFFF_FFFFL;
            case 8 -> source.get(ValueLayout.JAVA_LONG_UNALIGNED, index * 8);
            default -> throw new IllegalArgumentException("no element is so wide: type=" + type);
        };
    }

    private static long mix(long seed) {
        long z = seed * GOLDEN;
        z = (z ^ (z >>> 32)) * 0xBF58_476D_1CE4_E5B9L;
        return z ^ (z >>> 29);
    }

    private static long floatBits(long random) {
        long sign = (random >>> 8 & 1) << 31;
        long exponent = 124 + Math.floorMod(random >>> 10, 6L);
        return (random & 0x1F) == 0 ? sign : sign | exponent << 23 | random >>> 40 & 0x7F_FFFF;
    }

    private static long doubleBits(long random) {
        long sign = (random >>> 8 & 1) << 63;
        long exponent = 1020 + Math.floorMod(random >>> 10, 6L);
        return (random & 0x1F) == 0 ? sign : sign | exponent << 52 | mix(random) & 0xF_FFFF_FFFF_FFFFL;
    }
}
