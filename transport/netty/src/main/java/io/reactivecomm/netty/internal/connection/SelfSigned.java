package io.reactivecomm.netty.internal.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.HexFormat;

/**
 * A key of P-256 and its certificate, made in memory for one process. TLS demands a certificate of the listener. This one is not trusted, because the ends prove
 * themselves by the token. So its name and dates are constants.
 *
 * <pre>
 *   Certificate = SEQUENCE { TBS, algorithm, BIT STRING signature }
 *   TBS         = SEQUENCE { [0] version 3, serial 1, algorithm, name, validity, name, public key }
 * </pre>
 *
 * <p><b>Source.</b> RFC 5280, section 4.1; RFC 5758, section 3.2.
 */
record SelfSigned(PrivateKey key, X509Certificate certificate) {

    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int BIT_STRING = 0x03;
    private static final int UTF8_STRING = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int VERSION_TAG = 0xa0;

    private static final byte[] VERSION_3 = {2, 1, 2};
    private static final byte[] SERIAL_1 = {2, 1, 1};

    /** The object identifiers of ecdsa-with-SHA256 and of a common name. */
    private static final byte[] ECDSA_SHA256 = HexFormat.of().parseHex("06082a8648ce3d040302");

    private static final byte[] COMMON_NAME = HexFormat.of().parseHex("0603550403");

    static SelfSigned make() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        byte[] encoded = encode(pair);
        X509Certificate certificate = (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
        return new SelfSigned(pair.getPrivate(), certificate);
    }

    private static byte[] encode(KeyPair pair) throws GeneralSecurityException {
        byte[] algorithm = der(SEQUENCE, ECDSA_SHA256);
        byte[] text = der(UTF8_STRING, "reactive-comm".getBytes(US_ASCII));
        byte[] name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, text)));
        byte[] validity = der(SEQUENCE, time("000101000000Z"), time("491231235959Z"));
        byte[] publicKey = pair.getPublic().getEncoded();
        byte[] tbs = der(SEQUENCE, der(VERSION_TAG, VERSION_3), SERIAL_1, algorithm, name, validity, name, publicKey);
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.getPrivate());
        signature.update(tbs);
        return der(SEQUENCE, tbs, algorithm, der(BIT_STRING, new byte[] {0}, signature.sign()));
    }

    private static byte[] time(String text) {
        return der(UTC_TIME, text.getBytes(US_ASCII));
    }

    /** {@return a value of that type; shorter than 64 KiB} */
    private static byte[] der(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(tag);
        int length = content.size();
        if (length >= 256) {
            whole.write(0x82);
            whole.write(length >> 8);
        } else if (length >= 128) {
            whole.write(0x81);
        }
        whole.write(length);
        whole.writeBytes(content.toByteArray());
        return whole.toByteArray();
    }

    /** Hides the key. */
    @Override
    public String toString() {
        return "SelfSigned[" + certificate.getSubjectX500Principal() + "]";
    }
}
