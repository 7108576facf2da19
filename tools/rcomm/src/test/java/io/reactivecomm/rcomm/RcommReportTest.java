package io.reactivecomm.rcomm;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.timeline.Timeline;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** Reports of jobs in this process: {@code rcomm report}, and {@code --report} of the commands that have it. */
@Timeout(60)
class RcommReportTest {

    private final RcommCalls rcomm = new RcommCalls();

    @TempDir
    private Path folder;

    private String path(String name) {
        return folder.resolve(name).toString();
    }

    @Test
    void report_ofAFolder_isAPage_andItsVerdictIsPrinted() throws Exception {
        try (LocalWorld world = ReactiveComm.local(2);
                Timeline first = Timeline.to(folder.resolve("trace.0.json"));
                Timeline second = Timeline.to(folder.resolve("trace.1.json"))) {
            first.observe(world.groups().get(0));
            second.observe(world.groups().get(1));
            Flux.fromIterable(world.groups())
                    .flatMap(group -> group.barrier().repeat(4))
                    .blockLast();
        }
        assertThat(rcomm.run("report", folder.toString(), "-o", path("report.html")))
                .isZero();
        assertThat(rcomm.out()).startsWith("10 calls without steps: ").contains("report " + path("report.html"));
        assertThat(Files.readString(folder.resolve("report.html"))).contains("barrier");
    }

    @Test
    void train_withReport_splitsItsSteps_andLeavesNoParts() throws Exception {
        assertThat(rcomm.run(
                        "train",
                        "--transport",
                        "local",
                        "--ranks",
                        "2",
                        "--epochs",
                        "1",
                        "--chart",
                        path("train.png"),
                        "--report",
                        path("report.html")))
                .isZero();
        assertThat(rcomm.out()).contains("45 steps of ", " exposed communication, ", "report " + path("report.html"));
        assertThat(folder).isDirectoryNotContaining("glob:**.json");
    }

    @Test
    void perf_withReport_hasItsCalls() throws Exception {
        assertThat(rcomm.run(
                        "perf",
                        "all-reduce",
                        "--transport",
                        "local",
                        "--ranks",
                        "2",
                        "--bytes",
                        "1024",
                        "--batches",
                        "1",
                        "--batch-millis",
                        "1",
                        "--warm-up-millis",
                        "1",
                        "--report",
                        path("report.html")))
                .isZero();
        assertThat(rcomm.out()).contains(" calls without steps: ", "report " + path("report.html"));
    }
}
