package io.reactivecomm.internal.memory;

import io.reactivecomm.DType;
import java.util.Arrays;
import java.util.Objects;

/** The arithmetic of tensors' shapes. */
public final class Shapes {

    private Shapes() {}

    /**
     * {@return the number of elements}
     *
     * @throws IllegalArgumentException if a dimension is negative or the size in bytes overflows
     */
    public static long countOf(DType type, long[] shape) {
        Objects.requireNonNull(
                type,
                () -> "a tensor is to have no type: shape=" + Arrays.toString(shape)
                        + "; give its elements', such as DType.FLOAT32");
        Objects.requireNonNull(shape, () -> "a tensor is to have no shape: type=" + type + "; give its dimensions");
        boolean isEmpty = false;
        for (long dimension : shape) {
            if (dimension < 0) {
                throw new IllegalArgumentException(
                        "invalid tensor shape: " + described(type, shape) + "; give dimensions of 0 or more");
            }
            isEmpty |= dimension == 0;
        }
        return isEmpty ? 0 : productOf(type, shape);
    }

    private static long productOf(DType type, long[] shape) {
        long count = 1;
        try {
            for (long dimension : shape) {
                count = Math.multiplyExact(count, dimension);
            }
            Math.multiplyExact(count, (long) type.byteSize());
        } catch (ArithmeticException overflow) {
            throw new IllegalArgumentException(
                    "tensor too large: " + described(type, shape) + "; give a shape of less than 2^63 bytes", overflow);
        }
        return count;
    }

    /** {@return a shape in words, for errors} */
    static String described(DType type, long[] shape) {
        return "type=" + type + ", shape=" + Arrays.toString(shape);
    }
}
