package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.CommConfig;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.RendezvousException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A world that cannot be joined leaves nothing running. */
class FailedJoinTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private static List<Thread> loops() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("rcomm-local-")
                        || thread.getName().startsWith("rcomm-watch-"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu:", "links,,links", "no-such-engine"})
    void backend_thatMakesNoSense_leavesNoThread(String backend) throws InterruptedException {
        List<Thread> before = loops();
        CommConfig settings =
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withBackend(backend);

        assertThatExceptionOfType(RendezvousException.class).isThrownBy(() -> ReactiveComm.local(2, settings));

        for (Thread thread : loops()) {
            // One whose work is over may still have its last steps to do.
            assertThat(before.contains(thread) || thread.join(SOON))
                    .as("%s has ended", thread.getName())
                    .isTrue();
        }
    }
}
