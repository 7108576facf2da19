package io.reactivecomm.samples.bench.hosts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A watch over hosts that are one machine: no two of them may share memory to which they write, for those bytes would not go by the wire.
 *
 * <p>It looks once a second at what the processes of each namespace have mapped. A world that lives for less may go unseen; the counters of
 * its hosts tell in the end.
 */
final class BypassWatch {

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final String WRITTEN_AND_SHARED = "rw-s";

    private final List<NetworkNamespace> hosts;

    BypassWatch(List<NetworkNamespace> hosts) {
        this.hosts = hosts;
    }

    /** {@return a Mono that emits nothing, and fails with a {@link HostsException} when memory is shared} */
    <T> Mono<T> sharing() {
        return Flux.interval(INTERVAL, Schedulers.boundedElastic())
                .onBackpressureDrop()
                .handle((tick, sink) -> find().ifPresent(sink::error))
                .then(Mono.never());
    }

    private Optional<HostsException> find() {
        Map<String, Integer> owners = new HashMap<>();
        Map<String, List<Path>> processes = processesByNetwork();
        for (int host = 0; host < hosts.size(); host++) {
            for (Path process : processes.getOrDefault(network(Path.of("/proc", Long.toString(hosts.get(host).holder()))), List.of())) {
                for (String memory : sharedMemory(maps(process))) {
                    Integer owner = owners.putIfAbsent(memory, host);
                    if (owner != null && owner != host) {
                        return Optional.of(new HostsException("hosts share memory, so bytes bypass the wire: hosts=[" + owner + ", " + host + "], memory="
                                + memory + ", process=" + process.getFileName() + "; give each host a name of its own (RCOMM_HOST_ID)"));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static Map<String, List<Path>> processesByNetwork() {
        try (Stream<Path> files = Files.list(Path.of("/proc"))) {
            return files.filter(file -> Character.isDigit(file.getFileName().toString().charAt(0)))
                    .collect(Collectors.groupingBy(BypassWatch::network, Collectors.toCollection(ArrayList::new)));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list processes", e);
        }
    }

    private static String network(Path process) {
        try {
            return Files.readSymbolicLink(process.resolve("ns/net")).toString();
        } catch (IOException e) {
            // It has just ended.
            return "";
        }
    }

    private static List<String> maps(Path process) {
        try {
            return Files.readAllLines(process.resolve("maps"));
        } catch (IOException | UncheckedIOException e) {
            return List.of();
        }
    }

    /** {@return device, inode and name of each memory that those lines of {@code /proc/PID/maps} share with writers} */
    static Set<String> sharedMemory(List<String> maps) {
        return maps.stream()
                .map(line -> line.split("\\s+", 6))
                .filter(columns -> columns.length == 6 && columns[1].equals(WRITTEN_AND_SHARED) && !columns[4].equals("0"))
                .filter(columns -> !columns[5].startsWith("/dev/") || columns[5].startsWith("/dev/shm/") || columns[5].startsWith("/dev/zero"))
                .map(columns -> columns[3] + " " + columns[4] + " " + columns[5])
                .collect(Collectors.toSet());
    }
}
