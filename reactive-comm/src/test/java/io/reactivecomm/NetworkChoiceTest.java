package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.InetAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkChoiceTest {

    @ParameterizedTest
    @CsvSource({
        "ib0, ib0, 10.1.0.7",
        "ib0, ib0, fd77::7",
        "eth0.100, eth0.100, 10.1.0.7",
        "1234, 1234, 10.1.0.7",
        "' ib0 ', ib0, 10.1.0.7",
        "10.1.0.7, eth1, 10.1.0.7",
        "fd77::7, eth1, fd77:0:0:0:0:0:0:7",
        "[fd77::7], eth1, fd77::7",
        "::ffff:10.1.0.7, eth1, 10.1.0.7",
        "10.1.0.0/16, eth1, 10.1.255.255",
        "10.1.0.7/16, eth1, 10.1.2.3",
        "10.1.0.128/25, eth1, 10.1.0.200",
        "0.0.0.0/0, eth1, 192.0.2.7",
        "::/0, eth1, fd77::7",
        "fd77::/64, eth1, fd77::1:2:3:4",
        "fd77:0:0:8000::/49, eth1, fd77:0:0:ffff::1",
        "fe80::7%eth1, eth1, fe80::7",
        "fe80::/10%eth1, eth1, fe80::7",
        "fe80::%eth1/10, eth1, fe80::7",
    })
    void whatIsOfTheNetwork_matches(String text, String interfaceName, String address) {
        assertThat(new NetworkChoice(text).matches(interfaceName, InetAddress.ofLiteral(address)))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "ib0, ib00, 10.1.0.7",
        "ib, ib0, 10.1.0.7",
        "1234, eth1, 0.0.4.210",
        "10.1.0.7, eth1, 10.1.0.8",
        "10.1.0.0/16, eth1, 10.2.0.1",
        "10.1.0.128/25, eth1, 10.1.0.127",
        "0.0.0.0/0, eth1, fd77::7",
        "::/0, eth1, 10.1.0.7",
        "fd77::/64, eth1, fd77:0:0:1::1",
        "fd77:0:0:8000::/49, eth1, fd77:0:0:7fff::1",
        "fe80::/10%eth1, eth0, fe80::7",
    })
    void whatIsOfAnother_doesNot(String text, String interfaceName, String address) {
        assertThat(new NetworkChoice(text).matches(interfaceName, InetAddress.ofLiteral(address)))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "ib0 ib1",
                "10.1.0",
                "10.1.0.300",
                "10.1.0.7.8",
                "10.1.0.0/33",
                "10.1.0.0/",
                "10.1.0.0/x",
                "10.1.0.0/-1",
                "10.1/16",
                "ib0/16",
                "fd77::zz",
                "fd77::/129",
                "fd77:7",
                "eth0:1",
                "10.1.0.7%eth0",
                "fe80::7%",
                "fe80::7%a b",
                "ib0%1",
                "/16",
                "10.1.0.0/16/8",
                "tcp://10.1.0.7"
            })
    void whatCanBeNone_isRefusedAtOnce(String text) {
        assertThatExceptionOfType(RendezvousException.class)
                .isThrownBy(() -> CommConfig.of(0, 1, "127.0.0.1", 1).withInterface(text))
                .withMessageContaining("RCOMM_INTERFACE=" + text.strip())
                .withMessageContaining("write an interface such as");
    }

    @Test
    void address_isToldOfOneAlone() {
        assertThat(new NetworkChoice("127.0.0.2").address()).hasValue(InetAddress.ofLiteral("127.0.0.2"));
        assertThat(new NetworkChoice("fd77::7/128").address()).hasValue(InetAddress.ofLiteral("fd77::7"));
        assertThat(new NetworkChoice("fd77::7/64").address()).isEmpty();
        assertThat(new NetworkChoice("ib0").address()).isEmpty();
    }

    @Test
    void environment_namesIt_andRanksNeedNotAgree() {
        Map<String, String> place = Map.of("RANK", "0", "WORLD_SIZE", "1", "RCOMM_INTERFACE", " fd77::/64 ");

        CommConfig config = CommConfig.fromEnvironment(place);

        assertThat(config.tuning().network())
                .isEqualTo(new NetworkChoice("fd77::/64"))
                .hasToString("fd77::/64");
        assertThat(config.withLanes(2).withInterface("ib0").tuning().network()).isEqualTo(new NetworkChoice("ib0"));
        assertThat(config.agreed()).doesNotContainKey("RCOMM_INTERFACE");
    }

    @Test
    void environment_thatLeavesItOut_namesNone() {
        assertThat(CommConfig.fromEnvironment(Map.of("RANK", "0", "WORLD_SIZE", "1"))
                        .tuning()
                        .network())
                .isNull();
        assertThat(CommConfig.fromEnvironment(Map.of("RANK", "0", "WORLD_SIZE", "1", "RCOMM_INTERFACE", " "))
                        .tuning()
                        .network())
                .isNull();
    }
}
