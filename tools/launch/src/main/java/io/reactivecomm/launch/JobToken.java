package io.reactivecomm.launch;

import java.security.SecureRandom;
import java.util.HexFormat;

/** The token of one job, by which its ranks are told from others: 128 random bits. */
final class JobToken {

    /** Where a rank finds it. */
    static final String VARIABLE = "RCOMM_TOKEN";

    private static final int BYTES = 16;

    private JobToken() {}

    /** {@return a new one, in hexadecimal digits} */
    static String random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
