package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.Admission.Encryption;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rule of encryption, as settings give it. */
class EncryptionTest {

    private static CommConfig config(String... settings) {
        Map<String, String> environment = new HashMap<>(Map.of("RANK", "0", "WORLD_SIZE", "1"));
        for (int i = 0; i < settings.length; i += 2) {
            environment.put(settings[i], settings[i + 1]);
        }
        return CommConfig.fromEnvironment(environment);
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', BETWEEN_HOSTS",
        "all, '', EVERYWHERE",
        "ALL, 0, EVERYWHERE",
        "'', 1, OFF",
        "'', true, OFF",
        "'', engines, LINKS_BETWEEN_HOSTS",
        "all, Engines, LINKS_EVERYWHERE"
    })
    void settings_giveARule(String tls, String plaintext, Encryption expected) {
        CommConfig config = config("RCOMM_TLS", tls, "RCOMM_PLAINTEXT", plaintext);
        assertThat(config.encryption()).isEqualTo(expected);
        assertThat(config.plaintext()).isEqualTo(expected == Encryption.OFF);
    }

    @Test
    void tlsIsUsedBetweenHosts_unlessTheProgramChooses() {
        assertThat(config().encryption()).isEqualTo(Encryption.BETWEEN_HOSTS);
        assertThat(config().withPlaintext(true).encryption()).isEqualTo(Encryption.OFF);
        assertThat(config().withPlaintext(true).withPlaintext(false).encryption())
                .isEqualTo(Encryption.BETWEEN_HOSTS);
        assertThat(config("RCOMM_TLS", "all").withPlaintext(false).encryption()).isEqualTo(Encryption.EVERYWHERE);
        assertThat(config().withEncryption(Encryption.EVERYWHERE).encryption().isEverywhere())
                .isTrue();
    }

    @Test
    void settings_thatContradictEachOther_areRefused() {
        assertThatExceptionOfType(RendezvousException.class)
                .isThrownBy(() -> config("RCOMM_TLS", "all", "RCOMM_PLAINTEXT", "1"))
                .withMessageContainingAll("RCOMM_TLS=all", "RCOMM_PLAINTEXT=1");
    }

    @ParameterizedTest
    @CsvSource({"RCOMM_TLS, 1", "RCOMM_TLS, off", "RCOMM_PLAINTEXT, engine"})
    void values_thatAreUnknown_areRefused(String name, String value) {
        assertThatExceptionOfType(RendezvousException.class)
                .isThrownBy(() -> config(name, value))
                .withMessageContaining(name + "=" + value);
    }
}
