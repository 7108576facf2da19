package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SystemCommandTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String SLEEP = "sleep 4717";

    @Test
    void failure_isToldInTheCommandsOwnWords() {
        assertThatThrownBy(() -> SystemCommand.run(List.of("sh", "-c", "echo no such thing >&2; exit 3")))
                .isInstanceOf(HostsException.class)
                .hasMessageContaining("exitCode=3, says=\"no such thing\"");
    }

    @Test
    void interrupted_leavesNoProcess() {
        // All it writes to is closed, so only its end is waited for.
        List<String> words = List.of("sh", "-c", "exec " + SLEEP + " >&- 2>&-");
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> SystemCommand.run(words))
                    .isInstanceOf(HostsException.class)
                    .hasMessageStartingWith("interrupted");
        } finally {
            Thread.interrupted();
        }
        List<ProcessHandle> left = ProcessHandle.current()
                .children()
                .filter(child -> child.info().commandLine().orElse("").contains(SLEEP))
                .toList();
        try {
            assertThat(left).allSatisfy(child -> assertThat(child.onExit()).succeedsWithin(PATIENCE));
        } finally {
            left.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
