package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.samples.programs.codec.CodecChoice;
import org.jspecify.annotations.Nullable;

/**
 * The contents of what buckets send: elements, or what a codec makes of them.
 *
 * @param codec null for elements
 */
record Contents(@Nullable CodecChoice codec) {

    static final Contents PLAIN = new Contents(null);

    boolean isPlain() {
        return codec == null;
    }

    /** {@return its name in words} */
    @Override
    public String toString() {
        return codec == null ? "plain" : codec.toString();
    }
}
