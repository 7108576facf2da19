package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** Lanes of the types whose elements are Java's own numbers, unsigned integers being their bits: nothing but copies. */
final class CopyLanes {

    private CopyLanes() {}

    /** INT8 and UINT8. */
    static final class OfBytes implements StripLanes<byte[]> {

        @Override
        public void read(MemorySegment source, long from, byte[] into, int n) {
            MemorySegment.copy(source, JAVA_BYTE, from, into, 0, n);
        }

        @Override
        public void write(byte[] numbers, MemorySegment target, long from, int n) {
            MemorySegment.copy(numbers, 0, target, JAVA_BYTE, from, n);
        }
    }

    /** INT32 and UINT32. */
    static final class OfInts implements StripLanes<int[]> {

        @Override
        public void read(MemorySegment source, long from, int[] into, int n) {
            MemorySegment.copy(source, JAVA_INT_UNALIGNED, from * Integer.BYTES, into, 0, n);
        }

        @Override
        public void write(int[] numbers, MemorySegment target, long from, int n) {
            MemorySegment.copy(numbers, 0, target, JAVA_INT_UNALIGNED, from * Integer.BYTES, n);
        }
    }

    /** INT64 and UINT64. */
    static final class OfLongs implements StripLanes<long[]> {

        @Override
        public void read(MemorySegment source, long from, long[] into, int n) {
            MemorySegment.copy(source, JAVA_LONG_UNALIGNED, from * Long.BYTES, into, 0, n);
        }

        @Override
        public void write(long[] numbers, MemorySegment target, long from, int n) {
            MemorySegment.copy(numbers, 0, target, JAVA_LONG_UNALIGNED, from * Long.BYTES, n);
        }
    }

    /** FLOAT32. */
    static final class OfFloats implements StripLanes<float[]> {

        @Override
        public void read(MemorySegment source, long from, float[] into, int n) {
            MemorySegment.copy(source, JAVA_FLOAT_UNALIGNED, from * Float.BYTES, into, 0, n);
        }

        @Override
        public void write(float[] numbers, MemorySegment target, long from, int n) {
            MemorySegment.copy(numbers, 0, target, JAVA_FLOAT_UNALIGNED, from * Float.BYTES, n);
        }
    }

    /** FLOAT64. */
    static final class OfDoubles implements StripLanes<double[]> {

        @Override
        public void read(MemorySegment source, long from, double[] into, int n) {
            MemorySegment.copy(source, JAVA_DOUBLE_UNALIGNED, from * Double.BYTES, into, 0, n);
        }

        @Override
        public void write(double[] numbers, MemorySegment target, long from, int n) {
            MemorySegment.copy(numbers, 0, target, JAVA_DOUBLE_UNALIGNED, from * Double.BYTES, n);
        }
    }
}
