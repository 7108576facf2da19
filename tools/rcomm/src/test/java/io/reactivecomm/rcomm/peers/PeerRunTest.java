package io.reactivecomm.rcomm.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PeerRunTest {

    @TempDir
    private Path folder;

    private PeerResult run(String body) {
        return PeerRun.of(
                FakePrograms.peer(PeerKind.GLOO, FakePrograms.script(folder, "peer", body)),
                FakePrograms.request(4L, 64L),
                Congestion.STOCK);
    }

    @Test
    void of_program_getsTheRequestAndItsEnvironment() {
        PeerResult result = run("""
                [ "$*" = "all-reduce 3 0.010 0.000 4,64" ] || exit 9
                [ "$FAKE" = yes ] || exit 8
                echo "result call 4 1.5"; echo "result call 64 2.5" """);
        assertThat(result)
                .isEqualTo(new PeerResult(
                        List.of(new PeerRow("call", 4, List.of(1.5)), new PeerRow("call", 64, List.of(2.5))), ""));
    }

    @Test
    void of_programThatFails_isOneLine() {
        assertThat(run("echo 'no such device' >&2; exit 7").failure())
                .isEqualTo("it failed: exitCode=7, last words: no such device");
    }

    @Test
    void of_programThatIsMissing_isOneLine() {
        PeerProgram missing = FakePrograms.peer(PeerKind.MPICH, folder.resolve("none"));
        assertThat(PeerRun.of(missing, FakePrograms.request(4L), Congestion.STOCK)
                        .failure())
                .startsWith("it cannot be run: ")
                .doesNotContain("\n");
    }

    private static PeerResult hang(Path program, Duration limit) throws Exception {
        return PeerRun.of(FakePrograms.peer(PeerKind.GLOO, program), FakePrograms.request(4L), Congestion.STOCK, limit);
    }

    @Test
    void of_programThatHangs_isEndedWithItsChildren() throws Exception {
        Path ids = folder.resolve("ids");
        Path hanging = FakePrograms.script(
                folder, "hangs", "sleep 300 & echo $$ $! >'" + ids + "'; echo 'result call 4 1.5'; wait");

        // Some machines do not start the program within the first limit.
        Duration limit = Duration.ofSeconds(2);
        PeerResult result = hang(hanging, limit);
        while (result.rows().isEmpty() && limit.toSeconds() < 60) {
            limit = limit.multipliedBy(5);
            result = hang(hanging, limit);
        }

        assertThat(result.failure()).isEqualTo("it took too long and was ended: limit=" + limit.toSeconds() + " s");
        assertThat(result.rows()).containsExactly(new PeerRow("call", 4, List.of(1.5)));
        for (String id : Files.readString(ids).strip().split(" ")) {
            Optional<ProcessHandle> left = ProcessHandle.of(Long.parseLong(id));
            assertThat(left.filter(ProcessHandle::isAlive)).isEmpty();
        }
    }
}
