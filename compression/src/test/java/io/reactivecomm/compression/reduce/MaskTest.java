package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.reduce.Mask.Run;
import io.reactivecomm.train.Parameter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MaskTest {

    @Test
    void ofZeros_findsAllZeros_alsoNegativeOnes_andNoSubnormals() {
        try (Tensor tensor = Tensor.of(new float[] {0, 1, -0f, 0, Float.MIN_VALUE, Float.NaN, 0})) {
            assertThat(Mask.ofZeros(tensor))
                    .isEqualTo(new Mask(7, List.of(new Run(0, 1), new Run(2, 2), new Run(6, 1))));
        }
    }

    @Test
    void ofZeros_aRunThroughBlocks_isOne() {
        float[] values = new float[20_000];
        Arrays.fill(values, 0, 3, 1);
        values[16_384] = 1;
        try (Tensor tensor = Tensor.of(values)) {
            assertThat(Mask.ofZeros(tensor).zeros()).containsExactly(new Run(3, 16_381), new Run(16_385, 3_615));
        }
    }

    @Test
    void ofZeros_ofNothing_isNothing() {
        try (Tensor tensor = Tensor.allocate(DType.BFLOAT16, 0)) {
            assertThat(Mask.ofZeros(tensor)).isEqualTo(new Mask(0, List.of()));
        }
    }

    @Test
    void runsOutOfOrder_orOutside_areRefused() {
        for (List<Run> runs : List.of(
                List.of(new Run(2, 1), new Run(1, 1)),
                List.of(new Run(1, 2), new Run(2, 1)),
                List.of(new Run(0, 0)),
                List.of(new Run(-1, 1)),
                List.of(new Run(3, 2)),
                List.of(new Run(2, Long.MAX_VALUE)))) {
            assertThatThrownBy(() -> new Mask(4, runs))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("in order and apart");
        }
    }

    @Test
    void negativeCount_isRefused() {
        assertThatThrownBy(() -> new Mask(-1, List.of()))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("count=-1");
    }

    @Test
    void maskOfOtherElements_isRefused_byName() {
        Masks masks = new Masks(Map.of("w", new Mask(4, List.of())));
        try (Tensor tensor = Tensor.allocate(DType.FLOAT32, 5)) {
            assertThatThrownBy(() -> masks.zeros(List.of(new Parameter("w", DType.FLOAT32, 5)), tensor))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContainingAll("name=w", "mask=4", "elements=5");
        }
    }

    @Test
    void labels_tellMasksApart() {
        CompressionOptions none = CompressionOptions.inTwoSteps(new OneBit());
        Mask first = new Mask(4, List.of(new Run(0, 1)));
        assertThat(List.of(
                        none.label(),
                        none.withMask("a", first).label(),
                        none.withMask("b", first).label(),
                        none.withMask("a", new Mask(4, List.of(new Run(1, 1)))).label(),
                        none.withMask("a", first).withMask("b", first).label()))
                .doesNotHaveDuplicates();
        assertThat(none.withMask("a", first).withMask("b", first).label())
                .isEqualTo(none.withMask("b", first).withMask("a", first).label());
    }
}
