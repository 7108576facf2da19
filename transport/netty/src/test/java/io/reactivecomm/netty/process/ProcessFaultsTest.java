package io.reactivecomm.netty.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Processes of which one is killed, stopped, or leaves, as the others see it; the first two are in the suite as cells of the matrix of faults.
 *
 * <p>Times are printed, never asserted. {@code -Drcomm.rounds=20} repeats each fault and prints the distribution of what
 * docs/reliability.md shows.
 */
@Timeout(300)
class ProcessFaultsTest {

    private static final int RANKS = 3;
    private static final int VICTIM = 2;
    private static final String TOKEN = "a token for ranks that fail";
    private static final String FLOATS_OF_64_MIB = Integer.toString(16 << 20);
    private static final String FOR_EVER = Integer.toString(Integer.MAX_VALUE);
    private static final int ROUNDS = Integer.getInteger("rcomm.rounds", 1);

    private final List<RankJvm> ranks = new ArrayList<>();
    private HostedStore store;

    @BeforeEach
    void startStore() {
        store = ServiceLoader.load(StoreHost.class)
                .findFirst()
                .orElseThrow()
                .start("127.0.0.1", 0, TOKEN, Encryption.BETWEEN_HOSTS)
                .block(Duration.ofSeconds(10));
    }

    @AfterEach
    void endAll() {
        ranks.forEach(RankJvm::close);
        store.close();
    }

    private void start(String count, String calls) {
        ranks.clear();
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(new RankJvm(rank, RANKS, store.port(), TOKEN, count, calls));
        }
    }

    private Stream<RankJvm> survivors() {
        return ranks.stream().filter(each -> each.rank() != VICTIM);
    }

    @Test
    @Tag("thorough")
    void allReduce_peerKilledMidway_survivorsGetPeerLostNamingItAndCloseCleanly() throws Exception {
        measure("kill -9", RankJvm::kill);
    }

    @Test
    @Tag("thorough")
    void allReduce_peerStoppedMidway_survivorsGetPeerLostNamingIt() throws Exception {
        measure("SIGSTOP", victim -> victim.signal("STOP"));
    }

    private void measure(String fault, Fault injected) throws Exception {
        List<Long> millis = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            endAll();
            startStore();
            start(FLOATS_OF_64_MIB, FOR_EVER);
            ranks.get(VICTIM).await("begun 2");
            long at = System.currentTimeMillis();
            injected.on(ranks.get(VICTIM));
            for (RankJvm survivor : survivors().toList()) {
                millis.add(lostVictim(survivor) - at);
            }
        }
        millis.sort(null);
        System.out.println(fault + ": told after ms median " + millis.get(millis.size() / 2) + ", max "
                + millis.getLast() + ", samples " + millis.size());
    }

    /** {@return when the survivor knew, after checking what it was told} */
    private static long lostVictim(RankJvm survivor) throws InterruptedException {
        String error = survivor.await("error");
        assertThat(error)
                .startsWith("error PeerLostException")
                .contains("rank=" + VICTIM)
                .contains("all-reduce");
        survivor.await("closed");
        assertThat(survivor.exitCode()).isZero();
        return Long.parseLong(error.split(" ")[2]);
    }

    /** A fault that happens to a rank. */
    private interface Fault {

        void on(RankJvm victim) throws Exception;
    }

    @Test
    void close_allRanksAfterTheSameCalls_nobodyReportsALoss() throws Exception {
        start("1000", "5");
        for (RankJvm rank : ranks) {
            rank.await("closed");
            assertThat(rank.exitCode()).isZero();
            assertThat(rank.seen()).noneMatch(line -> line.contains("error") || line.contains("lost"));
        }
    }
}
