package io.reactivecomm.internal.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.reactivecomm.BFloat16;
import io.reactivecomm.DType;
import java.lang.foreign.MemorySegment;

/**
 * Elements of any {@link DType} as Java arrays: a bulk copy where the array's type is the element type, else one
 * conversion an element. Each conversion rounds at most once. The caller has checked type, life and length.
 */
public final class Elements {

    private Elements() {}

    static float[] toFloats(DType type, MemorySegment source, int count) {
        float[] values = new float[count];
        if (type == DType.FLOAT32) {
            MemorySegment.copy(source, JAVA_FLOAT_UNALIGNED, 0, values, 0, count);
            return values;
        }
        for (int i = 0; i < count; i++) {
            values[i] = floatAt(type, source, i);
        }
        return values;
    }

    static double[] toDoubles(DType type, MemorySegment source, int count) {
        double[] values = new double[count];
        if (type == DType.FLOAT64) {
            MemorySegment.copy(source, JAVA_DOUBLE_UNALIGNED, 0, values, 0, count);
            return values;
        }
        for (int i = 0; i < count; i++) {
            values[i] = doubleAt(type, source, i);
        }
        return values;
    }

    static int[] toInts(DType type, MemorySegment source, int count) {
        int[] values = new int[count];
        if (type == DType.INT32 || type == DType.UINT32) {
            MemorySegment.copy(source, JAVA_INT_UNALIGNED, 0, values, 0, count);
            return values;
        }
        for (int i = 0; i < count; i++) {
            values[i] = (int) longAt(type, source, i);
        }
        return values;
    }

    static long[] toLongs(DType type, MemorySegment source, int count) {
        long[] values = new long[count];
        if (type == DType.INT64 || type == DType.UINT64) {
            MemorySegment.copy(source, JAVA_LONG_UNALIGNED, 0, values, 0, count);
            return values;
        }
        for (int i = 0; i < count; i++) {
            values[i] = longAt(type, source, i);
        }
        return values;
    }

    static byte[] toBytes(MemorySegment source, int count) {
        byte[] values = new byte[count];
        MemorySegment.copy(source, JAVA_BYTE, 0, values, 0, count);
        return values;
    }

    static void set(DType type, MemorySegment target, float[] values) {
        if (type == DType.FLOAT32) {
            MemorySegment.copy(values, 0, target, JAVA_FLOAT_UNALIGNED, 0, values.length);
            return;
        }
        for (int i = 0; i < values.length; i++) {
            put(type, target, i, values[i]);
        }
    }

    static void set(DType type, MemorySegment target, double[] values) {
        if (type == DType.FLOAT64) {
            MemorySegment.copy(values, 0, target, JAVA_DOUBLE_UNALIGNED, 0, values.length);
            return;
        }
        for (int i = 0; i < values.length; i++) {
            put(type, target, i, values[i]);
        }
    }

    static void set(DType type, MemorySegment target, int[] values) {
        if (type == DType.INT32 || type == DType.UINT32) {
            MemorySegment.copy(values, 0, target, JAVA_INT_UNALIGNED, 0, values.length);
            return;
        }
        for (int i = 0; i < values.length; i++) {
            put(type, target, i, (long) values[i]);
        }
    }

    static void set(DType type, MemorySegment target, long[] values) {
        if (type == DType.INT64 || type == DType.UINT64) {
            MemorySegment.copy(values, 0, target, JAVA_LONG_UNALIGNED, 0, values.length);
            return;
        }
        for (int i = 0; i < values.length; i++) {
            put(type, target, i, values[i]);
        }
    }

    static void set(MemorySegment target, byte[] values) {
        MemorySegment.copy(values, 0, target, JAVA_BYTE, 0, values.length);
    }

    private static void put(DType type, MemorySegment target, int index, double value) {
        switch (type) {
            case FLOAT16 ->
                target.set(JAVA_SHORT_UNALIGNED, (long) index * Short.BYTES, Float.floatToFloat16(toOdd(value)));
            case BFLOAT16 ->
                target.set(JAVA_SHORT_UNALIGNED, (long) index * Short.BYTES, BFloat16.fromFloat(toOdd(value)));
            case FLOAT32 -> target.set(JAVA_FLOAT_UNALIGNED, (long) index * Float.BYTES, (float) value);
            case FLOAT64 -> target.set(JAVA_DOUBLE_UNALIGNED, (long) index * Double.BYTES, value);
            case INT8, UINT8, INT32, UINT32, INT64, UINT64, BOOL, FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new AssertionError("not a type that floating-point values are put into: type=" + type);
        }
    }

    private static void put(DType type, MemorySegment target, int index, long value) {
        switch (type) {
            case INT8, UINT8 -> target.set(JAVA_BYTE, index, (byte) value);
            case BOOL -> target.set(JAVA_BYTE, index, (byte) (value == 0 ? 0 : 1));
            case INT32, UINT32 -> target.set(JAVA_INT_UNALIGNED, (long) index * Integer.BYTES, (int) value);
            case INT64, UINT64 -> target.set(JAVA_LONG_UNALIGNED, (long) index * Long.BYTES, value);
            case FLOAT16, BFLOAT16, FLOAT32, FLOAT64, FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new AssertionError("not an integer type: type=" + type);
        }
    }

    /**
     * {@return a float that rounds to a narrower type as the value itself does} It is the one with an odd fraction of the two nearest floats.
     *
     * <p><b>Source.</b> Boldo, Melquiond, <em>Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd</em>, 2008.
     */
    private static float toOdd(double value) {
        float near = (float) value;
        int bits = Float.floatToRawIntBits(near);
        boolean isExact = near == value || Double.isNaN(value) || Float.isInfinite(near);
        if (isExact || (bits & 1) == 1) {
            return near;
        }
        return Float.intBitsToFloat(Math.abs((double) near) > Math.abs(value) ? bits - 1 : bits + 1);
    }

    /** {@return whether an integer fits a type} Every integer fits a type of its own width, which takes its bits. */
    static boolean fit(DType type, long value) {
        return switch (type) {
            case INT8 -> value >= Byte.MIN_VALUE && value <= Byte.MAX_VALUE;
            case UINT8 -> value >= 0 && value < 1 << Byte.SIZE;
            case INT32 -> value >= Integer.MIN_VALUE && value <= Integer.MAX_VALUE;
            case UINT32 -> value >= 0 && value < 1L << Integer.SIZE;
            case INT64, UINT64, BOOL, FLOAT16, BFLOAT16, FLOAT32, FLOAT64, FLOAT8_E4M3, FLOAT8_E5M2 -> true;
        };
    }

    /**
     * Goes through double, which holds every element exactly, except for 64-bit integers: those would be rounded twice.
     */
    private static float floatAt(DType type, MemorySegment source, int index) {
        return switch (type) {
            case INT64 -> (float) longAt(type, source, index);
            case UINT64 -> unsignedToFloat(longAt(type, source, index));
            case INT8, UINT8, INT32, UINT32, FLOAT16, BFLOAT16, FLOAT32, FLOAT64, BOOL, FLOAT8_E4M3, FLOAT8_E5M2 ->
                (float) doubleAt(type, source, index);
        };
    }

    private static double doubleAt(DType type, MemorySegment source, int index) {
        return switch (type) {
            case FLOAT16 -> Float.float16ToFloat(shortAt(source, index));
            case BFLOAT16 -> BFloat16.toFloat(shortAt(source, index));
            case FLOAT32 -> source.get(JAVA_FLOAT_UNALIGNED, (long) index * Float.BYTES);
            case FLOAT64 -> source.get(JAVA_DOUBLE_UNALIGNED, (long) index * Double.BYTES);
            case FLOAT8_E4M3 -> Float8.e4m3ToFloat(source.get(JAVA_BYTE, index));
            case FLOAT8_E5M2 -> Float8.e5m2ToFloat(source.get(JAVA_BYTE, index));
            case UINT64 -> unsignedToDouble(longAt(type, source, index));
            case INT8, UINT8, INT32, UINT32, INT64, BOOL -> (double) longAt(type, source, index);
        };
    }

    private static long longAt(DType type, MemorySegment source, int index) {
        return switch (type) {
            case INT8 -> source.get(JAVA_BYTE, index);
            case UINT8 -> Byte.toUnsignedLong(source.get(JAVA_BYTE, index));
            case BOOL -> source.get(JAVA_BYTE, index) == 0 ? 0 : 1;
            case INT32 -> source.get(JAVA_INT_UNALIGNED, (long) index * Integer.BYTES);
            case UINT32 -> Integer.toUnsignedLong(source.get(JAVA_INT_UNALIGNED, (long) index * Integer.BYTES));
            case INT64, UINT64 -> source.get(JAVA_LONG_UNALIGNED, (long) index * Long.BYTES);
            case FLOAT16, BFLOAT16, FLOAT32, FLOAT64, FLOAT8_E4M3, FLOAT8_E5M2 ->
                throw new AssertionError("not an integer type: type=" + type);
        };
    }

    private static short shortAt(MemorySegment source, int index) {
        return source.get(JAVA_SHORT_UNALIGNED, (long) index * Short.BYTES);
    }

    /**
     * The bit shifted out stays on as a sticky bit, so that the conversion of the half rounds as that of the whole
     * would.
     */
    private static long halved(long unsigned) {
        return (unsigned >>> 1) | (unsigned & 1);
    }

    private static float unsignedToFloat(long value) {
        return value >= 0 ? (float) value : (float) halved(value) * 2;
    }

    private static double unsignedToDouble(long value) {
        return value >= 0 ? (double) value : (double) halved(value) * 2;
    }
}
