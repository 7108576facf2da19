package io.reactivecomm.rcomm.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.rcomm.peers.Congestion;
import io.reactivecomm.rcomm.peers.FakePrograms;
import io.reactivecomm.rcomm.peers.ForeignLoad;
import io.reactivecomm.rcomm.peers.PeerKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rounds of peers that are shell scripts. */
@Timeout(60)
class ComparisonTest {

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    /** What others had of the two processors, as each run begins and ends. */
    private Iterator<Long> stolen = Stream.generate(() -> 0L).iterator();

    private Contestant peer(PeerKind peer, String body) {
        Path script = FakePrograms.script(
                folder, peer.toString(), "echo " + peer + " >>'" + folder.resolve("log") + "'\n" + body);
        return new PeerLibrary(
                FakePrograms.peer(peer, script), PerfOp.ALL_REDUCE, FakePrograms.request(64L), Congestion.STOCK, 0);
    }

    private Comparison comparison(Contestant... contestants) {
        PerfOptions options = new PerfOptions(
                PerfOp.ALL_REDUCE,
                List.of(64L),
                List.of(),
                DType.FLOAT32,
                "",
                new PerfOptions.Timing(3, Duration.ofMillis(5), Duration.ZERO, 0, false));
        return new Comparison(List.of(contestants), new PerfTable(new PrintWriter(out), options), () -> {
            long ticks = stolen.next();
            return new ForeignLoad(0, ticks, 1000 + ticks, 2);
        });
    }

    @Test
    void run_rounds_letsAllRunInTurn() throws Exception {
        // Slower each time: the number of its lines in the log.
        String slower = "echo \"result call 64 $(grep -c gloo '" + folder.resolve("log") + "')\"";
        Comparison comparison =
                comparison(peer(PeerKind.GLOO, slower), peer(PeerKind.MPICH, "echo result call 64 8,9,100"));

        assertThat(comparison.run(3)).isZero();

        assertThat(Files.readAllLines(folder.resolve("log")))
                .containsExactly("gloo", "mpich", "gloo", "mpich", "gloo", "mpich");
        assertThat(comparison.standings())
                .extracting(standing -> standing.rows().getFirst().medianMicros())
                .containsExactly(2.0, 9.0);
        assertThat(comparison.standings())
                .extracting(standing -> standing.rows().getFirst().busbwGBps())
                .containsExactly(0.032, 64 / 9.0 * 1e-3);
        assertThat(out.toString()).contains("# round 3 of 3").contains(" gloo ");
    }

    @Test
    void run_othersHadTheProcessors_isALine() {
        stolen = List.of(0L, 0L, 100L, 200L).iterator();
        Comparison comparison =
                comparison(peer(PeerKind.MPJ, "echo result call 64 8"), peer(PeerKind.MPICH, "echo result call 64 8"));

        assertThat(comparison.run(1)).isZero();

        assertThat(out.toString().lines().filter(line -> line.endsWith("better measure again")))
                .containsExactly("# mpich: other virtual machines took 200% of a CPU meanwhile; better measure again");
    }

    @Test
    void run_peerThatFails_isOneLineAndRunsNoMore() throws Exception {
        Comparison comparison =
                comparison(peer(PeerKind.MPJ, "echo nonsense; exit 0"), peer(PeerKind.MPICH, "echo result call 64 8"));

        assertThat(comparison.run(2)).isZero();

        assertThat(Files.readAllLines(folder.resolve("log"))).containsExactly("mpj", "mpich", "mpich");
        assertThat(out.toString().lines().filter(line -> line.startsWith("# mpj: ")))
                .containsExactly("# mpj: it wrote no result: last words: nonsense");
        assertThat(comparison.standings())
                .extracting(standing -> standing.rows().size())
                .containsExactly(0, 1);
    }
}
