package io.reactivecomm.testkit;

import io.reactivecomm.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The contributions of ranks: elements that differ by rank, index and call, so that one that goes astray is seen.
 *
 * <p>Floating-point elements spread over some binary orders and have random fractions, so that another order of summation gives other
 * bits; among them are zeros of both signs. There is no infinity and no NaN. Booleans are false, true and odd spellings of true.
 */
public final class Inputs {

    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    /** Elements that are made at once, in arrays: one by one, through a segment or a handle, each took several times as long. */
    public static final int BLOCK = 1024;

    private Inputs() {}

    /**
     * {@return the bits of one element}
     *
     * @param salt tells calls apart
     */
    public static long bits(DType type, int salt, int rank, long index) {
        long[] one = new long[1];
        bits(type, salt, rank, index, 1, one);
        return one[0];
    }

    /** Writes the bits of so many elements, from one on. */
    public static void bits(DType type, int salt, int rank, long from, int count, long[] target) {
        long first = mix(salt * 1_000_003L + rank) + from;
        for (int i = 0; i < count; i++) {
            target[i] = mix(first + i);
        }
        switch (type) {
            case INT64, UINT64 -> {}
            case INT32, UINT32 -> mask(target, count, 0xFFFF_FFFFL);
            case INT8, UINT8, FLOAT8_E4M3, FLOAT8_E5M2 -> mask(target, count, 0xFF);
            case BOOL -> booleans(target, count);
            case FLOAT16 -> float16s(target, count);
            case BFLOAT16 -> bfloat16s(target, count);
            case FLOAT32 -> floats(target, count);
            case FLOAT64 -> doubles(target, count);
        }
    }

    /** Fills a segment with a rank's elements. */
    public static void fill(MemorySegment target, DType type, int salt, int rank) {
        long count = target.byteSize() / type.byteSize();
        long[] block = new long[(int) Math.min(BLOCK, count)];
        for (long from = 0; from < count; from += BLOCK) {
            int some = (int) Math.min(BLOCK, count - from);
            bits(type, salt, rank, from, some, block);
            pack(type, block, some, target, from);
        }
    }

    /** {@return a rank's elements} */
    public static byte[] given(DType type, int salt, int rank, long count) {
        byte[] bytes = new byte[Math.toIntExact(count * type.byteSize())];
        fill(MemorySegment.ofArray(bytes), type, salt, rank);
        return bytes;
    }

    /** {@return the first element of a rank that is not there, or -1} */
    public static long mismatch(MemorySegment actual, DType type, int salt, int rank) {
        byte[] expected = given(type, salt, rank, actual.byteSize() / type.byteSize());
        long difference = actual.mismatch(MemorySegment.ofArray(expected));
        return difference < 0 ? difference : difference / type.byteSize();
    }

    /** Writes the bits of so many elements as a tensor has them, from its element {@code from} on. */
    public static void pack(DType type, long[] bits, int count, MemorySegment target, long from) {
        switch (type.byteSize()) {
            case 1 -> MemorySegment.copy(bytes(bits, count), 0, target, ValueLayout.JAVA_BYTE, from, count);
            case 2 ->
                MemorySegment.copy(shorts(bits, count), 0, target, ValueLayout.JAVA_SHORT_UNALIGNED, from * 2, count);
            case 4 -> MemorySegment.copy(ints(bits, count), 0, target, ValueLayout.JAVA_INT_UNALIGNED, from * 4, count);
            case 8 -> MemorySegment.copy(bits, 0, target, ValueLayout.JAVA_LONG_UNALIGNED, from * 8, count);
            default -> throw new IllegalArgumentException("no element is so wide: type=" + type);
        }
    }

    private static byte[] bytes(long[] bits, int count) {
        byte[] narrow = new byte[count];
        for (int i = 0; i < count; i++) {
            narrow[i] = (byte) bits[i];
        }
        return narrow;
    }

    private static short[] shorts(long[] bits, int count) {
        short[] narrow = new short[count];
        for (int i = 0; i < count; i++) {
            narrow[i] = (short) bits[i];
        }
        return narrow;
    }

    private static int[] ints(long[] bits, int count) {
        int[] narrow = new int[count];
        for (int i = 0; i < count; i++) {
            narrow[i] = (int) bits[i];
        }
        return narrow;
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
    public static long get(MemorySegment source, DType type, long index) {
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

    // From random bits elements of a kind, in place and in loops of their own: to ask for the type at each element took
    // half of the time.

    private static void mask(long[] random, int count, long mask) {
        for (int i = 0; i < count; i++) {
            random[i] &= mask;
        }
    }

    private static void booleans(long[] random, int count) {
        for (int i = 0; i < count; i++) {
            long kind = random[i] & 3;
            random[i] = kind < 2 ? kind : random[i] >>> 56 | 2;
        }
    }

    private static void floats(long[] random, int count) {
        for (int i = 0; i < count; i++) {
            long each = random[i];
            long sign = (each >>> 8 & 1) << 31;
            long exponent = 124 + (each >>> 10) % 6;
            random[i] = (each & 0x1F) == 0 ? sign : sign | exponent << 23 | each >>> 40 & 0x7F_FFFF;
        }
    }

    private static void float16s(long[] random, int count) {
        floats(random, count);
        for (int i = 0; i < count; i++) {
            random[i] = Float.floatToFloat16(Float.intBitsToFloat((int) random[i])) & 0xFFFFL;
        }
    }

    private static void bfloat16s(long[] random, int count) {
        floats(random, count);
        for (int i = 0; i < count; i++) {
            random[i] >>>= 16;
        }
    }

    private static void doubles(long[] random, int count) {
        for (int i = 0; i < count; i++) {
            long each = random[i];
            long sign = (each >>> 8 & 1) << 63;
            long exponent = 1020 + (each >>> 10) % 6;
            random[i] = (each & 0x1F) == 0 ? sign : sign | exponent << 52 | mix(each) & 0xF_FFFF_FFFF_FFFFL;
        }
    }
}
