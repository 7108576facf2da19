package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RcommDoctorTest {

    @TempDir
    private Path folder;

    @Test
    void doctor_ofAFolder_printsTheDiagnosis_andWhatItLeftOut() throws IOException {
        try (LocalWorld world = ReactiveComm.local(2)) {
            for (ProcessGroup group : world.groups()) {
                group.dump(folder.resolve("rank-" + group.rank() + ".json")).block(Duration.ofSeconds(10));
            }
        }
        Files.writeString(folder.resolve("half.json"), "{\"version\": 1, \"ori");
        RcommCalls rcomm = new RcommCalls();
        assertThat(rcomm.run("doctor", folder.toString())).as(rcomm.err()).isZero();
        assertThat(rcomm.out()).startsWith("Dumps of ranks 0 and 1 of 2. ").contains("nothing is wrong");
        assertThat(rcomm.err()).contains("rcomm doctor: a dump is left out: ").contains("half.json");
    }

    @Test
    void doctor_withoutADump_saysWhereToGetOne() {
        RcommCalls rcomm = new RcommCalls();
        assertThat(rcomm.run("doctor", folder.toString())).isEqualTo(1);
        assertThat(rcomm.err())
                .contains("there is no dump of the flight recorder")
                .contains("RCOMM_DUMP");
    }
}
