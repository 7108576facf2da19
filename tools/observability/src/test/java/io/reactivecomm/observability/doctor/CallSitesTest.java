package io.reactivecomm.observability.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.recorder.FlightDump;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;

/** The line of the program in what the doctor says of a hang. */
@Timeout(60)
class CallSitesTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hang_isDiagnosedWithTheLine_whereSitesAreKept(boolean areKept) throws IOException {
        CommConfig config =
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withCallSites(areKept);
        try (LocalWorld world = ReactiveComm.local(2, config)) {
            Disposable waiting =
                    world.groups().getFirst().named("epoch").barrier().subscribe(work -> {}, error -> {});
            List<FlightDump> dumps = new ArrayList<>();
            for (ProcessGroup group : world.groups()) {
                dumps.add(FlightDump.read(group.dump(folder.resolve("rank-" + group.rank() + ".json"))
                        .blockOptional(LIMIT)
                        .orElseThrow()));
            }
            Diagnosis diagnosis = Doctor.diagnose(dumps);
            waiting.dispose();

            assertThat(diagnosis.text()).contains("Rank 1 ", "epoch#0", ". To do: ");
            assertThat(diagnosis.text().contains(" at " + CallSitesTest.class.getName() + ".hang_"))
                    .isEqualTo(areKept);
            assertThat(diagnosis.warnings()).hasSize(areKept ? 0 : 1);
        }
    }
}
