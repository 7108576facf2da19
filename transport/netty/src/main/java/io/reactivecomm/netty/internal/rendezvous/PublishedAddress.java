package io.reactivecomm.netty.internal.rendezvous;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import io.reactivecomm.netty.internal.host.ThisHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of a rendezvous file, which rank 0 writes as lines of {@code name=value} between a first and a last line that tell a whole
 * one:
 *
 * <pre>
 * reactive-comm rendezvous 1
 * host=127.0.0.1
 * port=41234
 * token=1f2e…            (if rank 0 made one up)
 * machine=5d0c… node7
 * processes=pid:[4026531836]
 * pid=4711
 * started=2026-11-21T07:00:00Z
 * end
 * </pre>
 *
 * @param host where the store listens
 * @param port where the store listens
 * @param token the secret that admits to it, or null if all ranks are given one
 * @param machine rank 0's {@link ThisHost#identity()}
 * @param processes the space of process numbers that rank 0's is one of, or empty if the system does not tell
 * @param pid rank 0's process
 * @param started when that process began
 */
public record PublishedAddress(
        String host, int port, @Nullable String token, String machine, String processes, long pid, Instant started) {

    /** No file of this form is longer. */
    static final int MAX_BYTES = 4096;

    private static final String FIRST = "reactive-comm rendezvous 1";
    private static final String LAST = "end";
    private static final Path NAMESPACE = Path.of("/proc/self/ns/pid");

    /** A process's beginning is computed from the clock, which may be set: so far apart two processes are two. */
    private static final Duration SAME_START = Duration.ofSeconds(10);

    /** {@return the address of a store that this process runs} */
    static PublishedAddress ofThisProcess(String host, int port, @Nullable String token) {
        ProcessHandle self = ProcessHandle.current();
        Instant started = self.info().startInstant().orElse(Instant.EPOCH);
        return new PublishedAddress(host, port, token, ThisHost.identity(), processSpace(), self.pid(), started);
    }

    private static String processSpace() {
        try {
            return Files.readSymbolicLink(NAMESPACE).toString();
        } catch (IOException e) {
            // Not Linux, or not shown.
            return "";
        }
    }

    /** {@return whether the process that wrote this has certainly ended} */
    boolean isOfEndedProcess() {
        return isVisible() && !ProcessHandle.of(pid).map(this::isWriter).orElse(false);
    }

    /** {@return whether no process has that number any more} A clock that was set makes a process look like another of its number. */
    boolean isOfNoProcess() {
        return isVisible() && ProcessHandle.of(pid).isEmpty();
    }

    private boolean isVisible() {
        return !processes.isEmpty()
                && processes.equals(processSpace())
                && machine.equals(ThisHost.identity())
                && !started.equals(Instant.EPOCH);
    }

    private boolean isWriter(ProcessHandle process) {
        Instant begun = process.info().startInstant().orElse(started);
        return Duration.between(begun, started).abs().compareTo(SAME_START) < 0;
    }

    byte[] encode() {
        StringBuilder text = new StringBuilder(FIRST).append('\n');
        text.append("host=").append(host).append("\nport=").append(port);
        if (token != null) {
            text.append("\ntoken=").append(token);
        }
        text.append("\nmachine=").append(machine).append("\nprocesses=").append(processes);
        text.append("\npid=").append(pid).append("\nstarted=").append(started);
        return text.append('\n').append(LAST).append('\n').toString().getBytes(UTF_8);
    }

    /** @throws RendezvousException if that is not what a rank 0 writes */
    static PublishedAddress decode(Path file, byte[] bytes) {
        List<String> lines = new String(bytes, UTF_8).lines().toList();
        if (bytes.length > MAX_BYTES
                || lines.size() < 2
                || !lines.getFirst().equals(FIRST)
                || !lines.getLast().equals(LAST)) {
            throw foreign(file, null);
        }
        Map<String, String> values = new HashMap<>();
        for (String line : lines.subList(1, lines.size() - 1)) {
            int split = line.indexOf('=');
            values.put(line.substring(0, Math.max(0, split)), line.substring(split + 1));
        }
        return read(file, values);
    }

    private static PublishedAddress read(Path file, Map<String, String> values) {
        try {
            int port = Integer.parseInt(values.getOrDefault("port", ""));
            String host = values.getOrDefault("host", "");
            if (port < 1 || port > 65535 || host.isEmpty()) {
                throw foreign(file, null);
            }
            return new PublishedAddress(
                    host,
                    port,
                    values.get("token"),
                    values.getOrDefault("machine", ""),
                    values.getOrDefault("processes", ""),
                    Long.parseLong(values.getOrDefault("pid", "")),
                    Instant.parse(values.getOrDefault("started", "")));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw foreign(file, e);
        }
    }

    private static RendezvousException foreign(Path file, @Nullable Exception cause) {
        return new RendezvousException(
                "the rendezvous file is not one that rank 0 wrote: file=" + file
                        + "; name a file that is not there yet, or remove it if it is a leftover",
                cause);
    }

    /** Hides the token. */
    @Override
    public String toString() {
        return "PublishedAddress[address=" + StoreAddress.hostAndPort(host, port) + ", machine=" + machine + ", pid="
                + pid + ", started=" + started + "]";
    }
}
