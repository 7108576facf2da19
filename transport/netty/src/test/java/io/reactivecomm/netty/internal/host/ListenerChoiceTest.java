package io.reactivecomm.netty.internal.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.rendezvous.MeetingRecord;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListenerChoiceTest {

    private static InetAddress address(String text) {
        return Addresses.resolve(text, 0).getAddress();
    }

    private static MeetingRecord.Hello rank(int rank, String machine, String... addresses) {
        return new MeetingRecord.Hello(
                rank,
                3,
                machine,
                true,
                false,
                Arrays.stream(addresses).map(ListenerChoiceTest::address).toList());
    }

    /** {@return rank 0's choice, whose machine has a route to each network of the same first two numbers, and a default one} */
    private static String chosen(String gateway, MeetingRecord.Hello... ranks) {
        ListenerChoice.Routes routes = there -> {
            String network = there.getHostAddress().replaceAll("\\.\\d+\\.\\d+$", ".");
            return ranks[0].addresses().stream()
                    .filter(own -> own.getHostAddress().startsWith(network))
                    .findFirst()
                    .orElse(gateway.isEmpty() ? null : address(gateway));
        };
        return new ListenerChoice(List.of(ranks), routes).choose().getHostAddress();
    }

    @Test
    void oneMachine_isLoopback() {
        assertThat(chosen("", rank(0, "a", "10.1.0.1"), rank(1, "a", "10.1.0.1")))
                .isEqualTo("127.0.0.1");
    }

    @Test
    void networkThatBothShare_wins() {
        assertThat(chosen("10.1.0.1", rank(0, "a", "10.1.0.1", "10.2.0.1"), rank(1, "b", "10.2.0.2")))
                .isEqualTo("10.2.0.1");
    }

    @Test
    void addressThatServesMostMachines_wins() {
        assertThat(chosen(
                        "",
                        rank(0, "a", "10.1.0.1", "10.2.0.1"),
                        rank(1, "b", "10.1.0.2", "10.2.0.2"),
                        rank(2, "c", "10.2.0.3")))
                .isEqualTo("10.2.0.1");
    }

    @Test
    void manyRanksOfOneMachine_haveOneVote() {
        assertThat(chosen(
                        "",
                        rank(0, "a", "10.1.0.1", "10.2.0.1"),
                        rank(1, "b", "10.2.0.2"),
                        rank(2, "b", "10.2.0.2"),
                        rank(3, "c", "10.1.0.3"),
                        rank(4, "d", "10.1.0.4")))
                .isEqualTo("10.1.0.1");
    }

    @Test
    void equals_areTakenInTheirOrder() {
        assertThat(chosen("", rank(0, "a", "10.1.0.1", "10.2.0.1"), rank(1, "b", "10.1.0.2", "10.2.0.2")))
                .isEqualTo("10.1.0.1");
    }

    @Test
    void bridgeThatEachMachineHas_isNoWay() {
        assertThat(chosen("", rank(0, "a", "172.17.0.1", "10.1.0.1"), rank(1, "b", "172.17.0.1", "10.1.0.2")))
                .isEqualTo("10.1.0.1");
    }

    @Test
    void machinesBehindARouter_areReachedByTheDefaultRoute() {
        assertThat(chosen("10.2.0.1", rank(0, "a", "172.18.0.1", "10.2.0.1"), rank(1, "b", "10.9.0.2")))
                .isEqualTo("10.2.0.1");
    }

    @Test
    void addressesThatAllShare_serve() {
        assertThat(chosen("", rank(0, "a", "10.1.0.1"), rank(1, "b", "10.1.0.1")))
                .isEqualTo("10.1.0.1");
    }

    @Test
    void noRoute_isTheFirstAddress() {
        assertThat(chosen("", rank(0, "a", "10.1.0.1", "10.2.0.1"), rank(1, "b", "10.9.0.2")))
                .isEqualTo("10.1.0.1");
    }

    @Test
    void noAddressAtAll_isAnError() {
        assertThatThrownBy(() -> chosen("", rank(0, "a"), rank(1, "b", "10.1.0.2")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("no address beyond loopback", "machines=2");
    }
}
