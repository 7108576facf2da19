package io.reactivecomm.netty.internal.host;

import org.jspecify.annotations.Nullable;

/** The rule about tokens where TLS is used. */
public final class Tokens {

    /** 128 bits, in the characters of base64. */
    public static final int LEAST_CHARS = 22;

    private Tokens() {}

    /**
     * {@return why a token is too weak for TLS, or null} Both ends of TLS prove themselves by the token alone. A proof can be recorded, and guesses tested against it
     * off-line.
     */
    public static @Nullable String problem(@Nullable String token) {
        int chars = token == null ? 0 : token.length();
        return chars >= LEAST_CHARS
                ? null
                : "a token is too short for TLS: characters=" + chars + ", least=" + LEAST_CHARS
                        + "; make one with rcomm token, and set RCOMM_TOKEN to it on all ranks";
    }
}
