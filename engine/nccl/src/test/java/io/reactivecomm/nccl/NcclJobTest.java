package io.reactivecomm.nccl;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.nccl.doubles.NcclDoubleDialect;
import io.reactivecomm.nccl.doubles.NcclDoubleLibrary;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import io.reactivecomm.testkit.NeedsGcc;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Ranks that are processes, with the engine that programs get: over TCP's links, a device each, and the doubles of NCCL and of the driver. */
@ExtendWith(NeedsGcc.class)
class NcclJobTest {

    private static final String TOKEN = "of the test";
    private static final int LIMIT_SECONDS = 60;

    private final List<Process> ranks = new ArrayList<>();
    private HostedStore store;

    @AfterEach
    void end() {
        ranks.forEach(Process::destroyForcibly);
        store.close();
    }

    private void start(int size) throws IOException {
        store = ServiceLoader.load(StoreHost.class)
                .findFirst()
                .orElseThrow()
                .start("127.0.0.1", 0, TOKEN, Encryption.BETWEEN_HOSTS)
                .block(Duration.ofSeconds(10));
        Path library = NcclDoubleLibrary.shared(NcclDoubleDialect.NCCL);
        for (int rank = 0; rank < size; rank++) {
            ProcessBuilder builder = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "--add-modules=jdk.incubator.vector",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Xmx256m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            NcclRank.class.getName())
                    .redirectErrorStream(true);
            builder.environment()
                    .putAll(Map.of(
                            "RANK",
                            Integer.toString(rank),
                            "WORLD_SIZE",
                            Integer.toString(size),
                            "MASTER_ADDR",
                            "127.0.0.1",
                            "MASTER_PORT",
                            Integer.toString(store.port()),
                            "RCOMM_TOKEN",
                            TOKEN,
                            "RCOMM_TRANSPORT",
                            "tcp",
                            "RCOMM_STORE_HOSTED",
                            "1",
                            "RCOMM_BACKEND",
                            "cpu:links,cuda:nccl",
                            "RCOMM_NCCL_LIBRARY",
                            library.toString()));
            ranks.add(builder.start());
        }
    }

    private static String output(Process rank) throws IOException, InterruptedException {
        String said = new String(rank.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(rank.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as(said).isTrue();
        return said;
    }

    @Test
    @Timeout(2 * LIMIT_SECONDS)
    void processes_addUpOnTheirDevices_andHearOfOneThatDies() throws IOException, InterruptedException {
        start(2);

        String first = output(ranks.getFirst());

        assertThat(output(ranks.getLast())).contains("sum=[2.0, 4.0, 1.0], backend=nccl, faults=[]");
        assertThat(first)
                .contains("sum=[2.0, 4.0, 1.0], backend=nccl, faults=[]")
                .contains("lost=1")
                .contains("left");
        assertThat(ranks.getFirst().exitValue()).as(first).isZero();
        assertThat(ranks.getLast().exitValue()).isEqualTo(9);
    }
}
