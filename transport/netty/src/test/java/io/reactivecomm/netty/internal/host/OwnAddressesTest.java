package io.reactivecomm.netty.internal.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.reactivecomm.RendezvousException;
import java.net.Inet4Address;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnAddressesTest {

    @Test
    void all_areThisMachines_andNoneIsLoopback() {
        assertThat(OwnAddresses.all()).allMatch(Addresses::isOwn).noneMatch(InetAddress::isLoopbackAddress);
    }

    @Test
    void ofInterfaces_areThoseBeyondLoopback_andLoopback() {
        assertThat(OwnAddresses.ofInterfaces())
                .extracting(OwnAddress::address)
                .containsAll(OwnAddresses.all())
                .anyMatch(InetAddress::isLoopbackAddress);
        assertThat(OwnAddresses.ofInterfaces())
                .extracting(OwnAddress::interfaceIndex)
                .isSorted();
        assertThat(OwnAddresses.ofInterfaces())
                .extracting(OwnAddress::interfaceName)
                .noneMatch(String::isEmpty);
    }

    @Test
    void sourceTowardsLoopback_isLoopback() {
        assertThat(OwnAddresses.sourceTowards(Addresses.resolve("127.0.0.1", 0).getAddress()))
                .isInstanceOf(Inet4Address.class)
                .matches(InetAddress::isLoopbackAddress);
    }

    @Test
    void sourceTowardsAnOwnAddress_isThatAddress() {
        assumeFalse(OwnAddresses.all().isEmpty(), "this machine has no address beyond loopback");
        for (InetAddress own : OwnAddresses.all()) {
            assertThat(OwnAddresses.sourceTowards(own)).isEqualTo(own);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "192.0.2.77", "no such host or interface"})
    void whatRankZeroCannotListenOn_isAnError(String name) {
        assertThatThrownBy(() -> OwnAddresses.named(name))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("RCOMM_LISTEN=" + name);
    }
}
