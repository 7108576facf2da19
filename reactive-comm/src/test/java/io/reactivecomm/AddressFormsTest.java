package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The forms of addresses and variables that people write, and those that must not be guessed at. */
class AddressFormsTest {

    @ParameterizedTest
    @CsvSource({
        "tcp://node_1:29500, node_1",
        "tcp://gpu-4.cluster:29500/, gpu-4.cluster",
        "tcp://[fe80::1]:29500, fe80::1",
        "tcp://[fe80::1%eth0]:29500, fe80::1%eth0"
    })
    void tcp_hostsOfClusters_areRead(String initMethod, String host) {
        CommConfig config = CommConfig.of(initMethod, 0, 2);

        assertThat(config.host()).isEqualTo(host);
        assertThat(config.port()).isEqualTo(29500);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"tcp://user@host:1", "tcp://host:1/path", "tcp://host:1?rank=0", "tcp://a b:1", "tcp://host:1:2"
            })
    void tcp_withMoreThanHostAndPort_isRefused(String initMethod) {
        assertThatExceptionOfType(RendezvousException.class)
                .isThrownBy(() -> CommConfig.of(initMethod, 0, 2))
                .withMessageContaining("initMethod=" + initMethod);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fd77::1", "[fd77::1]"})
    void addressOfIpv6_isReadWithBracketsAndWithout(String address) {
        CommConfig config = CommConfig.fromEnvironment(Map.of("RANK", "0", "WORLD_SIZE", "1", "MASTER_ADDR", address));

        assertThat(config.host()).isEqualTo("fd77::1");
        assertThat(config.store()).hasToString("tcp://[fd77::1]:29500");
        assertThat(CommConfig.of("tcp://[fd77::1]:29500", 0, 1).store()).isEqualTo(config.store());
    }

    @Test
    void addressOfIpv6WithoutBrackets_isNoHostAndPort() {
        assertThatExceptionOfType(RendezvousException.class)
                .isThrownBy(() -> CommConfig.of("tcp://fd77::1:29500", 0, 2))
                .withMessageContaining("IPv6 in brackets");
    }

    @Test
    void hostAndPort_hasBracketsWhereTheyAreNeeded() {
        assertThat(StoreAddress.hostAndPort("node_1", 1)).isEqualTo("node_1:1");
        assertThat(StoreAddress.hostAndPort("10.1.0.7", 1)).isEqualTo("10.1.0.7:1");
        assertThat(StoreAddress.hostAndPort("fe80::1%eth0", 1)).isEqualTo("[fe80::1%eth0]:1");
    }

    @ParameterizedTest
    @CsvSource({"1, true", "true, true", "TRUE, true", "0, false", "False, false", "'', false"})
    void switch_inItsForms_isRead(String text, boolean expected) {
        Map<String, String> environment = Map.of("RANK", "0", "WORLD_SIZE", "1", "RCOMM_CALL_SITES", text);

        assertThat(CommConfig.fromEnvironment(environment).callSites()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "on", "2"})
    void switch_thatIsNeither_isAnError(String text) {
        Map<String, String> environment = Map.of("RANK", "0", "WORLD_SIZE", "1", "RCOMM_PLAINTEXT", text);

        assertThatExceptionOfType(RendezvousException.class)
                .isThrownBy(() -> CommConfig.fromEnvironment(environment))
                .withMessageContaining("RCOMM_PLAINTEXT=" + text);
    }
}
