package io.reactivecomm.internal.observe.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** A Java runtime that was linked without the flight recorder. */
@Tag("thorough")
class WithoutRecorderTest {

    /** Makes calls in it. */
    static final class Program {

        public static void main(String... arguments) {
            try (LocalWorld world = ReactiveComm.local(2)) {
                long calls = Flux.fromIterable(world.groups())
                        .flatMap(ProcessGroup::barrier, 2)
                        .count()
                        .blockOptional()
                        .orElseThrow();
                System.out.println("calls=" + calls + ", recorder="
                        + ModuleLayer.boot().findModule("jdk.jfr").isPresent());
            }
        }
    }

    @TempDir
    private Path folder;

    @Test
    void program_runs() throws IOException, InterruptedException {
        String said = ToolRun.of(
                folder,
                "java",
                "--limit-modules",
                "java.se,jdk.unsupported,jdk.incubator.vector",
                "--add-modules",
                "jdk.incubator.vector",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName());

        assertThat(said).contains("calls=2, recorder=false");
    }
}
