package io.reactivecomm.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A shell that outlives this process and ends the ranks which it leaves behind: after {@code kill -9}, no code of this one runs.
 *
 * <p>It reads the ids of the running ranks from a pipe, one line for each change, and the last line counts. The pipe ends when this
 * process does, however that happens; the shell then tells those ranks to end (SIGTERM), and kills them (SIGKILL) after the kill delay. A
 * rank that has ended is no longer in the list, so that another program that got its id is left alone. What a rank has started itself
 * is not in the list: only the rank could end it.
 *
 * <p>Where there is no {@code sh}, nothing is guarded.
 *
 * <p><b>Threads.</b> Any.
 */
final class OrphanGuard implements AutoCloseable {

    /** Deaf to what a terminal sends to all: it has to stay until the pipe ends, and the ranks are told by their launcher then. */
    private static final String SCRIPT = """
            trap '' INT TERM HUP
            ids=
            while read -r line; do ids=$line; done
            [ -n "$ids" ] || exit 0
            kill $ids; sleep "$0"; kill -9 $ids
            """;

    private final @Nullable OutputStream pipe;
    private final Set<Long> ids = new LinkedHashSet<>();

    private OrphanGuard(@Nullable OutputStream pipe) {
        this.pipe = pipe;
    }

    /** Starts a guard that knows of no rank yet. */
    static OrphanGuard start(Duration killDelay) {
        String seconds = Long.toString(killDelay.plusMillis(999).toSeconds());
        try {
            return new OrphanGuard(new ProcessBuilder("sh", "-c", SCRIPT, seconds)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .getOutputStream());
        } catch (IOException e) {
            return new OrphanGuard(null);
        }
    }

    /** Guards this process from now on. */
    synchronized void add(long id) {
        ids.add(id);
        tell();
    }

    /** Guards this process no longer: it has ended. */
    synchronized void remove(long id) {
        ids.remove(id);
        tell();
    }

    private void tell() {
        if (pipe == null) {
            return;
        }
        String line = ids.stream().map(String::valueOf).collect(Collectors.joining(" ", "", "\n"));
        try {
            pipe.write(line.getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException e) {
            // Closed, or somebody killed the shell: the ranks run on unguarded.
        }
    }

    /** Ends the guard; it ends no rank. Idempotent. */
    @Override
    public synchronized void close() {
        ids.clear();
        tell();
        try {
            if (pipe != null) {
                pipe.close();
            }
        } catch (IOException e) {
            // The shell is gone already, which is what this is for.
        }
    }
}
