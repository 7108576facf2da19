package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.kernel.Kernels;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scan for NaNs and infinities, on strips and on vectors. */
class FiniteElementsTest {

    private static final int[] COUNTS = {1, 63, 64, 65, 2_048, 5_000, 40_000};
    private static final double[] BAD = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void oneThatIsNotFinite_isFound_whereverItIs(DType type) {
        SplittableRandom random = new SplittableRandom(7);
        for (int count : COUNTS) {
            double[] numbers = DoubleStream.generate(() -> random.nextDouble(-6e4, 6e4))
                    .limit(count)
                    .toArray();
            assertFinite(type, numbers, true, "count=" + count);
            for (int place : new int[] {0, count / 2, count - 1}) {
                double[] others = numbers.clone();
                others[place] = BAD[place % BAD.length];
                assertFinite(type, others, false, "count=" + count + ", place=" + place);
            }
        }
    }

    private static void assertFinite(DType type, double[] numbers, boolean expected, String what) {
        try (Tensor tensor = Numbers.tensor(type, numbers)) {
            assertThat(FiniteElements.only(tensor)).as(what).isEqualTo(expected);
            if (type == DType.FLOAT32
                    && Kernels.hasVectors()
                    && FloatVectors.areWide()
                    && numbers.length % FloatVectors.GRAIN == 0) {
                assertThat(FloatVectors.areFinite(tensor.segment().address(), numbers.length))
                        .as("%s, on vectors", what)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void noElements_areFinite_andIntegersAreRefused() {
        try (Tensor none = Tensor.allocate(DType.FLOAT32, 0);
                Tensor integers = Tensor.allocate(DType.INT32, 4)) {
            assertThat(FiniteElements.only(none)).isTrue();
            assertThatExceptionOfType(InvalidCallException.class)
                    .isThrownBy(() -> FiniteElements.only(integers))
                    .withMessageContaining("INT32");
        }
    }
}
