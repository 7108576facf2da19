package io.reactivecomm;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The terms on which a process enters a world.
 *
 * @param token the secret that admits a process, or null for none; required beyond loopback. Blanks and line ends around it, which files and scripts add,
 *     do not belong to it, and those inside it do; a blank token counts as no token
 * @param encryption which bytes are encrypted
 * @param tokenFile whether rank 0, where it runs the store on loopback and no token is given, makes one up and keeps it in a file that only its user
 *     can read, so that no other user's process enters; all ranks have the same
 */
public record Admission(@Nullable String token, Encryption encryption, boolean tokenFile) {

    /**
     * The rule by which the bytes of a job are encrypted.
     *
     * <p>Connections beyond the host use TLS 1.3. Both ends prove that they have the token of the job, so no certificates are needed. Connections within the host are
     * plaintext unless TLS is demanded everywhere.
     */
    public enum Encryption {
        /** No TLS: only for a network that the user trusts. All ranks and the store must agree ({@code RCOMM_PLAINTEXT=1}). */
        OFF,
        /** TLS beyond the host, where engines such as MPI and NCCL may move data in plaintext ({@code RCOMM_PLAINTEXT=engines}). */
        LINKS_BETWEEN_HOSTS,
        /** TLS beyond the host, where no engine may move data in plaintext: the default. */
        BETWEEN_HOSTS,
        /** TLS on each connection; engines may move data beyond the host in plaintext ({@code RCOMM_TLS=all RCOMM_PLAINTEXT=engines}). */
        LINKS_EVERYWHERE,
        /** TLS on each connection; no engine may move data beyond the host in plaintext ({@code RCOMM_TLS=all}). */
        EVERYWHERE;

        /**
         * {@return the rule that RCOMM_TLS and RCOMM_PLAINTEXT name, for launchers} The file that RCOMM_CONFIG names counts, too.
         *
         * @throws RendezvousException if one of them cannot be read
         */
        public static Encryption fromEnvironment(Map<String, String> environment) {
            Objects.requireNonNull(environment, "environment");
            return ConfigFile.with(environment, settings -> of(new EnvironmentVariables(settings)));
        }

        static Encryption of(EnvironmentVariables variables) {
            String extent = variables.text("RCOMM_TLS", "");
            boolean isEverywhere = extent.equalsIgnoreCase("all");
            if (!extent.isEmpty() && !isEverywhere) {
                throw new RendezvousException("an environment variable has an unknown value: RCOMM_TLS=" + extent
                        + "; set all for TLS on loopback, too, or leave it out: beyond the host TLS is always used");
            }
            if (variables.text("RCOMM_PLAINTEXT", "").equalsIgnoreCase("engines")) {
                return isEverywhere ? LINKS_EVERYWHERE : LINKS_BETWEEN_HOSTS;
            }
            boolean isPlain = variables.flag("RCOMM_PLAINTEXT");
            if (isPlain && isEverywhere) {
                throw new RendezvousException(
                        "TLS is demanded on all connections, and plaintext as well: RCOMM_TLS=all, RCOMM_PLAINTEXT=1; set one of the two");
            }
            if (isPlain) {
                return OFF;
            }
            return isEverywhere ? EVERYWHERE : BETWEEN_HOSTS;
        }

        /** {@return whether connections within the host are encrypted, too} */
        public boolean isEverywhere() {
            return this == LINKS_EVERYWHERE || this == EVERYWHERE;
        }

        /** {@return whether engines may move data in plaintext beyond the host} */
        public boolean permitsPlaintextOfEngines() {
            return this == OFF || this == LINKS_BETWEEN_HOSTS || this == LINKS_EVERYWHERE;
        }
    }

    /** No token given: on loopback this user's processes enter, and beyond loopback none. */
    public static final Admission LOOPBACK_ONLY = new Admission(null, Encryption.BETWEEN_HOSTS, true);

    public Admission {
        Objects.requireNonNull(encryption, "encryption");
        token = token == null || token.isBlank() ? null : token.strip();
    }

    Admission withToken(@Nullable String token) {
        return new Admission(token, encryption, tokenFile);
    }

    Admission withEncryption(Encryption encryption) {
        return new Admission(token, encryption, tokenFile);
    }

    Admission withTokenFile(boolean tokenFile) {
        return new Admission(token, encryption, tokenFile);
    }

    /** Hides the token. */
    @Override
    public String toString() {
        return "Admission[token=" + (token == null ? "none" : "set") + ", encryption=" + encryption + ", tokenFile="
                + tokenFile + "]";
    }
}
