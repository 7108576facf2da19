package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.reactivecomm.BFloat16;
import java.lang.foreign.MemorySegment;

/**
 * Lanes of BFLOAT16 without vectors.
 *
 * <p>C2 of JDK 25 vectorises neither the move of bits between int and float nor a loop over both short and int. So the
 * rounding is a loop over ints alone (nine times as fast as fused with the narrowing), and ints become floats by a
 * copy.
 */
final class BFloat16Lanes implements StripLanes<float[]> {

    private final short[] halves = new short[StripFold.STRIP];
    private final int[] bits = new int[StripFold.STRIP];
    private final MemorySegment bitsInMemory = MemorySegment.ofArray(bits);

    @Override
    public void read(MemorySegment source, long from, float[] into, int n) {
        short[] halves = this.halves;
        int[] bits = this.bits;
        MemorySegment.copy(source, JAVA_SHORT_UNALIGNED, from * Short.BYTES, halves, 0, n);
        for (int i = 0; i < n; i++) {
            bits[i] = halves[i];
        }
        for (int i = 0; i < n; i++) {
            bits[i] <<= 16;
        }
        MemorySegment.copy(bitsInMemory, JAVA_FLOAT_UNALIGNED, 0, into, 0, n);
    }

    @Override
    public void write(float[] numbers, MemorySegment target, long from, int n) {
        short[] halves = this.halves;
        int[] bits = this.bits;
        MemorySegment.copy(numbers, 0, bitsInMemory, JAVA_FLOAT_UNALIGNED, 0, n);
        for (int i = 0; i < n; i++) {
            bits[i] = BFloat16.fromFloatBits(bits[i]);
        }
        for (int i = 0; i < n; i++) {
            halves[i] = (short) bits[i];
        }
        MemorySegment.copy(halves, 0, target, JAVA_SHORT_UNALIGNED, from * Short.BYTES, n);
    }
}
