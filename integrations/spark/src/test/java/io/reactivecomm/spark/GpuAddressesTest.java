package io.reactivecomm.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The test of GPUs that Spark gives to tasks. A script names them; no GPU is needed. */
@Tag("thorough")
@Timeout(240)
class GpuAddressesTest {

    @TempDir
    private Path folder;

    private Path discovery() throws IOException {
        Path script = folder.resolve("discover");
        Files.writeString(script, """
                #!/bin/sh
                echo '{"name": "gpu", "addresses": ["3", "5"]}'
                """);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script;
    }

    @Test
    void ranks_haveTheAddressesThatSparkGaveToTheirTasks() throws IOException {
        String script = discovery().toString();
        SparkSession session = SparkHome.cluster("local-cluster[1,2,1024]")
                .config("spark.worker.resource.gpu.amount", "2")
                .config("spark.worker.resource.gpu.discoveryScript", script)
                .config("spark.executor.resource.gpu.amount", "2")
                .config("spark.executor.resource.gpu.discoveryScript", script)
                .config("spark.task.resource.gpu.amount", "1")
                .getOrCreate();
        try {
            List<List<String>> gpus =
                    SparkWorld.ranks(session.sparkContext(), 2).run((rank, partition) -> List.copyOf(rank.gpus()));

            assertThat(gpus).containsExactlyInAnyOrder(List.of("3"), List.of("5"));
        } finally {
            session.stop();
        }
    }
}
