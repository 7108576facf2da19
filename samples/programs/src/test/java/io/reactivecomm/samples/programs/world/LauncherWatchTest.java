package io.reactivecomm.samples.programs.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LauncherWatchTest {

    @Test
    void begin_launcherIsKilled_endsTheRank() throws Exception {
        Process launcher = new ProcessBuilder("sleep", "1000").start();
        Process rank = start(Long.toString(launcher.pid()));
        try {
            assertThat(rank.inputReader().readLine()).isEqualTo("watching");
            assertThat(rank.isAlive()).isTrue();
            launcher.destroyForcibly();
            assertThat(rank.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(rank.exitValue()).isEqualTo(128 + 15);
        } finally {
            launcher.destroyForcibly();
            rank.destroyForcibly();
        }
    }

    @Test
    void variables_ofThisProcess_nameIt() {
        assertThat(LauncherWatch.variables())
                .containsValue(Long.toString(ProcessHandle.current().pid()));
    }

    private static Process start(String launcher) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                WatchedRank.class.getName());
        builder.environment().putAll(Map.of("RCOMM_SAMPLE_LAUNCHER", launcher));
        return builder.start();
    }
}
