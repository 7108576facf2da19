package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;

class BFloat16Test {

    /** Lower halves of a float's bits: exact, just above exact, below a tie, the tie, above it, just below the next. */
    private static final int[] LOWER_HALVES = {0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF};

    @Test
    void toFloat_allBits_matchDefinition() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float value = BFloat16.toFloat((short) bits);
            assertThat(Double.compare(value, decoded(bits)))
                    .as("bits %04x", bits)
                    .isZero();
        }
    }

    @Test
    void fromFloat_allBits_roundTrip() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float value = decoded(bits);
            short back = BFloat16.fromFloat(value);
            if (Float.isNaN(value)) {
                assertThat(decoded(back & 0xFFFF)).as("bits %04x", bits).isNaN();
            } else {
                assertThat(back).as("bits %04x", bits).isEqualTo((short) bits);
            }
        }
    }

    @Test
    void fromFloat_aroundEveryTie_roundsToNearestEven() {
        for (int upper = 0; upper < 1 << 16; upper++) {
            for (int lower : LOWER_HALVES) {
                float value = Float.intBitsToFloat((upper << 16) | lower);
                short rounded = BFloat16.fromFloat(value);
                if (Float.isNaN(value)) {
                    assertThat(decoded(rounded & 0xFFFF)).isNaN();
                } else {
                    assertThat(rounded & 0xFFFF).as("value %a", value).isEqualTo(nearest(value));
                }
            }
        }
    }

    @Test
    void fromFloat_signallingNaN_isQuietedWithItsSign() {
        assertThat(BFloat16.fromFloatBits(0x7F80_0001)).isEqualTo((short) 0x7FC0);
        assertThat(BFloat16.fromFloatBits(0xFF80_0001)).isEqualTo((short) 0xFFC0);
        assertThat(BFloat16.fromFloatBits(0x7FFF_FFFF)).isEqualTo((short) 0x7FFF);
    }

    @Test
    void fromFloat_pastLargest_isInfinity() {
        assertThat(BFloat16.fromFloat(Float.MAX_VALUE)).isEqualTo((short) 0x7F80);
        assertThat(BFloat16.fromFloat(-Float.MAX_VALUE)).isEqualTo((short) 0xFF80);
    }

    /** The value from the definition: sign, exponent of bias 127, seven bits of fraction. */
    private static float decoded(int bits) {
        int exponent = (bits >> 7) & 0xFF;
        int fraction = bits & 0x7F;
        double sign = (bits & 0x8000) == 0 ? 1 : -1;
        if (exponent == 0xFF) {
            return fraction == 0 ? (float) (sign * Double.POSITIVE_INFINITY) : Float.NaN;
        }
        double significand = exponent == 0 ? fraction : 128 + fraction;
        return (float) (sign * significand * Math.pow(2, Math.max(exponent, 1) - 127 - 7));
    }

    /** The nearer of the two neighbours by exact subtraction, the even one of a tie. Infinity counts as 2^128 here. */
    private static int nearest(float value) {
        int below = Float.floatToRawIntBits(value) >>> 16;
        if (Float.isInfinite(value)) {
            return below;
        }
        BigDecimal magnitude = new BigDecimal(Math.abs((double) value));
        BigDecimal low = magnitude(below);
        BigDecimal high = magnitude(below + 1);
        int order = magnitude.subtract(low).compareTo(high.subtract(magnitude));
        boolean isLow = order < 0 || (order == 0 && (below & 1) == 0);
        return isLow ? below : below + 1;
    }

    private static BigDecimal magnitude(int bits) {
        double value = Math.abs((double) decoded(bits & 0xFFFF));
        return new BigDecimal(Double.isInfinite(value) ? 0x1p128 : value);
    }
}
