package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.testkit.collective.Oracle;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The oracle on values that were worked out by hand, and the inputs' power to tell a wrong order from the right one. */
class OracleTest {

    private static long ofFloat(float value) {
        return Float.floatToRawIntBits(value) & 0xFFFF_FFFFL;
    }

    @Test
    void sum_ofFloats_roundsAfterEachStepFromTheLeft() {
        long[] values = {ofFloat(0x1p24f), ofFloat(1), ofFloat(1)};

        assertThat(Oracle.folded(DType.FLOAT32, ReduceOp.SUM, values)).isEqualTo(ofFloat(0x1p24f));
        assertThat(Oracle.folded(DType.FLOAT32, ReduceOp.SUM, new long[] {values[1], values[2], values[0]}))
                .isEqualTo(ofFloat(0x1p24f + 2));
    }

    @Test
    void sum_ofHalves_roundsOnce() {
        // In binary16 1 + 2⁻¹¹ is 1; twice that, added in binary32, is 1 + 2⁻¹⁰, which binary16 has.
        long one = Float.floatToFloat16(1f) & 0xFFFFL;
        long tiny = Float.floatToFloat16(0x1p-11f) & 0xFFFFL;

        assertThat(Oracle.folded(DType.FLOAT16, ReduceOp.SUM, new long[] {one, tiny, tiny}))
                .isEqualTo(one + 1);
        assertThat(Oracle.folded(DType.BFLOAT16, ReduceOp.SUM, new long[] {0x3F80, 0x3B80, 0x3B80}))
                .isEqualTo(0x3F81);
        assertThat(Oracle.folded(DType.BFLOAT16, ReduceOp.SUM, new long[] {0x3F80, 0x3B80}))
                .as("a tie goes to even")
                .isEqualTo(0x3F80);
    }

    @Test
    void average_dividesOnceBeforeTheRounding() {
        assertThat(Oracle.folded(DType.FLOAT32, ReduceOp.AVG, new long[] {ofFloat(1), ofFloat(2), ofFloat(4)}))
                .isEqualTo(ofFloat(7f / 3f));
        assertThat(Oracle.folded(DType.FLOAT64, ReduceOp.AVG, new long[] {Double.doubleToRawLongBits(1)}))
                .isEqualTo(Double.doubleToRawLongBits(1));
    }

    @Test
    void integers_wrapAndCompareByTheirSign() {
        assertThat(Oracle.folded(DType.INT8, ReduceOp.SUM, new long[] {0x7F, 1}))
                .isEqualTo(0x80);
        assertThat(Oracle.folded(DType.INT8, ReduceOp.MAX, new long[] {0x80, 1}))
                .isEqualTo(1);
        assertThat(Oracle.folded(DType.UINT8, ReduceOp.MAX, new long[] {0x80, 1}))
                .isEqualTo(0x80);
        assertThat(Oracle.folded(DType.UINT64, ReduceOp.MIN, new long[] {-1, 5}))
                .isEqualTo(5);
        assertThat(Oracle.folded(DType.UINT32, ReduceOp.PRODUCT, new long[] {0x8000_0000L, 2}))
                .isZero();
    }

    @Test
    void booleans_areZeroOrAnythingElse() {
        assertThat(Oracle.folded(DType.BOOL, ReduceOp.BAND, new long[] {7, 2})).isEqualTo(1);
        assertThat(Oracle.folded(DType.BOOL, ReduceOp.BXOR, new long[] {7, 2})).isZero();
        assertThat(Oracle.folded(DType.BOOL, ReduceOp.MAX, new long[] {0, 9})).isEqualTo(1);
    }

    @Test
    void inputs_tellTheOrderOfASum() {
        int different = 0;
        for (int i = 0; i < 1000; i++) {
            long[] forward = {bits(0, i), bits(1, i), bits(2, i)};
            long[] backward = {bits(2, i), bits(1, i), bits(0, i)};
            different += Oracle.folded(DType.FLOAT32, ReduceOp.SUM, forward)
                            == Oracle.folded(DType.FLOAT32, ReduceOp.SUM, backward)
                    ? 0
                    : 1;
        }

        assertThat(different).as("sums of 1000 that another order changes").isGreaterThan(200);
    }

    private static long bits(int rank, int index) {
        return Inputs.bits(DType.FLOAT32, 1, rank, index);
    }

    @Test
    void inputs_differByRankIndexAndCall() {
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            for (int rank = 0; rank < 16; rank++) {
                seen.add(Inputs.bits(DType.INT64, 1, rank, i));
                seen.add(Inputs.bits(DType.INT64, 2, rank, i));
            }
        }

        assertThat(seen).hasSize(32_000);
    }
}
