package io.reactivecomm.collective;

/** Numbers that tell things apart and are the same in every process. */
public final class Fingerprint {

    private Fingerprint() {}

    /** {@return a fingerprint of two fingerprints; their order counts, which it does not where one is mixed into the other} */
    public static long join(long first, long second) {
        return mix(mix(0, first), second);
    }

    /** {@return a fingerprint that another value has been added to; the order of values counts} */
    public static long mix(long fingerprint, long value) {
        // The finalizer of SplitMix64: every bit of the input moves every bit of the output.
        long z = (fingerprint ^ value) + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
