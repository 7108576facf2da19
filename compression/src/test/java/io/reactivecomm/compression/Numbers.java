package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.BFloat16;
import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** Random numbers of a type, tensors of them, and their comparison bit by bit. */
final class Numbers {

    private static final double[] SPECIAL = {
        0,
        -0.0,
        Float.MIN_VALUE,
        -Float.MIN_VALUE,
        1e-40,
        -3e-39,
        Float.MIN_NORMAL,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
        1,
        -1,
        1e-3,
        65504,
        6e-8,
        Double.MIN_VALUE,
        -1e-310,
        1e300,
        -1e200
    };

    private static final double[] NOT_FINITE = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};

    private Numbers() {}

    /** {@return numbers that the type has; every fourth array has special ones, every sixteenth some that are not finite} */
    static double[] random(SplittableRandom random, DType type, int count) {
        double[] numbers = new double[count];
        double scale = Math.pow(10, random.nextInt(type == DType.FLOAT16 ? 4 : 36) - (type == DType.FLOAT16 ? 4 : 30));
        int kind = random.nextInt(16);
        for (int i = 0; i < count; i++) {
            double number = random.nextGaussian() * (kind == 5 ? 1 : scale);
            if (kind % 4 == 0 && random.nextInt(3) == 0) {
                number = SPECIAL[random.nextInt(SPECIAL.length)];
                number = type == DType.FLOAT64 || Math.abs(number) <= Float.MAX_VALUE ? number : -1;
            }
            if (kind == 1) {
                // Ties: few different magnitudes.
                number = random.nextInt(5) - 2;
            }
            if (kind == 0 && random.nextInt(40) == 0) {
                number = NOT_FINITE[random.nextInt(NOT_FINITE.length)];
            }
            numbers[i] = rounded(type, number);
        }
        return numbers;
    }

    /** {@return the number that a tensor of the type holds instead} */
    static double rounded(DType type, double number) {
        return switch (type) {
            case FLOAT64 -> number;
            case FLOAT32 -> (float) number;
            case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16((float) number));
            case BFLOAT16 -> BFloat16.toFloat(BFloat16.fromFloat((float) number));
            default -> throw new AssertionError(type);
        };
    }

    static Tensor tensor(DType type, double[] numbers) {
        Tensor tensor = Tensor.allocate(type, numbers.length);
        fill(tensor, numbers);
        return tensor;
    }

    static void fill(Tensor tensor, double[] numbers) {
        for (int i = 0; i < numbers.length; i++) {
            float single = (float) numbers[i];
            switch (tensor.type()) {
                case FLOAT64 -> tensor.segment().setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i, numbers[i]);
                case FLOAT32 -> tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, single);
                case FLOAT16 ->
                    tensor.segment().setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i, Float.floatToFloat16(single));
                case BFLOAT16 ->
                    tensor.segment().setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i, BFloat16.fromFloat(single));
                default -> throw new AssertionError(tensor.type());
            }
        }
    }

    /** Compares bit by bit, but for what a NaN carries. */
    static void assertSame(Tensor actual, double[] expected, String what) {
        double[] found = actual.toDoubleArray();
        if (found.length != expected.length) {
            assertThat(found.length).as(what).isEqualTo(expected.length);
        }
        for (int i = 0; i < found.length; i++) {
            if (Double.doubleToLongBits(found[i]) != Double.doubleToLongBits(rounded(actual.type(), expected[i]))) {
                assertThat(found[i])
                        .as("%s, element %d of %d", what, i, found.length)
                        .isEqualTo(rounded(actual.type(), expected[i]));
            }
        }
    }
}
