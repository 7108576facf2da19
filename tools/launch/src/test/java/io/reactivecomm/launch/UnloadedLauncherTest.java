package io.reactivecomm.launch;

import io.reactivecomm.testkit.UnloadedProgram;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program that has launched ranks leaves nothing behind in its JVM. */
@Timeout(120)
class UnloadedLauncherTest {

    /** A job that ends well, and one that fails. */
    public static final class Launches implements Runnable {

        @Override
        public void run() {
            run("true");
            run("exit 3");
        }

        private static void run(String script) {
            JobOptions options = JobOptions.of(2, List.of("sh", "-c", script));
            new LocalJob(options, JobOutput.standard()).run().block(Duration.ofSeconds(30));
        }
    }

    @Test
    void program_thatHasLaunched_isCollected() throws Exception {
        UnloadedProgram.requireCollected(Launches.class);
    }
}
