package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import org.junit.jupiter.api.Test;

/** The certificate that a process makes for itself, as the JDK reads it. */
class SelfSignedTest {

    @Test
    void certificate_isReadBack_andSignedByItsOwnKey() throws Exception {
        X509Certificate certificate = SelfSigned.make().certificate();
        assertThatCode(() -> certificate.verify(certificate.getPublicKey())).doesNotThrowAnyException();
        assertThatCode(certificate::checkValidity).doesNotThrowAnyException();
        assertThat(certificate.getVersion()).isEqualTo(3);
        assertThat(certificate.getSigAlgName()).isEqualTo("SHA256withECDSA");
        assertThat(certificate.getSubjectX500Principal()).isEqualTo(certificate.getIssuerX500Principal());
        assertThat(((ECPublicKey) certificate.getPublicKey())
                        .getParams()
                        .getCurve()
                        .getField()
                        .getFieldSize())
                .isEqualTo(256);
        assertThat(certificate.getEncoded()).hasSizeBetween(250, 320);
    }

    @Test
    void keys_areOfOneProcess_andHidden() throws Exception {
        SelfSigned one = SelfSigned.make();
        assertThat(one.certificate().getPublicKey())
                .isNotEqualTo(SelfSigned.make().certificate().getPublicKey());
        assertThat(one.toString()).doesNotContain(one.key().toString());
    }
}
