package io.reactivecomm.shm.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.HostedStore;
import io.reactivecomm.spi.StoreHost;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is left when a process is killed whose memory the others read. */
@Timeout(120)
class KilledRankTest {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final String TOKEN = "secret";

    private final List<Process> ranks = new ArrayList<>();
    private HostedStore store;

    @BeforeEach
    void start() throws IOException {
        store = ServiceLoader.load(StoreHost.class)
                .findFirst()
                .orElseThrow()
                .start("127.0.0.1", 0, TOKEN)
                .block(Duration.ofSeconds(10));
        for (int rank = 0; rank < 2; rank++) {
            ranks.add(start(rank));
        }
    }

    @AfterEach
    void endAll() {
        ranks.forEach(Process::destroyForcibly);
        store.close();
    }

    private Process start(int rank) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--add-modules=jdk.incubator.vector",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LendingRank.class.getName())
                .redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "RANK", Integer.toString(rank),
                        "WORLD_SIZE", "2",
                        "MASTER_ADDR", "127.0.0.1",
                        "MASTER_PORT", Integer.toString(store.port()),
                        "RCOMM_TOKEN", TOKEN,
                        "RCOMM_TRANSPORT", "shm",
                        "RCOMM_STORE_HOSTED", "1"));
        return builder.start();
    }

    private static String await(BufferedReader output, String prefix) throws IOException {
        List<String> seen = new ArrayList<>();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(prefix)) {
                return line;
            }
            seen.add(line);
        }
        throw new AssertionError("a rank never said \"" + prefix + "\"; it said: " + seen);
    }

    private static Set<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(SHARED_MEMORY)) {
            return all.filter(path -> path.getFileName().toString().startsWith("reactive-comm")).collect(Collectors.toSet());
        }
    }

    @Test
    void rankKilledWhileItLends_otherLosesIt_andNoFileIsLeft() throws Exception {
        try (BufferedReader survivor = ranks.get(0).inputReader(); BufferedReader victim = ranks.get(1).inputReader()) {
            await(victim, "begun 3");
            ranks.get(1).destroyForcibly();
            assertThat(await(survivor, "error")).startsWith("error PeerLostException").contains("rank=1");
            await(survivor, "closed");
            assertThat(ranks.get(0).waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(ranks.get(0).exitValue()).isZero();
        }
        assertThat(files()).as("files that outlive their processes").isEmpty();
    }
}
