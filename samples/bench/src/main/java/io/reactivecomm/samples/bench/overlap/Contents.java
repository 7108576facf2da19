package io.reactivecomm.samples.bench.overlap;

import io.reactivecomm.samples.bench.compressed.Compression;
import org.jspecify.annotations.Nullable;

/**
 * The contents of what buckets send: elements, or what a compression makes of them.
 *
 * @param compression null for elements
 */
record Contents(@Nullable Compression compression) {

    static final Contents PLAIN = new Contents(null);

    boolean isPlain() {
        return compression == null;
    }

    /** {@return its name in words} */
    @Override
    public String toString() {
        return compression == null ? "plain" : compression.toString();
    }
}
