package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** Lanes of FLOAT16. C2 turns the JDK's conversions into vector instructions, over arrays only. */
final class Float16Lanes implements StripLanes<float[]> {

    private final short[] halves = new short[StripFold.STRIP];

    @Override
    public void read(MemorySegment source, long from, float[] into, int n) {
        short[] halves = this.halves;
        MemorySegment.copy(source, JAVA_SHORT_UNALIGNED, from * Short.BYTES, halves, 0, n);
        for (int i = 0; i < n; i++) {
            into[i] = Float.float16ToFloat(halves[i]);
        }
    }

    @Override
    public void write(float[] numbers, MemorySegment target, long from, int n) {
        short[] halves = this.halves;
        for (int i = 0; i < n; i++) {
            halves[i] = Float.floatToFloat16(numbers[i]);
        }
        MemorySegment.copy(halves, 0, target, JAVA_SHORT_UNALIGNED, from * Short.BYTES, n);
    }
}
