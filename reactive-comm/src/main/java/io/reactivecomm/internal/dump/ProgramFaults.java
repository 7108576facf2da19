package io.reactivecomm.internal.dump;

import io.reactivecomm.internal.base.Causes;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.recorder.ProgramFault;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The exceptions that threads of the program die of, seen from the first world on that writes dumps. They go to whoever had them before, too.
 *
 * <p>A program usually closes its group on the way out, before its thread dies: so those ranks that have left last still write what they knew.
 *
 * <p><b>Threads.</b> Any.
 */
final class ProgramFaults implements Thread.UncaughtExceptionHandler {

    private static final int MOST_FAULTS = 16;

    /** Ranks that have left and are still remembered: each holds a recorder. */
    private static final int MOST_LEFT = 8;

    private static final int MOST_FRAMES = 32;

    private static @Nullable ProgramFaults installed;

    private final Thread.@Nullable UncaughtExceptionHandler before;
    private final Deque<Seen> seen = new ArrayDeque<>();
    private final List<RankDumps> present = new ArrayList<>();
    private final Deque<RankDumps> gone = new ArrayDeque<>();

    private record Seen(Thread thread, Instant time, List<String> causes, List<String> stack) {}

    private ProgramFaults(Thread.@Nullable UncaughtExceptionHandler before) {
        this.before = before;
    }

    /** {@return those of this JVM, from now on} */
    static synchronized ProgramFaults watched() {
        if (installed == null) {
            install();
        }
        return Objects.requireNonNull(installed);
    }

    private static synchronized void install() {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        ProgramFaults faults = new ProgramFaults(before);
        installed = faults;
        Thread.setDefaultUncaughtExceptionHandler(WeakHandler.of(faults, before));
    }

    private static synchronized @Nullable ProgramFaults known() {
        return installed;
    }

    /** {@return what is known, for the dump of a rank} */
    static List<ProgramFault> seenBy(RankRecorder rank) {
        ProgramFaults faults = known();
        return faults == null ? List.of() : faults.all(rank);
    }

    private synchronized List<ProgramFault> all(RankRecorder rank) {
        return seen.stream()
                .map(each -> new ProgramFault(
                        each.time, each.thread.getName(), rank.wasCalledOn(each.thread), each.causes, each.stack))
                .toList();
    }

    /** Writes the dump of a rank too when a thread dies. */
    synchronized void add(RankDumps rank) {
        present.add(rank);
    }

    /** A rank has left its world: it writes one only if the thread dies that it was called on. */
    synchronized void left(RankDumps rank) {
        if (present.remove(rank)) {
            gone.add(rank);
            if (gone.size() > MOST_LEFT) {
                gone.remove();
            }
        }
    }

    @Override
    public void uncaughtException(Thread thread, Throwable error) {
        try {
            dump(thread, error);
        } finally {
            tellOthers(thread, error);
        }
    }

    /** On the dying thread: it may be the JVM's last. */
    private void dump(Thread thread, Throwable error) {
        List<RankDumps> concerned;
        synchronized (this) {
            seen.add(new Seen(thread, Instant.now(), causes(error), frames(error)));
            if (seen.size() > MOST_FAULTS) {
                seen.remove();
            }
            concerned = new ArrayList<>(present);
            gone.stream().filter(each -> each.recorder().wasCalledOn(thread)).forEach(concerned::add);
        }
        concerned.forEach(
                each -> each.writeNow("thread " + thread.getName() + " died of " + ErrorTexts.describe(error)));
    }

    /** As the JVM does where nobody has asked for anything else. */
    private void tellOthers(Thread thread, Throwable error) {
        if (before != null) {
            before.uncaughtException(thread, error);
        } else {
            System.err.print("Exception in thread \"" + thread.getName() + "\" ");
            ErrorTexts.printable(error).printStackTrace(System.err);
        }
    }

    private static List<String> causes(Throwable error) {
        return Causes.of(error).stream()
                .limit(MOST_FAULTS)
                .map(ErrorTexts::describe)
                .toList();
    }

    private static List<String> frames(Throwable error) {
        List<String> frames = JvmThreads.frames(error.getStackTrace());
        return frames.subList(0, Math.min(frames.size(), MOST_FRAMES));
    }
}
