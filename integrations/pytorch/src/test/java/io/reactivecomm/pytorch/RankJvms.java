package io.reactivecomm.pytorch;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.spi.RankJvmOptions;
import io.reactivecomm.spi.rendezvous.HostedStore;
import io.reactivecomm.spi.rendezvous.StoreHost;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;

/** A world of ranks in JVMs of their own, and the store at which they meet. Each is ended by its own handle. */
final class RankJvms implements AutoCloseable {

    private static final String TOKEN = "secret";
    private static final int BOUND_SECONDS = 300;

    private final List<Process> ranks = new ArrayList<>();
    private final HostedStore store;

    /** @param program whose main method each rank runs */
    RankJvms(Class<?> program, int size, String transport, List<String> arguments) throws IOException {
        store = ServiceLoader.load(StoreHost.class)
                .findFirst()
                .orElseThrow()
                .start("127.0.0.1", 0, TOKEN, Encryption.BETWEEN_HOSTS)
                .block(Duration.ofSeconds(10));
        for (int rank = 0; rank < size; rank++) {
            ranks.add(start(program, rank, size, transport, arguments));
        }
    }

    private Process start(Class<?> program, int rank, int size, String transport, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(RankJvmOptions.inherited());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Xmx512m", "-cp"));
        command.addAll(List.of(System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
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
                        transport,
                        "RCOMM_STORE_HOSTED",
                        "1",
                        "OMP_NUM_THREADS",
                        "1"));
        Process started = builder.start();
        started.onExit()
                .orTimeout(BOUND_SECONDS, TimeUnit.SECONDS)
                .whenComplete((ended, late) -> started.destroyForcibly());
        return started;
    }

    /** {@return what a rank has printed until its end} @throws IllegalStateException if it has failed */
    String output(int rank) throws IOException, InterruptedException {
        Process process = ranks.get(rank);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException("rank " + rank + " has failed: " + output);
        }
        return output;
    }

    @Override
    public void close() {
        ranks.forEach(Process::destroyForcibly);
        store.close();
    }
}
