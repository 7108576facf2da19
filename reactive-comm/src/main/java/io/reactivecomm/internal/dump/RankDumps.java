package io.reactivecomm.internal.dump;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.WarningLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * The dumps that one rank writes by itself, into the folder that {@code RCOMM_DUMP} names: when a call or a group fails, when a thread of the program dies,
 * and by signal. One that cannot be written is a warning, and nothing else. The JVM's exit {@linkplain ExitDelay waits} for one that has begun.
 *
 * <pre>
 *   rank-3.json           the first failure
 *   rank-3-2.json …       further ones, {@value #MOST} at most
 *   rank-3-signal.json    the last signal
 * </pre>
 *
 * <p>Those of a second world of the JVM have names of their own: {@link DumpNames}.
 *
 * <p><b>Threads.</b> Any; files are written on threads of their own.
 */
public final class RankDumps {

    private static final Logger LOG = WarningLog.of(RankDumps.class);

    /** Whoever has not seen it in so many does not see it in more, and a disk has an end. */
    private static final int MOST = 8;

    private final RankRecorder recorder;
    private final DumpNames names;
    private final Consumer<Runnable> threads;
    private final AtomicBoolean isWriting = new AtomicBoolean();
    private final AtomicInteger written = new AtomicInteger();

    /** @param threads begins to write on a thread of its own */
    RankDumps(Path folder, RankRecorder recorder, Consumer<Runnable> threads) {
        this.recorder = recorder;
        this.names = new DumpNames(folder, recorder.place().rank());
        this.threads = threads;
    }

    /** {@return those of a rank, until {@link #close}} */
    public static RankDumps into(Path folder, RankRecorder recorder) {
        RankDumps dumps = new RankDumps(folder, recorder, recorder::start);
        ProgramFaults.watched().add(dumps);
        DumpSignal.add(dumps);
        return dumps;
    }

    RankRecorder recorder() {
        return recorder;
    }

    /** A call or a group has failed; nobody waits for the dump. Ends in good order are no failures. */
    public void failed(Failure failure) {
        if (failure.kind() != Failure.Kind.CLOSED) {
            start(failure.text());
        }
    }

    /** A group has ended otherwise than in good order. */
    public void ended(Failure failure) {
        start(failure.text());
    }

    /** What fails while a dump is being written is in that one, or is the same failure. On the loop, which must not fail of what a dump lacks. */
    private void start(String reason) {
        if (written.get() < MOST && isWriting.compareAndSet(false, true)) {
            try {
                threads.accept(() -> finish(reason));
            } catch (OutOfMemoryError e) {
                isWriting.set(false);
                LOG.warn(
                        "a dump of the flight recorder could not be begun: rank={}, reason={}, cause={}; the system"
                                + " gives this process no further thread",
                        recorder.place().rank(),
                        reason,
                        e.toString());
            }
        }
    }

    private void finish(String reason) {
        try {
            writeNow(reason);
        } finally {
            isWriting.set(false);
        }
    }

    /** On this thread. */
    void writeNow(String reason) {
        int number = written.incrementAndGet();
        if (number <= MOST) {
            write(number == 1 ? "" : "-" + number, reason);
        }
    }

    /** Somebody has sent the signal. */
    void signalled(String signal) {
        write("-signal", "signal " + signal);
    }

    private void write(String ending, String reason) {
        Path file = names.file(ending);
        try (ExitDelay exit = ExitDelay.begin()) {
            recorder.look(reason).write(file);
            LOG.info("wrote a dump of the flight recorder: file={}, reason={}", file, reason);
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "a dump of the flight recorder could not be written: file={}, cause={}; look at the folder and its"
                            + " disk",
                    file,
                    ErrorTexts.describe(e));
        }
    }

    /** The rank has left its world. */
    public void close() {
        DumpSignal.remove(this);
        ProgramFaults.watched().left(this);
    }
}
