package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.nccl.cuda.CudaDriver;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** NCCL and CUDA in a JVM that denies native access: a typed error names the option. */
@Timeout(60)
class DeniedNativeAccessTest {

    /** The program of the JVM that denies native access. */
    static final class Child {

        public static void main(String[] args) {
            print(() -> NcclLibrary.open(Map.of()));
            print(CudaDriver::load);
        }

        private static void print(Runnable opening) {
            try {
                opening.run();
                System.out.println("opened");
            } catch (UnsupportedCollectiveException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void open_nativeAccessDenied_failsWithTheOptionToPass() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--illegal-native-access=deny",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader output = child.inputReader()) {
            List<String> lines = output.readAllLines();
            assertThat(lines)
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line).contains("pass --enable-native-access=ALL-UNNAMED"));
            assertThat(String.join(" ", lines)).contains("NCCL cannot be called", "the CUDA driver cannot be called");
            assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            child.destroyForcibly();
        }
    }
}
