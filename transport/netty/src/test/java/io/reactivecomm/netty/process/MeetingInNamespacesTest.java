package io.reactivecomm.netty.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.spi.MeetingCodec;
import io.reactivecomm.spi.MeetingRecord;
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

    private static final int RANKS = 3;

    private final List<RankJvm> ranks = new ArrayList<>();
    private Namespaces network;

    @BeforeEach
    void requireNamespaces() throws Exception {
        String refusal = Namespaces.refusal();
        assumeTrue(refusal == null, refusal);
        network = new Namespaces(RANKS);
    }

    @AfterEach
    void end() {
        ranks.forEach(RankJvm::close);
        if (network != null) {
            network.close();
        }
    }

    private void start(Map<String, String> settings) {
        for (int rank = 0; rank < RANKS; rank++) {
            Map<String, String> environment = new HashMap<>(settings);
            environment.put("RCOMM_RENDEZVOUS_TIMEOUT_SECONDS", "60");
            ranks.add(new RankJvm(
                    rank, network.prefix(rank), environment, MeetingRank.class, Integer.toString(rank), Integer.toString(RANKS)));
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
        return MeetingCodec.decodeAll(records.stream().map(HexFormat.of()::parseHex).toList(), RANKS, round).getFirst();
    }

    private void expectStoreAt(String address) throws InterruptedException {
        carry(1);
        assertThat(carry(2)).isInstanceOfSatisfying(
                MeetingRecord.Store.class, store -> assertThat(store.address().getHostAddress()).isEqualTo(address));
        for (RankJvm rank : ranks) {
            assertThat(rank.await("joined")).isEqualTo("joined [0, 1, 2]");
        }
    }

    @Test
    void hosts_meetAtRankZerosAddress() throws Exception {
        start(Map.of("RCOMM_PLAINTEXT", "1"));
        expectStoreAt(Namespaces.address(0));
    }

    @Test
    void interfaceThatIsNamed_isListenedOn() throws Exception {
        start(Map.of("RCOMM_PLAINTEXT", "1", "RCOMM_LISTEN", "eth0"));
        expectStoreAt(Namespaces.address(0));
    }

    @Test
    void withoutPlaintext_allAreRefused() throws Exception {
        start(Map.of());
        carry(1);
        assertThat(carry(2)).isInstanceOf(MeetingRecord.Failure.class);
        for (RankJvm rank : ranks) {
            assertThat(rank.await("error")).contains("without encryption", "machines=3", "RCOMM_PLAINTEXT=1: [0, 1, 2]");
        }
    }
}
