package io.reactivecomm.netty.internal.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.NetworkChoice;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A store's host with several addresses: rank 0's and the others' choice. */
class HostAddressesTest {

    private static final HostAddresses BOTH = hosts("10.77.0.1", "fd77::1");

    private static HostAddresses hosts(String... literals) {
        return new HostAddresses(Stream.of(literals).map(InetAddress::ofLiteral).toList());
    }

    private static InetAddress address(String literal) {
        return InetAddress.ofLiteral(literal);
    }

    /** Routes to those addresses alone, from those. */
    private static ListenerChoice.Routes routes(Map<String, String> sources) {
        return there -> sources.entrySet().stream()
                .filter(each -> address(each.getKey()).equals(there))
                .map(each -> address(each.getValue()))
                .findFirst()
                .orElse(null);
    }

    private static RankAddressChoice named(String network, OwnAddress... own) {
        return RankAddressChoice.among(List.of(own), new NetworkChoice(network));
    }

    private static InetAddress dialled(HostAddresses hosts, Map<String, String> sources) {
        return hosts.towards(RankAddressChoice.AS_REACHED, routes(sources));
    }

    @Test
    void dialler_takesWhatARouteLeadsTo() {
        assertThat(dialled(BOTH, Map.of("fd77::1", "fd77::2"))).isEqualTo(address("fd77::1"));
        assertThat(dialled(BOTH, Map.of("fd77::1", "fd77::2", "10.77.0.1", "10.77.0.2")))
                .isEqualTo(address("10.77.0.1"));
        assertThat(dialled(BOTH, Map.of())).isEqualTo(address("10.77.0.1"));
    }

    @Test
    void dialler_ofSeveralOfAFamily_takesTheLowest_inWhateverOrderTheyCome() {
        Map<String, String> sources = Map.of("10.77.0.1", "10.77.0.9", "10.77.0.2", "10.77.0.9");
        assertThat(dialled(hosts("10.77.0.2", "10.77.0.1"), sources)).isEqualTo(address("10.77.0.1"));
        assertThat(dialled(hosts("10.77.0.1", "10.77.0.2"), sources)).isEqualTo(address("10.77.0.1"));
    }

    @Test
    void dialler_prefersTheNetworkThatIsNamed() {
        RankAddressChoice ib0 = named("ib0", new OwnAddress("ib0", 3, address("10.78.0.2")));
        assertThat(hosts("10.77.0.1", "10.78.0.1")
                        .towards(ib0, routes(Map.of("10.77.0.1", "10.77.0.2", "10.78.0.1", "10.78.0.2"))))
                .isEqualTo(address("10.78.0.1"));
        assertThat(hosts("10.77.0.1").towards(ib0, routes(Map.of("10.77.0.1", "10.77.0.2"))))
                .isEqualTo(address("10.77.0.1"));
    }

    @Test
    void rankZero_takesItsOwn() {
        assertThat(hosts("192.0.2.77", "127.0.0.1").own(RankAddressChoice.AS_REACHED))
                .isEqualTo(address("127.0.0.1"));
        assertThat(hosts("127.0.0.1", "::1").own(RankAddressChoice.AS_REACHED)).isEqualTo(address("127.0.0.1"));
        assertThat(hosts("192.0.2.77").own(RankAddressChoice.AS_REACHED)).isEqualTo(address("192.0.2.77"));
    }

    @Test
    void rankZero_prefersTheNetworkThatIsNamed() {
        RankAddressChoice named = named(
                "10.78.0.0/16",
                new OwnAddress("eth0", 2, address("10.77.0.1")),
                new OwnAddress("ib0", 3, address("10.78.0.1")));
        assertThat(hosts("127.0.0.1", "10.78.0.1").own(named)).isEqualTo(address("10.78.0.1"));
        assertThat(hosts("127.0.0.1").own(named)).isEqualTo(address("127.0.0.1"));
    }
}
