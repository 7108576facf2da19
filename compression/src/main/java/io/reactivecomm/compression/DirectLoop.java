package io.reactivecomm.compression;

import io.reactivecomm.kernel.Kernels;
import io.reactivecomm.kernel.Warmup;

/** A loop of {@link FloatVectors}, and whether it is compiled: until then the {@link FloatStrip} does its work. */
enum DirectLoop {
    ADD_SQUARES,
    PACK_SIGNS,
    UNPACK_SIGNS,
    QUANTIZE_TO_BYTES,
    QUANTIZE_TO_HALF_BYTES,
    DEQUANTIZE_BYTES,
    DEQUANTIZE_HALF_BYTES,
    FIND_INFINITE;

    private final Warmup warmup = new Warmup(() -> new DirectTrial(this));

    /** {@return whether this JVM has vectors, and the loop over them is compiled; if not, it will be} */
    boolean isReady() {
        return Kernels.hasVectors() && FloatVectors.areWide() && warmup.isWarm();
    }
}
