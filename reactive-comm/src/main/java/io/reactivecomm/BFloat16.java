package io.reactivecomm;

/**
 * Conversions of {@link DType#BFLOAT16}: one sign bit, eight exponent bits, seven bits of fraction, the upper half of a
 * binary32.
 *
 * <p>Each method is arithmetic on ints without a branch, so that C2 vectorises loops around {@link
 * #fromFloatBits(int)}.
 */
public final class BFloat16 {

    private static final int INFINITY = 0x7F80_0000;
    private static final int MAGNITUDE = 0x7FFF_FFFF;
    private static final int QUIET = 0x40;

    private BFloat16() {}

    /** {@return the value of these bfloat16 bits; exact} */
    public static float toFloat(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    /**
     * {@return the bfloat16 bits nearest to the value, ties to even; infinity from half a unit past the largest; a NaN
     * stays one}
     */
    public static short fromFloat(float value) {
        return fromFloatBits(Float.floatToRawIntBits(value));
    }

    /** As {@link #fromFloat(float)}, for a value given by its {@linkplain Float#floatToRawIntBits raw bits}. */
    public static short fromFloatBits(int bits) {
        int rounded = (bits + 0x7FFF + ((bits >>> 16) & 1)) >> 16;
        // Rounding could carry a NaN's payload into the sign, and truncation could leave an infinity.
        int quieted = (bits >> 16) | QUIET;
        int ifNaN = (INFINITY - (bits & MAGNITUDE)) >> 31;
        return (short) ((rounded & ~ifNaN) | (quieted & ifNaN));
    }
}
