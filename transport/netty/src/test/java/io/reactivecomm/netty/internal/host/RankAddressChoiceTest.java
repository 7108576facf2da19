package io.reactivecomm.netty.internal.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.NetworkChoice;
import io.reactivecomm.RendezvousException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The address that a rank takes, of machines that there need not be. */
class RankAddressChoiceTest {

    private static final List<OwnAddress> MACHINE = List.of(
            own("lo", 1, "::1"),
            own("lo", 1, "127.0.0.1"),
            own("eth0", 2, "fe80::a"),
            own("eth0", 2, "192.0.2.7"),
            own("ib0", 3, "fe80::b"),
            own("ib0", 3, "fd77::8"),
            own("ib0", 3, "fd77::7"),
            own("ib0", 3, "10.1.0.8"),
            own("ib0", 3, "10.1.0.7"),
            own("ib1", 4, "10.1.0.3"),
            own("fe0", 5, "fe80::c"));

    private static OwnAddress own(String interfaceName, int index, String address) {
        return new OwnAddress(interfaceName, index, InetAddress.ofLiteral(address));
    }

    private static InetAddress address(String literal) {
        return InetAddress.ofLiteral(literal);
    }

    @ParameterizedTest
    @CsvSource({
        // The one by which the store was reached, if it is of that network.
        "ib0, 10.1.0.8, 10.1.0.8",
        "ib0, fd77::8, fd77::8",
        "ib0, fe80::b, fe80::b",
        "lo, 127.0.0.1, 127.0.0.1",
        // The family by which the store was reached.
        "ib0, 192.0.2.7, 10.1.0.7",
        "ib0, ::1, fd77::7",
        "eth0, fd77::7, 192.0.2.7",
        "lo, 192.0.2.7, 127.0.0.1",
        "lo, fd77::7, ::1",
        // What others reach goes before what a link or this machine alone does.
        "0.0.0.0/0, 203.0.113.1, 192.0.2.7",
        "::/0, 192.0.2.7, fd77::7",
        "fe80::/10, 192.0.2.7, fe80::a",
        "fe80::/10%ib0, 192.0.2.7, fe80::b",
        "fe0, 192.0.2.7, fe80::c",
        // In the system's order, and then by number.
        "10.1.0.0/16, 192.0.2.7, 10.1.0.7",
        "10.1.0.3, 192.0.2.7, 10.1.0.3",
        "ib1, ::1, 10.1.0.3",
    })
    void address_isChosenByRule(String asked, String reached, String expected) {
        List<OwnAddress> shuffled = new ArrayList<>(MACHINE);
        for (int seed = 0; seed < 5; seed++) {
            Collections.shuffle(shuffled, new Random(seed));
            RankAddress chosen =
                    RankAddressChoice.among(shuffled, new NetworkChoice(asked)).choose(address(reached));
            assertThat(chosen.address()).as("seed=%d", seed).isEqualTo(address(expected));
        }
    }

    @Test
    void withoutANetwork_itIsWhereTheStoreWasReached() {
        RankAddress chosen = RankAddressChoice.AS_REACHED.choose(address("192.0.2.7"));

        assertThat(chosen).isEqualTo(RankAddress.reached(address("192.0.2.7")));
        assertThat(chosen.source(new InetSocketAddress("192.0.2.8", 1))).isNull();
        assertThat(RankAddressChoice.AS_REACHED.forStore()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"eth1", "10.2.0.0/16", "10.1.0.9", "fd78::/64", "fe80::/10%lo"})
    void networkThatThisMachineIsNotOn_isAnErrorThatTellsWhatThereIs(String asked) {
        assertThatThrownBy(() -> RankAddressChoice.among(MACHINE, new NetworkChoice(asked)))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll(
                        "RCOMM_INTERFACE=" + asked,
                        "eth0 fe80:0:0:0:0:0:0:a 192.0.2.7, ib0 ",
                        "10.1.0.8 10.1.0.7, ib1 10.1.0.3");
    }

    @Test
    void addressOfLoopbackThatIsNotListed_isTaken() {
        assertThat(RankAddressChoice.among(MACHINE, new NetworkChoice("127.0.0.2"))
                        .choose(address("127.0.0.1"))
                        .address())
                .isEqualTo(address("127.0.0.2"));
    }

    @ParameterizedTest
    @CsvSource({"ib0, 10.1.0.7", "eth0, 192.0.2.7", "::/0, fd77::7", "lo, 127.0.0.1"})
    void addressForTheStore_isWhatOtherMachinesCanBeTold(String asked, String expected) {
        assertThat(RankAddressChoice.among(MACHINE, new NetworkChoice(asked)).forStore())
                .hasValue(address(expected));
    }

    @Test
    void addressOfALinkAlone_isNoneForTheStore() {
        assertThat(RankAddressChoice.among(MACHINE, new NetworkChoice("fe0")).forStore())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.0.7, 10.1.0.9, true",
        "10.1.0.7, 203.0.113.1, true",
        "10.1.0.7, fd77::9, false",
        "10.1.0.7, 127.0.0.1, false",
        "127.0.0.1, 127.0.0.2, true",
        "fd77::7, fe80::9, false",
        "fd77::7, fd77::9, true",
    })
    void connections_comeFromTheNamedAddress_whereItLeadsToThePeer(String own, String peer, boolean expected) {
        RankAddress listening =
                RankAddressChoice.among(MACHINE, new NetworkChoice(own)).choose(address("192.0.2.7"));

        assertThat(listening.source(new InetSocketAddress(address(peer), 1))).isEqualTo(expected ? address(own) : null);
        assertThat(listening.source(InetSocketAddress.createUnresolved("nowhere", 1)))
                .isNull();
    }
}
