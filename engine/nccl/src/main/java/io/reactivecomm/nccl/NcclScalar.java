package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/** The factor of a sum that multiplies first, as an element of its type. */
final class NcclScalar {

    /** The factor is in the host's memory and read during the call: {@code ncclScalarHostImmediate}. */
    static final int HOST_IMMEDIATE = 1;

    private static final int UPPER_HALF = 16;

    private NcclScalar() {}

    static void write(double factor, NcclType type, MemorySegment to) {
        switch (type) {
            case INT8, UINT8 -> to.set(JAVA_BYTE, 0, (byte) factor);
            case INT32 -> to.set(JAVA_INT, 0, (int) factor);
            case UINT32 -> to.set(JAVA_INT, 0, (int) (long) factor);
            case INT64, UINT64 -> to.set(JAVA_LONG, 0, (long) factor);
            case FLOAT16 -> to.set(JAVA_SHORT, 0, Float.floatToFloat16((float) factor));
            case BFLOAT16 -> to.set(JAVA_SHORT, 0, bfloat16((float) factor));
            case FLOAT32 -> to.set(JAVA_FLOAT, 0, (float) factor);
            case FLOAT64 -> to.set(JAVA_DOUBLE, 0, factor);
        }
    }

    /** {@return the nearest, of two the even one} */
    private static short bfloat16(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) (bits >>> UPPER_HALF | 0x40);
        }
        int half = 0x7fff + (bits >>> UPPER_HALF & 1);
        return (short) (bits + half >>> UPPER_HALF);
    }
}
