package io.reactivecomm.samples.programs.train;

/**
 * A 64-bit hash of all parameters of a model, bit by bit: 0 and −0 differ. Each value goes through a bijective mix (SplitMix64's, by
 * Steele, Lea and Flood), so that models which differ in one bit never hash alike, and others do by chance only.
 */
public final class ParameterHash {

    private ParameterHash() {}

    public static long of(Mlp model) {
        long hash = 0;
        for (DenseLayer layer : model.layers()) {
            for (float parameter : layer.parameters()) {
                hash = mix(hash + Float.floatToRawIntBits(parameter));
            }
        }
        return hash;
    }

    private static long mix(long value) {
        long mixed = value + 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
