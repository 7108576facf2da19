package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PatternTest {

    @Test
    void fill_rankTwo_startsSixFurther() {
        try (Tensor tensor = Tensor.allocate(DType.FLOAT32, 7)) {
            Pattern.of(2).fill(tensor);
            assertThat(tensor.toFloatArray()).containsExactly(2, 3, 4, 5, 1, 2, 3);
        }
    }

    @Test
    void sum_threeRanks_addsUp() {
        assertThat(Pattern.sum(3).values()).containsExactly(1 + 4 + 2, 2 + 5 + 3, 3 + 1 + 4, 4 + 2 + 5, 5 + 3 + 1);
        assertThat(Pattern.sum(3).from(8).values()).startsWith(4 + 2 + 5, 5 + 3 + 1, 1 + 4 + 2);
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void wrong_oneByteChanged_countsOne(DType type) {
        try (Tensor tensor = Tensor.allocate(type, 23)) {
            Pattern pattern = Pattern.of(1);
            assertThat(pattern.wrong(tensor)).isPositive();
            pattern.fill(tensor);
            assertThat(pattern.wrong(tensor)).isZero();
            long at = 17L * type.byteSize();
            tensor.segment()
                    .set(ValueLayout.JAVA_BYTE, at, (byte) ~tensor.segment().get(ValueLayout.JAVA_BYTE, at));
            assertThat(pattern.wrong(tensor)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"BOOL", "FLOAT8_E4M3", "FLOAT8_E5M2"})
    void fill_sumOfManyRanks_isTheNearestNumber(DType type) {
        try (Tensor tensor = Tensor.allocate(type, Pattern.PERIOD)) {
            Pattern.sum(40).fill(tensor);
            assertThat(tensor.toDoubleArray()).containsOnly(120);
        }
    }
}
