package io.reactivecomm.rcomm.perf;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Values that repeat every {@value #PERIOD} elements, small whole numbers that differ by rank and place: sums of them are exact in every
 * type, so a result is right or wrong without a tolerance.
 *
 * @param values one period, from the element that the caller calls the first
 */
record Pattern(long[] values) {

    /** A prime, so that no usual chunk size hides elements that landed in another's place. */
    static final int PERIOD = 5;

    /** {@return what a rank puts in: 1 to 5, starting elsewhere for each rank} */
    static Pattern of(int rank) {
        long[] values = new long[PERIOD];
        for (int i = 0; i < PERIOD; i++) {
            values[i] = 1 + (i + 3L * rank) % PERIOD;
        }
        return new Pattern(values);
    }

    /** {@return the sum of what all ranks put in} */
    static Pattern sum(int ranks) {
        long[] values = new long[PERIOD];
        for (int rank = 0; rank < ranks; rank++) {
            Pattern input = of(rank);
            for (int i = 0; i < PERIOD; i++) {
                values[i] += input.values[i];
            }
        }
        return new Pattern(values);
    }

    /** {@return the pattern from that element on} */
    Pattern from(long first) {
        long[] moved = new long[PERIOD];
        for (int i = 0; i < PERIOD; i++) {
            moved[i] = values[(int) ((first + i) % PERIOD)];
        }
        return new Pattern(moved);
    }

    /** Writes the pattern over a tensor. */
    void fill(Tensor tensor) {
        long[] bits = bits(tensor.type());
        MemorySegment segment = tensor.segment();
        int width = tensor.type().byteSize();
        for (long i = 0; i < tensor.count(); i++) {
            put(segment, width, i, bits[(int) (i % PERIOD)]);
        }
    }

    /** {@return how many elements are not as the pattern has them, bit by bit} */
    long wrong(Tensor tensor) {
        long[] bits = bits(tensor.type());
        MemorySegment segment = tensor.segment();
        int width = tensor.type().byteSize();
        long wrong = 0;
        for (long i = 0; i < tensor.count(); i++) {
            wrong += get(segment, width, i) == bits[(int) (i % PERIOD)] ? 0 : 1;
        }
        return wrong;
    }

    private long[] bits(DType type) {
        long[] bits = new long[PERIOD];
        for (int i = 0; i < PERIOD; i++) {
            bits[i] = encode(type, values[i]) & mask(type.byteSize());
        }
        return bits;
    }

    private static long encode(DType type, long value) {
        return switch (type) {
            case INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT8_E4M3, FLOAT8_E5M2 -> value;
            case BOOL -> value & 1;
            case FLOAT16 -> Float.floatToFloat16(value);
            case BFLOAT16 -> upperHalf(Float.floatToRawIntBits(value));
            case FLOAT32 -> Float.floatToRawIntBits(value);
            case FLOAT64 -> Double.doubleToRawLongBits(value);
        };
    }

    /** Rounds to nearest, ties to even, as the fold does: sums over more than 50 ranks have more than bfloat16's eight bits. */
    private static int upperHalf(int bits) {
        return (bits + 0x7FFF + ((bits >>> 16) & 1)) >>> 16;
    }

    private static long mask(int width) {
        return width == Long.BYTES ? -1 : (1L << (width * Byte.SIZE)) - 1;
    }

    private static void put(MemorySegment segment, int width, long index, long bits) {
        switch (width) {
            case 1 -> segment.set(ValueLayout.JAVA_BYTE, index, (byte) bits);
            case 2 -> segment.setAtIndex(ValueLayout.JAVA_SHORT, index, (short) bits);
            case 4 -> segment.setAtIndex(ValueLayout.JAVA_INT, index, (int) bits);
            default -> segment.setAtIndex(ValueLayout.JAVA_LONG, index, bits);
        }
    }

    private static long get(MemorySegment segment, int width, long index) {
        return switch (width) {
            case 1 -> segment.get(ValueLayout.JAVA_BYTE, index) & 0xFFL;
            case 2 -> segment.getAtIndex(ValueLayout.JAVA_SHORT, index) & 0xFFFFL;
            case 4 -> segment.getAtIndex(ValueLayout.JAVA_INT, index) & 0xFFFFFFFFL;
            default -> segment.getAtIndex(ValueLayout.JAVA_LONG, index);
        };
    }
}
