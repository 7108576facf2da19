package io.reactivecomm;

import org.jspecify.annotations.Nullable;

/**
 * What a process must have and accept to enter a world.
 *
 * @param token the secret that admits a process, or null for none; required beyond loopback
 * @param plaintext whether the user accepts unencrypted links beyond loopback
 */
public record Admission(@Nullable String token, boolean plaintext) {

    /** No secret, and nothing beyond loopback. */
    public static final Admission LOOPBACK_ONLY = new Admission(null, false);

    /** Hides the token. */
    @Override
    public String toString() {
        return "Admission[token=" + (token == null ? "none" : "set") + ", plaintext=" + plaintext + "]";
    }
}
