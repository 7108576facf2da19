package io.reactivecomm.compression;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The fields of encodings, of one byte order on all machines, at any address. */
final class LittleEndian {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {}

    static int intAt(MemorySegment memory, long at) {
        return memory.get(INT, at);
    }

    static void putInt(MemorySegment memory, long at, int number) {
        memory.set(INT, at, number);
    }

    static long longAt(MemorySegment memory, long at) {
        return memory.get(LONG, at);
    }

    static void putLong(MemorySegment memory, long at, long number) {
        memory.set(LONG, at, number);
    }

    static float floatAt(MemorySegment memory, long at) {
        return Float.intBitsToFloat(memory.get(INT, at));
    }

    /** Every NaN becomes the same. */
    static void putFloat(MemorySegment memory, long at, float number) {
        memory.set(INT, at, Float.floatToIntBits(number));
    }

    static double doubleAt(MemorySegment memory, long at) {
        return Double.longBitsToDouble(memory.get(LONG, at));
    }

    /** Every NaN becomes the same. */
    static void putDouble(MemorySegment memory, long at, double number) {
        memory.set(LONG, at, Double.doubleToLongBits(number));
    }
}
