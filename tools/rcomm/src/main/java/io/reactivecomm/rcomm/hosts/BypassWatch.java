package io.reactivecomm.rcomm.hosts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
 * A watch over hosts that are one machine: none may look into memory to which another writes, for those bytes would not go by the wire.
 *
 * <p>It looks at intervals at what the processes of each namespace have mapped. A world that lives for less than one may go unseen; the counters of
 * its hosts tell in the end.
 */
final class BypassWatch {

    static final Duration USUAL_INTERVAL = Duration.ofSeconds(1);

    private final List<NetworkNamespace> hosts;
    private final Duration interval;

    BypassWatch(List<NetworkNamespace> hosts, Duration interval) {
        this.hosts = hosts;
        this.interval = interval;
    }

    /** {@return a Mono that emits nothing, and fails with a {@link HostsException} when memory is shared} */
    <T> Mono<T> sharing() {
        return Flux.interval(interval, Schedulers.boundedElastic())
                .onBackpressureDrop()
                .handle((tick, sink) -> find().ifPresent(sink::error))
                .then(Mono.never());
    }

    private Optional<HostsException> find() {
        List<Set<SharedMapping>> mappings = mappingsByHost();
        for (int reader = 0; reader < mappings.size(); reader++) {
            for (int writer = 0; writer < mappings.size(); writer++) {
                Set<String> written = memories(mappings.get(writer).stream().filter(SharedMapping::isWritten));
                written.retainAll(memories(mappings.get(reader).stream()));
                if (reader != writer && !written.isEmpty()) {
                    return Optional.of(
                            sharing(writer, reader, written.iterator().next()));
                }
            }
        }
        return Optional.empty();
    }

    private static HostsException sharing(int writer, int reader, String memory) {
        return new HostsException(
                "hosts share memory, so bytes bypass the wire: writer=host " + writer + ", reader=host " + reader
                        + ", memory=" + memory + "; give each host a name of its own (RCOMM_HOST_ID)");
    }

    private static Set<String> memories(Stream<SharedMapping> mappings) {
        return mappings.map(SharedMapping::memory).collect(Collectors.toSet());
    }

    private List<Set<SharedMapping>> mappingsByHost() {
        Map<String, List<Path>> processes = processesByNetwork();
        return hosts.stream()
                .map(host -> network(Path.of("/proc", Long.toString(host.holder()))))
                .map(network -> processes.getOrDefault(network, List.of()).stream()
                        .flatMap(process -> SharedMapping.parse(maps(process)))
                        .collect(Collectors.toSet()))
                .toList();
    }

    private static Map<String, List<Path>> processesByNetwork() {
        try (Stream<Path> files = Files.list(Path.of("/proc"))) {
            return files.filter(file ->
                            Character.isDigit(file.getFileName().toString().charAt(0)))
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
}
