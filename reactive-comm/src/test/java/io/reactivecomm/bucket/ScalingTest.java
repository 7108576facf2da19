package io.reactivecomm.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.bucket.Scaling.Predivide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScalingTest {

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.MIN_VALUE, Float.MIN_VALUE, 1e-39, 1e39, Double.MAX_VALUE})
    void predivide_byWhatLeavesNoGradients_isRefused(double factor) {
        assertThatThrownBy(() -> Scaling.predivide(factor))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("factor=" + factor, "least=", "most=");
    }

    @ParameterizedTest
    @ValueSource(doubles = {Predivide.LEAST, 0.5, 1, 3, Predivide.MOST})
    void predivide_byANormalNumber_multipliesByANormalNumber(double factor) {
        PreMulSum reduction = (PreMulSum) Scaling.predivide(factor).reduction(4);

        assertThat((float) reduction.factor()).isBetween(Float.MIN_NORMAL, Float.MAX_VALUE);
        assertThat((float) Scaling.predivide(factor).lastFactor(1)).isBetween(Float.MIN_NORMAL, Float.MAX_VALUE);
    }
}
