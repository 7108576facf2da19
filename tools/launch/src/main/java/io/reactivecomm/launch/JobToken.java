package io.reactivecomm.launch;

import java.security.SecureRandom;
import java.util.HexFormat;

/** The token of one job, which its ranks share: 256 random bits. */
final class JobToken {

    /** Where a rank finds it. */
    static final String VARIABLE = "RCOMM_TOKEN";

    private static final int BYTES = 32;

    private JobToken() {}

    /** {@return a new one, in hexadecimal digits} */
    static String random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
