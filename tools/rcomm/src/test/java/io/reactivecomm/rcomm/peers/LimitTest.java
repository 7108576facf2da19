package io.reactivecomm.rcomm.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The real program, where a C compiler is installed. */
@Timeout(60)
class LimitTest {

    private static final Duration BATCH = Duration.ofMillis(2);

    @TempDir
    private Path scratch;

    private PeerResult run(PeerKind peer, String op, int ranks, List<Long> sizes) {
        PeerAvailability found = new Limit(SearchPath.of(PeerSearch.USUAL_PATH), scratch).find(peer);
        assumeThat(found).isInstanceOf(PeerAvailability.Installed.class);
        PeerRequest request = new PeerRequest(op, ranks, sizes, null, 3, BATCH, Duration.ZERO);
        return PeerRun.of(((PeerAvailability.Installed) found).program(), request, Congestion.STOCK);
    }

    @ParameterizedTest
    @CsvSource({"LIMIT_SHM, 2", "LIMIT_SHM, 3", "LIMIT_SHM, 4", "LIMIT_TCP, 2", "LIMIT_TCP, 3"})
    void run_allReduce_measuresEachSize(PeerKind peer, int ranks) {
        PeerResult result = run(peer, "all-reduce", ranks, List.of(12L, 98304L));
        assertThat(result.failure()).isEmpty();
        assertThat(result.rows()).extracting(PeerRow::bytes).containsExactly(12L, 98304L);
        assertThat(result.rows()).allSatisfy(row -> assertThat(row.micros()).hasSize(3));
    }

    @ParameterizedTest
    @CsvSource({"broadcast, 2", "all-reduce, 1"})
    void run_whatHasNoLimit_isUnsupported(String op, int ranks) {
        assertThat(run(PeerKind.LIMIT_SHM, op, ranks, List.of(4L)).failure()).startsWith("not supported");
    }
}
