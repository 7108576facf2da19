package io.reactivecomm.netty.internal.connection;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HMAC-SHA-256, by which connections and datagrams prove that they know the token. */
public final class HmacSha256 {

    private static final String ALGORITHM = "HmacSHA256";

    private HmacSha256() {}

    /** {@return one under that key, which is not empty} */
    public static Mac keyed(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "this JDK lacks what every JDK must have: algorithm=" + ALGORITHM + "; run on another one", e);
        }
    }
}
