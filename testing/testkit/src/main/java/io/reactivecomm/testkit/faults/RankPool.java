package io.reactivecomm.testkit.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Processes that are warm and have no part in any cell: starting one takes as long as most cells.
 *
 * <p><b>Threads.</b> Any.
 */
final class RankPool implements AutoCloseable {

    /** The place of processes that are in no network of their own. */
    static final String HERE = "";

    /** The folder of class files, which are no rank's. */
    static final String CLASSES = "classes";

    private static final Duration START_BOUND = Duration.ofSeconds(180);

    private final Path folder;
    private @Nullable RankClasses classes;
    private final Map<String, Deque<CellProcess>> idle = new HashMap<>();
    private final List<CellProcess> all = new ArrayList<>();

    /** @param folder where ranks may put files */
    RankPool(Path folder) {
        this.folder = folder;
    }

    /** Starts one process that leaves an archive of the classes it has loaded for all others. */
    private RankClasses prepare() throws IOException, InterruptedException {
        RankClasses made = RankClasses.in(Files.createDirectory(folder.resolve(CLASSES)));
        try (CellProcess first = new CellProcess(List.of(), made, folder, "-XX:ArchiveClassesAtExit=")) {
            first.await(RunnerOutput.UP, START_BOUND);
            first.end();
        }
        return made;
    }

    /** {@return processes, one for each place, which is a network namespace or {@link #HERE}} */
    List<CellProcess> take(List<String> places) throws IOException, InterruptedException {
        List<CellProcess> taken = new ArrayList<>();
        for (String place : places) {
            taken.add(takeOrStart(place));
        }
        for (CellProcess each : taken) {
            each.await(RunnerOutput.UP, START_BOUND);
            each.mark();
        }
        return taken;
    }

    private synchronized CellProcess takeOrStart(String place) throws IOException, InterruptedException {
        RankClasses made = classes == null ? prepare() : classes;
        classes = made;
        CellProcess one =
                idle.computeIfAbsent(place, ignored -> new ArrayDeque<>()).poll();
        if (one == null) {
            one = new CellProcess(
                    place.equals(HERE) ? List.of() : List.of("ip", "netns", "exec", place),
                    made,
                    folder,
                    "-XX:SharedArchiveFile=");
            all.add(one);
        } else {
            one.unmark();
        }
        return one;
    }

    /** Takes back a process that holds nothing, for the next cell. */
    synchronized void giveBack(String place, CellProcess one) {
        idle.computeIfAbsent(place, ignored -> new ArrayDeque<>()).add(one);
    }

    /** Ends a process that is good for nothing more. */
    void end(CellProcess one) {
        one.close();
        synchronized (this) {
            all.remove(one);
        }
    }

    @Override
    public synchronized void close() {
        all.forEach(CellProcess::kill);
        all.forEach(CellProcess::close);
        all.clear();
        idle.clear();
    }
}
