package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.util.function.IntToDoubleFunction;

/** Elements of each type of NCCL's in memory, as numbers. */
final class NcclElements {

    private NcclElements() {}

    static void fill(MemorySegment memory, long offset, NcclType type, int count, IntToDoubleFunction values) {
        for (int i = 0; i < count; i++) {
            NcclScalar.write(
                    values.applyAsDouble(i),
                    type,
                    memory.asSlice(offset + (long) i * type.byteSize(), type.byteSize()));
        }
    }

    static double[] read(MemorySegment memory, long offset, NcclType type, int count) {
        double[] values = new double[count];
        for (int i = 0; i < count; i++) {
            values[i] = value(memory, offset + (long) i * type.byteSize(), type);
        }
        return values;
    }

    private static double value(MemorySegment memory, long at, NcclType type) {
        return switch (type) {
            case INT8 -> memory.get(JAVA_BYTE, at);
            case UINT8 -> Byte.toUnsignedInt(memory.get(JAVA_BYTE, at));
            case INT32 -> memory.get(JAVA_INT, at);
            case UINT32 -> Integer.toUnsignedLong(memory.get(JAVA_INT, at));
            case INT64, UINT64 -> memory.get(JAVA_LONG, at);
            case FLOAT16 -> Float.float16ToFloat(memory.get(JAVA_SHORT, at));
            case BFLOAT16 -> Float.intBitsToFloat(memory.get(JAVA_SHORT, at) << 16);
            case FLOAT32 -> memory.get(JAVA_FLOAT, at);
            case FLOAT64 -> memory.get(JAVA_DOUBLE, at);
        };
    }
}
