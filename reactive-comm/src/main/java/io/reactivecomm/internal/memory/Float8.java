package io.reactivecomm.internal.memory;

/**
 * Decoding of the two FP8 types. Both are exact in float.
 *
 * <p><i>Source:</i> OCP 8-bit Floating Point Specification (OFP8), revision 1.0, section 5.
 */
public final class Float8 {

    private static final int E4M3_BIAS = 7;
    private static final int E4M3_FRACTION_BITS = 3;

    private Float8() {}

    /** Four exponent bits, three of fraction; no infinities, and all ones is the only NaN of each sign. */
    static float e4m3ToFloat(byte bits) {
        int exponent = (bits >>> E4M3_FRACTION_BITS) & 0xF;
        int fraction = bits & 0x7;
        if (exponent == 0xF && fraction == 0x7) {
            return Float.NaN;
        }
        int significand = exponent == 0 ? fraction : fraction + (1 << E4M3_FRACTION_BITS);
        int scale = Math.max(exponent, 1) - E4M3_BIAS - E4M3_FRACTION_BITS;
        return Math.copySign(Math.scalb((float) significand, scale), bits);
    }

    /** Five exponent bits, two of fraction: the upper half of a binary16. */
    static float e5m2ToFloat(byte bits) {
        return Float.float16ToFloat((short) (bits << 8));
    }
}
