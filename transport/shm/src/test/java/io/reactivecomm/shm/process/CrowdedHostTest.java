package io.reactivecomm.shm.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many more ranks than cores: they take turns, and nobody waits for ever. */
@Tag("thorough")
class CrowdedHostTest {

    private static final int RANKS = 16;

    @Test
    @Timeout(120)
    void sixteenProcesses_finishABarrierAndAMebibyte() throws Exception {
        try (RankProcesses ranks = new RankProcesses(CrowdedRank.class, RANKS, "shm")) {
            float sum = RANKS * (RANKS + 1) / 2f;
            for (Process rank : ranks.all()) {
                assertThat(output(rank)).contains("sum " + sum + " to " + sum);
                assertThat(rank.waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(rank.exitValue()).isZero();
            }
        }
    }

    private static List<String> output(Process rank) throws IOException {
        try (BufferedReader lines = rank.inputReader()) {
            return lines.readAllLines();
        }
    }
}
