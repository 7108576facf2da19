package io.reactivecomm.testkit;

import io.reactivecomm.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The contributions of ranks: elements that differ by rank, index and call, so that one that goes astray is seen.
 *
 * <p>Floating-point elements spread over some binary orders and have random fractions, so that another order of summation gives other
 * bits; among them are zeros of both signs. There is no infinity and no NaN. Booleans are false, true and odd spellings of true.
 */
public final class Inputs {

    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    /** Elements that are made at once, in arrays: through a segment, whose memory may be any, each took ten times as long. */
    static final int BLOCK = 1024;

    private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.nativeOrder());
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private Inputs() {}

    /**
     * {@return the bits of one element}
     *
     * @param salt tells calls apart
     */
    public static long bits(DType type, int salt, int rank, long index) {
        return bits(type, seed(salt, rank), index);
    }

    private static long seed(int salt, int rank) {
        return mix(salt * 1_000_003L + rank);
    }

    private static long bits(DType type, long seed, long index) {
        long random = mix(seed + index);
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

    /** Writes the bits of so many elements, from one on. */
    static void bits(DType type, int salt, int rank, long from, int count, long[] target) {
        long seed = seed(salt, rank);
        for (int i = 0; i < count; i++) {
            target[i] = bits(type, seed, from + i);
        }
    }

    /** Fills a segment with a rank's elements. */
    public static void fill(MemorySegment target, DType type, int salt, int rank) {
        long count = target.byteSize() / type.byteSize();
        long[] block = new long[(int) Math.min(BLOCK, count)];
        byte[] bytes = new byte[block.length * type.byteSize()];
        for (long from = 0; from < count; from += BLOCK) {
            int some = (int) Math.min(BLOCK, count - from);
            bits(type, salt, rank, from, some, block);
            pack(type, block, some, bytes);
            MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, from * type.byteSize(), some * type.byteSize());
        }
    }

    /** {@return a rank's elements} */
    static byte[] given(DType type, int salt, int rank, long count) {
        byte[] bytes = new byte[Math.toIntExact(count * type.byteSize())];
        fill(MemorySegment.ofArray(bytes), type, salt, rank);
        return bytes;
    }

    /** {@return the first element of a rank that is not there, or -1} */
    static long mismatch(MemorySegment actual, DType type, int salt, int rank) {
        byte[] expected = given(type, salt, rank, actual.byteSize() / type.byteSize());
        long difference = actual.mismatch(MemorySegment.ofArray(expected));
        return difference < 0 ? difference : difference / type.byteSize();
    }

    /** Writes the bits of so many elements as a tensor has them. */
    static void pack(DType type, long[] bits, int count, byte[] target) {
        for (int i = 0; i < count; i++) {
            switch (type.byteSize()) {
                case 1 -> target[i] = (byte) bits[i];
                case 2 -> SHORTS.set(target, i * 2, (short) bits[i]);
                case 4 -> INTS.set(target, i * 4, (int) bits[i]);
                case 8 -> LONGS.set(target, i * 8, bits[i]);
                default -> throw new IllegalArgumentException("no element is so wide: type=" + type);
            }
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
