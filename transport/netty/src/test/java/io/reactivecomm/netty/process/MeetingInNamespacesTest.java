package io.reactivecomm.netty.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.netty.process.Namespaces.Network;
import io.reactivecomm.spi.rendezvous.MeetingCodec;
import io.reactivecomm.spi.rendezvous.MeetingRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes in network namespaces, each with a loopback and an address of its own, that meet by an all-gather: the test carries the records. */
@Tag("thorough")
@Timeout(300)
class MeetingInNamespacesTest {

    private static final String TOKEN = "a token for ranks in namespaces";

    private static final int RANKS = 3;

    private final List<RankJvm> ranks = new ArrayList<>();
    private Namespaces network;

    @BeforeEach
    void requireNamespaces() throws Exception {
        String refusal = Namespaces.refusal();
        assumeTrue(refusal == null, refusal);
    }

    @AfterEach
    void end() {
        ranks.forEach(RankJvm::close);
        if (network != null) {
            network.close();
        }
    }

    private void start(Map<String, String> settings) throws Exception {
        start(new Namespaces(RANKS), settings);
    }

    private void start(Namespaces joined, Map<String, String> settings) {
        network = joined;
        for (int rank = 0; rank < RANKS; rank++) {
            Map<String, String> environment = new HashMap<>(settings);
            environment.put("RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", "60");
            ranks.add(new RankJvm(
                    rank,
                    network.prefix(rank),
                    environment,
                    MeetingRank.class,
                    Integer.toString(rank),
                    Integer.toString(RANKS)));
        }
    }

    /** {@return what rank 0 said} */
    private MeetingRecord carry(int round) throws InterruptedException {
        List<String> records = new ArrayList<>();
        for (RankJvm rank : ranks) {
            records.add(rank.await("record ").substring("record ".length()));
        }
        for (RankJvm rank : ranks) {
            records.forEach(rank::write);
        }
        return MeetingCodec.decodeAll(
                        records.stream().map(HexFormat.of()::parseHex).toList(), RANKS, round)
                .getFirst();
    }

    private void expectStoreAt(String address) throws InterruptedException {
        carry(1);
        assertThat(carry(2))
                .isInstanceOfSatisfying(
                        MeetingRecord.Store.class,
                        store -> assertThat(store.address().getHostAddress()).isEqualTo(address));
        for (RankJvm rank : ranks) {
            assertThat(rank.await("joined")).isEqualTo("joined [0, 1, 2]");
        }
    }

    @Test
    void hosts_meetAtRankZerosAddress() throws Exception {
        start(Map.of("RCOMM_TOKEN", TOKEN));
        expectStoreAt(Namespaces.address(0));
    }

    @Test
    void interfaceThatIsNamed_isListenedOn() throws Exception {
        start(Map.of("RCOMM_TOKEN", TOKEN, "RCOMM_LISTEN", "eth0"));
        expectStoreAt(Namespaces.address(0));
    }

    /** Each has votes from the others: without the setting the first that the system counts. */
    @Test
    void networkThatIsNamed_isListenedOn() throws Exception {
        Network first = Network.of("eth0", "10.77.0.%d/24");
        start(
                new Namespaces(RANKS, first, Network.of("ib0", "10.78.0.%d/24")),
                Map.of("RCOMM_TOKEN", TOKEN, "RCOMM_INTERFACE", "10.78.0.0/16"));
        expectStoreAt("10.78.0.1");
    }

    @Test
    void listenerThatIsNamed_comesBeforeTheNetwork() throws Exception {
        Network first = Network.of("eth0", "10.77.0.%d/24");
        start(
                new Namespaces(RANKS, first, Network.of("ib0", "10.78.0.%d/24")),
                Map.of("RCOMM_TOKEN", TOKEN, "RCOMM_INTERFACE", "ib0", "RCOMM_LISTEN", "eth0"));
        expectStoreAt("10.77.0.1");
    }

    @Test
    void ipv6Alone_isEnough() throws Exception {
        start(new Namespaces(RANKS, Network.of("eth0", "fd77::%d/64")), Map.of("RCOMM_TOKEN", TOKEN));
        expectStoreAt("fd77:0:0:0:0:0:0:1");
    }

    @Test
    void withoutAToken_allAreRefused() throws Exception {
        start(Map.of());
        carry(1);
        assertThat(carry(2)).isInstanceOf(MeetingRecord.Failure.class);
        for (RankJvm rank : ranks) {
            assertThat(rank.await("error")).contains("no token is set", "machines=3", "RCOMM_TOKEN");
        }
    }
}
