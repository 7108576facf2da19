package io.reactivecomm.netty.internal.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.RendezvousException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressesTest {

    private static InetAddress zoned(String literal, int zone) throws UnknownHostException {
        return Inet6Address.getByAddress(null, InetAddress.ofLiteral(literal).getAddress(), zone);
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.1:1", "::1, [0:0:0:0:0:0:0:1]:1", "::ffff:10.1.0.7, 10.1.0.7:1"})
    void text_hasBracketsAroundIpv6(String literal, String expected) {
        assertThat(Addresses.text(new InetSocketAddress(InetAddress.ofLiteral(literal), 1)))
                .isEqualTo(expected);
        assertThat(Addresses.text(InetSocketAddress.createUnresolved("fd77::1", 1)))
                .isEqualTo("[fd77::1]:1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1", "[::1]", "::ffff:127.0.0.1"})
    void loopback_isAllowedWithoutTokenAndPlaintext(String host) {
        assertThatCode(() -> Addresses.requireAllowed(Addresses.resolve(host, 1), null, Encryption.BETWEEN_HOSTS))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.0.7", "fd77::7", "fe80::7", "::ffff:10.1.0.7", "::"})
    void whatOthersReach_needsATokenAndPlaintext(String host) {
        InetSocketAddress address = Addresses.resolve(host, 1);
        assertThatThrownBy(() -> Addresses.requireAllowed(address, null, Encryption.OFF))
                .isInstanceOf(RendezvousException.class);
        assertThatThrownBy(() -> Addresses.requireAllowed(address, "secret", Encryption.BETWEEN_HOSTS))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("address=" + Addresses.text(address));
        assertThatCode(() -> Addresses.requireAllowed(address, "secret", Encryption.OFF))
                .doesNotThrowAnyException();
    }

    @Test
    void zone_staysWhereTheAddressIsOfOneLink() throws Exception {
        assertThat(Addresses.portable(zoned("fd77::7", 3)).getHostAddress()).isEqualTo("fd77:0:0:0:0:0:0:7");
        assertThat(Addresses.portable(zoned("::1", 1)).getHostAddress()).isEqualTo("0:0:0:0:0:0:0:1");
        assertThat(Addresses.portable(zoned("fe80::7", 3)).getHostAddress()).isEqualTo("fe80:0:0:0:0:0:0:7%3");
    }

    @Test
    void peerOnTheSameLink_isSeenThroughTheOwnInterface() throws Exception {
        InetSocketAddress peer =
                Addresses.ofPeer("fe80:0:0:0:0:0:0:9%no-such-interface-here", 4711, zoned("fe80::7", 3));

        assertThat(peer.getAddress()).isEqualTo(InetAddress.ofLiteral("fe80::9"));
        assertThat(((Inet6Address) peer.getAddress()).getScopeId()).isEqualTo(3);
        assertThat(peer.getPort()).isEqualTo(4711);
    }

    @Test
    void otherPeers_areTakenAsTheyWereTold() throws Exception {
        assertThat(Addresses.ofPeer("fd77::9", 1, zoned("fe80::7", 3)).getAddress())
                .isEqualTo(InetAddress.ofLiteral("fd77::9"));
        assertThat(Addresses.ofPeer("10.1.0.9", 1, InetAddress.ofLiteral("10.1.0.7"))
                        .getAddress())
                .isEqualTo(InetAddress.ofLiteral("10.1.0.9"));
    }
}
