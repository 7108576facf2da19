package io.reactivecomm.kernel;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.reactivecomm.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;

/** The memories of measured folds, the same for Java and for C: operands of numbers that no fold makes infinite or tiny, and a target. */
final class FoldOperands {

    static final int MAX = 4;

    /** What is filled by hand; the rest is copies of it. */
    private static final long UNIT_BYTES = 1 << 20;

    private static final long PAGE_BYTES = 4096;

    private final MemorySegment[] operands = new MemorySegment[MAX];
    private final MemorySegment target;

    FoldOperands(Arena arena, long bytes) {
        Arrays.setAll(operands, i -> arena.allocate(bytes, PAGE_BYTES));
        target = arena.allocate(bytes, PAGE_BYTES);
    }

    MemorySegment target(long bytes) {
        return target.asSlice(0, bytes);
    }

    MemorySegment[] first(int count, long bytes) {
        return Arrays.stream(operands, 0, count).map(o -> o.asSlice(0, bytes)).toArray(MemorySegment[]::new);
    }

    void fill(DType type) {
        SplittableRandom random = new SplittableRandom(1);
        for (MemorySegment operand : operands) {
            long unit = Math.min(UNIT_BYTES, operand.byteSize());
            for (long i = 0; i < unit / type.byteSize(); i++) {
                set(operand, type, i, random);
            }
            for (long at = unit; at < operand.byteSize(); at += unit) {
                MemorySegment.copy(operand, 0, operand, at, Math.min(unit, operand.byteSize() - at));
            }
        }
        target.fill((byte) 0);
    }

    private static void set(MemorySegment operand, DType type, long index, SplittableRandom random) {
        float number = 0.5f + random.nextFloat();
        switch (type) {
            case FLOAT32 -> operand.setAtIndex(JAVA_FLOAT, index, number);
            case FLOAT64 -> operand.setAtIndex(JAVA_DOUBLE, index, number);
            case FLOAT16 -> operand.setAtIndex(JAVA_SHORT, index, Float.floatToFloat16(number));
            case BFLOAT16 -> operand.setAtIndex(JAVA_SHORT, index, (short) (Float.floatToRawIntBits(number) >> 16));
            case INT8, UINT8, INT32, UINT32, INT64, UINT64, BOOL, FLOAT8_E4M3, FLOAT8_E5M2 ->
                operand.set(JAVA_LONG, index * type.byteSize() / Long.BYTES * Long.BYTES, random.nextLong());
        }
    }
}
