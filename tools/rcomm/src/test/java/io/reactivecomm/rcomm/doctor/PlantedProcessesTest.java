package io.reactivecomm.rcomm.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Timeouts;
import io.reactivecomm.observability.doctor.Diagnosis;
import io.reactivecomm.observability.doctor.Disease;
import io.reactivecomm.observability.doctor.Doctor;
import io.reactivecomm.observability.doctor.DumpFiles;
import io.reactivecomm.observability.doctor.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Planted cases that only processes show: one that is stopped, one that is killed, and one that dies of a full disk. */
@Timeout(120)
class PlantedProcessesTest {

    @TempDir
    private Path folder;

    private static String diagnosed(Disease disease, int culprit, Path... dumps) throws IOException {
        Diagnosis diagnosis = Doctor.diagnose(DumpFiles.read(List.of(dumps)).dumps());
        assertThat(diagnosis.findings())
                .as(diagnosis.text())
                .extracting(Finding::disease)
                .containsExactly(disease);
        assertThat(diagnosis.findings().getFirst().culprits()).containsExactly(culprit);
        return diagnosis.text();
    }

    /** By signal while nobody has noticed, and by the failure once it is killed. */
    @Test
    void stoppedProcess_andLostPeer() throws Exception {
        try (PlantedProcesses ranks = new PlantedProcesses(2, folder, Duration.ofMinutes(1))) {
            ranks.await(0, "ready");
            ranks.await(1, "ready");
            ranks.signal(1, "STOP");
            ranks.signal(0, "USR1");
            assertThat(diagnosed(Disease.STOPPED_PROCESS, 1, ranks.awaitDump("rank-0-signal.json")))
                    .contains("There is no dump of rank 1, which nobody has lost: rank 0 waits for it in loss#1");
            ranks.rank(1).destroyForcibly();
            assertThat(ranks.await(0, "error")).contains("lost rank 1");
            assertThat(diagnosed(Disease.LOST_PEER, 1, ranks.awaitDump("rank-0.json")))
                    .contains("Rank 0 lost rank 1, the first in loss#1");
        }
    }

    /** The failure detector takes three seconds and a half. */
    @Tag("thorough")
    @Test
    void stoppedProcess_isToldFromALostOne() throws Exception {
        try (PlantedProcesses ranks = new PlantedProcesses(3, folder, Timeouts.DEFAULT_SILENCE)) {
            for (int rank = 0; rank < 3; rank++) {
                ranks.await(rank, "ready");
            }
            ranks.signal(1, "STOP");
            ranks.await(0, "error");
            ranks.await(2, "error");
            assertThat(diagnosed(
                            Disease.STOPPED_PROCESS, 1, ranks.awaitDump("rank-0.json"), ranks.awaitDump("rank-2.json")))
                    .contains("Ranks 0 and 2 lost rank 1")
                    .contains("its process is stopped");
        }
    }

    /** Its program closes the group on the way out: the dump is written all the same when the thread dies. */
    @Test
    void fullDisk_ofAProgramThatDiesOfIt() throws Exception {
        try (PlantedProcesses ranks = new PlantedProcesses(1, folder, Timeouts.DEFAULT_SILENCE)) {
            assertThat(ranks.await(0, "Exception in thread \"main\"")).contains("No space left on device");
            assertThat(ranks.rank(0).waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(ranks.rank(0).exitValue()).isEqualTo(1);
            assertThat(diagnosed(Disease.FULL_DISK, 0, ranks.dumps()))
                    .contains("its thread main died of it: java.io.IOException: No space left on device")
                    .contains("saveCheckpoint");
        }
    }
}
