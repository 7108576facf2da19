package io.reactivecomm.testkit.faults;

import io.reactivecomm.testkit.LeakCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The resources that a process holds, each kind by its number: threads of the library, sockets, pipes, event counters, shared memory, child
 * processes.
 *
 * @param counts by kind
 */
public record HeldResources(Map<String, Long> counts) {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path MAPPINGS = Path.of("/proc/self/maps");
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final long STEP_NANOS = 500_000;

    /** {@return what this process holds now} */
    public static HeldResources now() {
        Map<String, Long> counts = new TreeMap<>();
        counts.put("threads", threads());
        counts.put("children", ProcessHandle.current().children().count());
        counts.put("mappings", mappings());
        countDescriptors(counts);
        return new HeldResources(counts);
    }

    private static long threads() {
        return LeakCheck.libraryThreads().size();
    }

    private static long mappings() {
        if (!Files.isReadable(MAPPINGS)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(MAPPINGS)) {
            return lines.filter(HeldResources::isShared).count();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read: path=" + MAPPINGS, e);
        }
    }

    /** A mapping is split in several where parts of it differ. */
    private static boolean isShared(String name) {
        return name.contains("reactive-comm") && (name.contains("memfd:") || name.contains("/dev/shm/"));
    }

    private static void countDescriptors(Map<String, Long> counts) {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return;
        }
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            all.map(HeldResources::kind)
                    .filter(kind -> !kind.isEmpty())
                    .forEach(kind -> counts.merge(kind, 1L, Long::sum));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list: path=" + DESCRIPTORS, e);
        }
    }

    /** Files and jars are left out: the JVM opens those when it likes. */
    private static String kind(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            if (isShared(target)) {
                return "memory";
            }
            int colon = target.indexOf(':');
            return target.startsWith("/") || colon < 0 ? "" : target.substring(0, colon);
        } catch (IOException e) {
            return "";
        }
    }

    /** {@return what there is more of than in another, or "nothing"} */
    String beyond(HeldResources other) {
        StringBuilder more = new StringBuilder();
        counts.forEach((kind, count) -> {
            long difference = count - other.counts.getOrDefault(kind, 0L);
            if (difference > 0) {
                more.append(more.isEmpty() ? "" : ", ").append(kind).append('=').append(difference);
            }
        });
        return more.isEmpty() ? NOTHING : more.toString();
    }

    static final String NOTHING = "nothing";

    /** {@return what this process holds more than before, once that is nothing, or a while later; these are states that send no event} */
    static String beyondAtLast(HeldResources before) {
        Supplier<String> look = () -> now().beyond(before);
        long deadline = System.nanoTime() + LIMIT.toNanos();
        String more = look.get();
        while (!more.equals(NOTHING) && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(STEP_NANOS);
            more = look.get();
        }
        return more;
    }
}
