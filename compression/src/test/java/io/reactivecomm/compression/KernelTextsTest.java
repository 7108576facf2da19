package io.reactivecomm.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernels' PTX is that of their sources. */
class KernelTextsTest {

    @ParameterizedTest
    @ValueSource(strings = {"one_bit", "blocks", "top_k"})
    void ptx_tellsTheHashOfItsSource(String name) throws Exception {
        String first =
                new String(read("device/" + name + ".ptx")).lines().findFirst().orElseThrow();
        String hash = hash("/io/reactivecomm/kernel/device.h", "device/numbers.h", "device/" + name + ".cu");

        assertThat(first)
                .as("run .ci/ptx, which compiles the sources again")
                .contains(name + ".cu")
                .endsWith(hash);
    }

    private static String hash(String... resources) throws IOException, GeneralSecurityException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (String resource : resources) {
            digest.update(read(resource));
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static byte[] read(String resource) throws IOException {
        try (InputStream text = Codec.class.getResourceAsStream(resource)) {
            return text.readAllBytes();
        }
    }
}
