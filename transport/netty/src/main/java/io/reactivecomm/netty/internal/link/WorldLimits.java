package io.reactivecomm.netty.internal.link;

import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.store.Roster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The largest world that a rank can be connected in, by what each peer costs it.
 *
 * @param openFiles how many files, sockets among them, the system lets this process open
 * @param heapBytes how large this process's heap may grow
 */
public record WorldLimits(long openFiles, long heapBytes) {

    /** Jars, libraries, the loops' own: with what a program opens besides it is more, so this is what fails for sure. */
    private static final int OTHER_FILES = 64;

    /** One for frames and one for heartbeats. */
    private static final int CONNECTIONS = 2;

    /** Two channels with their pipelines, a link and the engine's state for it, at the least. */
    private static final int PEER_BYTES = 4096;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern OPEN_FILES = Pattern.compile("(?m)^Max open files\\s+(\\d+)");

    public static WorldLimits ofThisProcess() {
        return new WorldLimits(readOpenFiles(), Runtime.getRuntime().maxMemory());
    }

    private static long readOpenFiles() {
        try {
            Matcher line = OPEN_FILES.matcher(Files.readString(LIMITS));
            return line.find() ? Long.parseLong(line.group(1)) : Long.MAX_VALUE;
        } catch (IOException e) {
            // Not Linux: what is missing shows when a socket is opened.
            return Long.MAX_VALUE;
        }
    }

    /** Refuses a world that this rank certainly cannot hold. */
    public void require(CommConfig config) {
        int lanes = LaneSet.besides(config.tuning().lanes());
        boolean runsStore = config.rank() == 0 && !config.storeHosted();
        int files = CONNECTIONS + lanes + (runsStore ? 1 : 0);
        long byFiles = 1 + Math.max(0, openFiles - OTHER_FILES) / files;
        long byHeap = 1 + heapBytes / PEER_BYTES;
        if (config.worldSize() > Roster.MAX_WORLD_SIZE) {
            throw tooLarge(config, Roster.MAX_WORLD_SIZE, "limit=the roster of ranks; start fewer");
        }
        if (config.worldSize() > byFiles) {
            throw tooLarge(
                    config,
                    byFiles,
                    "limit=open files, allowed=" + openFiles + ", for each peer=" + files
                            + "; raise it (ulimit -n), or start fewer ranks");
        }
        if (config.worldSize() > byHeap) {
            throw tooLarge(
                    config, byHeap, "limit=heap, bytes=" + heapBytes + "; raise it (-Xmx), or start fewer ranks");
        }
    }

    private static RendezvousException tooLarge(CommConfig config, long most, String facts) {
        return new RendezvousException("the world is larger than a rank can hold: WORLD_SIZE=" + config.worldSize()
                + ", most=" + most + ", rank=" + config.rank() + ", " + facts);
    }
}
