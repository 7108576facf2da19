package io.reactivecomm.internal.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.recorder.FlightDump;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that exit as soon as they have their error. */
@Timeout(240)
class DumpAtExitTest {

    @TempDir
    private Path folder;

    /** A program whose first call fails, and which then exits at once ({@code exit}), or closes its world and returns ({@code close}). */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) {
            LocalWorld world =
                    ReactiveComm.local(2, CommConfig.of(0, 2, "127.0.0.1", 1).withDumps(Path.of(arguments[0])));
            try (Tensor loss = Tensor.of(new float[1])) {
                world.groups()
                        .getFirst()
                        .named("loss")
                        .timeout(Duration.ofMillis(1))
                        .allReduce(loss, ReduceOp.SUM)
                        .block();
            } catch (CommTimeoutException e) {
                if (arguments[1].equals("exit")) {
                    System.exit(3);
                }
                world.close();
            }
        }
    }

    /**
     * The exit waits for two seconds at most, in which a machine that is very busy may write no dump: the program then says so, and has begun one all the
     * same.
     */
    private void requireDump(String how, int status) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName(),
                        folder.toString(),
                        how)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(100, TimeUnit.SECONDS))
                    .as("the program ends")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertThat(process.exitValue()).as(said).isEqualTo(status);
        if (!said.contains("a dump of the flight recorder was not written in time")) {
            assertThat(folder.resolve("rank-0.json")).as(said).exists();
            assertThat(FlightDump.read(folder.resolve("rank-0.json"))
                            .state()
                            .ended()
                            .getLast()
                            .call()
                            .label())
                    .isEqualTo("loss#0");
        }
    }

    @Test
    void systemExit_waitsForTheDump() throws Exception {
        requireDump("exit", 3);
    }

    @Test
    void close_andTheEndOfMain_waitForTheDump() throws Exception {
        requireDump("close", 0);
    }
}
