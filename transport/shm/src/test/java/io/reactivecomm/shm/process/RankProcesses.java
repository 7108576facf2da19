package io.reactivecomm.shm.process;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** A world of ranks in JVMs of their own, and the store at which they meet. Each is ended by its own handle. */
final class RankProcesses implements AutoCloseable {

    private static final String TOKEN = "secret";

    private final List<Process> ranks = new ArrayList<>();
    private final HostedStore store;

    /** @param program what each rank runs */
    RankProcesses(Class<?> program, int worldSize, String transport) throws IOException {
        this(program, transport, Collections.nCopies(worldSize, "--enable-native-access=ALL-UNNAMED"));
    }

    /** @param options each rank's option of the JVM about native access */
    RankProcesses(Class<?> program, String transport, List<String> options) throws IOException {
        store = ServiceLoader.load(StoreHost.class)
                .findFirst()
                .orElseThrow()
                .start("127.0.0.1", 0, TOKEN, Encryption.BETWEEN_HOSTS)
                .block(Duration.ofSeconds(10));
        for (int rank = 0; rank < options.size(); rank++) {
            ranks.add(start(program, rank, transport, options));
        }
    }

    private Process start(Class<?> program, int rank, String transport, List<String> options) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        options.get(rank),
                        "--add-modules=jdk.incubator.vector",
                        // Quick to start: a run takes a second, and there may be many on few cores.
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        program.getName())
                .redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "RANK",
                        Integer.toString(rank),
                        "WORLD_SIZE",
                        Integer.toString(options.size()),
                        "MASTER_ADDR",
                        "127.0.0.1",
                        "MASTER_PORT",
                        Integer.toString(store.port()),
                        "RCOMM_TOKEN",
                        TOKEN,
                        "RCOMM_TRANSPORT",
                        transport,
                        "RCOMM_STORE_HOSTED",
                        "1"));
        return builder.start();
    }

    Process rank(int rank) {
        return ranks.get(rank);
    }

    List<Process> all() {
        return ranks;
    }

    @Override
    public void close() {
        ranks.forEach(Process::destroyForcibly);
        store.close();
    }
}
