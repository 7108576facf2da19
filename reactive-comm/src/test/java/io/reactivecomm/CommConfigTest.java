package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommConfigTest {

    private static final Map<String, String> PLACE = Map.of("RANK", "1", "WORLD_SIZE", "4");

    private static Map<String, String> placeWith(String name, String value) {
        Map<String, String> environment = new HashMap<>(PLACE);
        environment.put(name, value);
        return environment;
    }

    @Test
    void fromEnvironment_rankAndWorldSizeAlone_takesTheDefaults() {
        CommConfig config = CommConfig.fromEnvironment(PLACE);

        assertThat(config.rank()).isEqualTo(1);
        assertThat(config.worldSize()).isEqualTo(4);
        assertThat(config.host()).isEqualTo("127.0.0.1");
        assertThat(config.port()).isEqualTo(CommConfig.DEFAULT_PORT);
        assertThat(config.timeout()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.token()).isNull();
        assertThat(config.plaintext()).isFalse();
    }

    @Test
    void fromEnvironment_everythingSet_readsEverything() {
        Map<String, String> environment = new HashMap<>(PLACE);
        environment.putAll(Map.of(
                "MASTER_ADDR", "10.0.0.1",
                "MASTER_PORT", "1234",
                "RCOMM_TOKEN", "secret",
                "RCOMM_TIMEOUT_SECONDS", "30",
                "RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", "5",
                "RCOMM_STORE_HOSTED", "1",
                "RCOMM_PLAINTEXT", "true",
                "RCOMM_CALL_SITES", "1"));

        CommConfig config = CommConfig.fromEnvironment(environment);

        CommConfig expected = CommConfig.of(1, 4, "10.0.0.1", 1234)
                .withToken("secret")
                .withTimeout(Duration.ofSeconds(30))
                .withRendezvousTimeout(Duration.ofSeconds(5))
                .withStoreHosted(true)
                .withPlaintext(true)
                .withCallSites(true);
        assertThat(config).isEqualTo(expected);
        assertThat(config.toString()).doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource({
        "RANK, 4, RANK=4",
        "RANK, -1, RANK=-1",
        "RANK, one, RANK=one",
        "WORLD_SIZE, 0, WORLD_SIZE=0",
        "MASTER_PORT, 70000, MASTER_PORT=70000",
        "RCOMM_TIMEOUT_SECONDS, 0, RCOMM_TIMEOUT_SECONDS"
    })
    void fromEnvironment_valueThatCannotBe_namesTheVariable(String name, String value, String named) {
        assertThatThrownBy(() -> CommConfig.fromEnvironment(placeWith(name, value)))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining(named)
                .hasMessageContaining(";");
    }

    @Test
    void fromEnvironment_noRank_saysHowToStart() {
        assertThatThrownBy(() -> CommConfig.fromEnvironment(Map.of("WORLD_SIZE", "2")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RANK")
                .hasMessageContaining("rcomm run");
    }

    @Test
    void of_tcpAddress_readsHostAndPort() {
        CommConfig config = CommConfig.of("tcp://127.0.0.1:5555", 0, 2);

        assertThat(config.host()).isEqualTo("127.0.0.1");
        assertThat(config.port()).isEqualTo(5555);
    }

    @ParameterizedTest
    @CsvSource({"http://host:1", "tcp://host", "tcp://:5", "not an address"})
    void of_otherAddress_namesTheForm(String initMethod) {
        assertThatThrownBy(() -> CommConfig.of(initMethod, 0, 2))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("tcp://host:port");
    }
}
