package io.reactivecomm;

import org.jspecify.annotations.Nullable;

/**
 * The terms on which a process enters a world.
 *
 * @param token the secret that admits a process, or null for none; required beyond loopback. Blanks and line ends around it, which files and scripts add,
 *     do not belong to it, and those inside it do; a blank token counts as no token
 * @param plaintext whether the user accepts unencrypted links beyond loopback
 * @param tokenFile whether rank 0, where it runs the store on loopback and no token is given, makes one up and keeps it in a file that only its user
 *     can read, so that no other user's process enters; all ranks have the same
 */
public record Admission(@Nullable String token, boolean plaintext, boolean tokenFile) {

    /** Nothing beyond loopback, and there this user's processes. */
    public static final Admission LOOPBACK_ONLY = new Admission(null, false, true);

    public Admission {
        token = token == null || token.isBlank() ? null : token.strip();
    }

    Admission withToken(@Nullable String token) {
        return new Admission(token, plaintext, tokenFile);
    }

    Admission withPlaintext(boolean plaintext) {
        return new Admission(token, plaintext, tokenFile);
    }

    Admission withTokenFile(boolean tokenFile) {
        return new Admission(token, plaintext, tokenFile);
    }

    /** Hides the token. */
    @Override
    public String toString() {
        return "Admission[token=" + (token == null ? "none" : "set") + ", plaintext=" + plaintext + ", tokenFile="
                + tokenFile + "]";
    }
}
