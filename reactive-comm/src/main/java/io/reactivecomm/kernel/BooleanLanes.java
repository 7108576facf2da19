package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/** Lanes of BOOL: any byte but 0 reads as 1, so MIN is "and", MAX is "or", and the bitwise operations yield 0 or 1. */
final class BooleanLanes implements StripLanes<byte[]> {

    @Override
    public void read(MemorySegment source, long from, byte[] into, int n) {
        MemorySegment.copy(source, JAVA_BYTE, from, into, 0, n);
        for (int i = 0; i < n; i++) {
            int value = into[i];
            into[i] = (byte) ((value | -value) >>> 31);
        }
    }

    @Override
    public void write(byte[] numbers, MemorySegment target, long from, int n) {
        MemorySegment.copy(numbers, 0, target, JAVA_BYTE, from, n);
    }
}
