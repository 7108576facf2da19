package io.reactivecomm.timeline;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.base.Warnings;
import io.reactivecomm.observe.CommEvent;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.util.context.ContextView;

/**
 * A record of what one rank does, in a file that Perfetto opens: a slice for each call with its phases, by group and engine; composite calls with
 * arrows to their parts; warnings, losses and held loops. It is one rank's <em>part</em> of a trace; {@code rcomm timeline} makes one trace of all
 * parts.
 *
 * {@snippet :
 * try (Timeline timeline = Timeline.to(Path.of("trace.json"))) {
 *     timeline.observe(group);
 *     // … calls …
 * }
 * }
 *
 * <p>It hears of one group's calls by {@link #observe}, or of a whole world's by {@link CommConfig#withObserver}. With
 * RCOMM_TIMELINE=FILE in the environment {@link CommConfig#fromEnvironment} makes one, which writes to {@link #partOf} FILE, and {@link #in} finds
 * it. In a local world, whose ranks share a configuration, one that is in it hears of all ranks.
 *
 * <p><b>The file.</b> It is written a tenth of a second behind what happens, so that the part of a rank that is killed has all but that; what the
 * rank was doing then has a beginning and no end. A file that was there before is kept, with {@code .before} behind its name, until there is another one
 * to keep. When all ranks that are heard of have left their world, what they did is in the file soon after, also without closing this. Where the file cannot be
 * written, or another timeline writes to it, of this process or of another, there is a warning, and nothing more is recorded.
 *
 * <p><b>Threads.</b> Any. One daemon thread writes, from the first record until {@link #close}, or until all ranks have left their world or are not
 * observed any more; and again if something is recorded after that.
 *
 * <p><b>Cost.</b> To record allocates nothing but what {@link ObservedCall#phases} makes. The memory is bounded: {@value #RECORDS} records (3 MB)
 * wait to be written, and what comes when they are too many is left out and counted, in the trace, too; so is a call while 32,768 others are under
 * way. The file takes about 1 KB a call.
 */
public final class Timeline implements CommObserver, AutoCloseable {

    /** Records that wait to be written at most: those of a tenth of a second of 100,000 calls a second. */
    static final int RECORDS = 1 << 15;

    private static final Logger LOG = Warnings.of(Timeline.class);

    private final Path file;
    private final WriterThread thread = new WriterThread(this::write, this::isOver, this::hasMore);
    private final Recorder recorder;
    private final TimelineObserver own;
    private final Disposable.Composite ofGroups = Disposables.composite();

    private final Object writing = new Object();
    private final PartFile part;
    private final PartWriter writer;
    private boolean isBegun;
    private long toldLeftOut;

    private Timeline(Path file, int records, int mostOpen) {
        PartFile.requireWritable(file);
        this.file = file;
        this.part = new PartFile(file);
        this.recorder = new Recorder(new RecordRing(records), thread, mostOpen);
        this.own = new TimelineObserver(recorder);
        this.writer = new PartWriter(part, mostOpen);
    }

    /**
     * {@return a timeline that writes to that file, and hears of nothing yet}
     *
     * @throws TimelineException if it is a folder, or there can be no such file
     */
    public static Timeline to(Path file) {
        return new Timeline(file, RECORDS, PartWriter.MOST_OPEN);
    }

    /** As the other, with less room. */
    static Timeline to(Path file, int records, int mostOpen) {
        return new Timeline(file, records, mostOpen);
    }

    /** {@return the file of a rank's part of that trace, such as {@code trace.3.json} of {@code trace.json}} */
    public static Path partOf(Path trace, int rank) {
        return PartFile.of(trace, rank);
    }

    /** {@return the first timeline among a configuration's observers, such as that of RCOMM_TIMELINE} */
    public static Optional<Timeline> in(CommConfig config) {
        return config.observers().stream()
                .filter(Timeline.class::isInstance)
                .map(Timeline.class::cast)
                .findFirst();
    }

    /** {@return where it writes to} */
    public Path file() {
        return file;
    }

    /** {@return how many records and calls were left out until now, for there was no room for them} */
    public long leftOut() {
        synchronized (writing) {
            return recorder.leftOut() + writer.leftOut();
        }
    }

    /**
     * Hears of that group's calls on this rank.
     *
     * @return what ends that: calls that are under way then end in the trace, with {@code unfinished}. {@link #close} does so, too
     */
    public Disposable observe(ProcessGroup group) {
        return observe(group::observe);
    }

    /** @param place has an observer told of calls */
    Disposable observe(Function<CommObserver, Disposable> place) {
        TimelineObserver hearing = new TimelineObserver(recorder);
        Disposable observing = place.apply(hearing);
        Disposable both = () -> {
            observing.dispose();
            hearing.end();
        };
        ofGroups.add(both);
        return () -> {
            both.dispose();
            ofGroups.remove(both);
        };
    }

    @Override
    public void subscribed(ObservedCall call, ContextView context) {
        own.subscribed(call, context);
    }

    @Override
    public void matched(ObservedCall call, int peer, long nanos) {
        own.matched(call, peer, nanos);
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        own.ended(call, error, nanos);
    }

    @Override
    public void happened(CommEvent event) {
        own.happened(event);
    }

    /** Writes what was recorded until now. Blocks as long as that takes. */
    public void flush() {
        write();
    }

    private void write() {
        synchronized (writing) {
            if (recorder.isOn()) {
                guarded(this::writeRecords);
            }
            if (!recorder.isOn()) {
                recorder.clear();
            }
        }
    }

    private void writeRecords() {
        if (!isBegun && recorder.isEmpty()) {
            return;
        }
        isBegun = true;
        recorder.drainTo(writer);
        long leftOut = recorder.leftOut() + writer.leftOut();
        if (leftOut > toldLeftOut) {
            toldLeftOut = leftOut;
            writer.tellLeftOut(leftOut);
        }
        writer.flush();
    }

    /** The job goes on whatever becomes of its trace. */
    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            recorder.stop();
            LOG.warn(
                    "cannot write the timeline, and nothing more is recorded: file={}; see that there is room, that it"
                            + " may be written, and that each timeline has its own",
                    file,
                    ErrorTexts.printable(e));
        }
    }

    private boolean hasMore() {
        return !recorder.isEmpty();
    }

    /** {@return whether all ranks have left} Then the file is closed until there is more. */
    private boolean isOver() {
        synchronized (writing) {
            boolean isOver = recorder.isEmpty() && (!recorder.isOn() || writer.isQuiet());
            if (isOver) {
                closeFile();
            }
            return isOver;
        }
    }

    private void closeFile() {
        try {
            part.close();
        } catch (IOException e) {
            LOG.warn("cannot close the timeline: file={}, cause={}", file, CommException.textOf(e));
        }
    }

    /** Writes what was recorded, and ends the file; what happens from now on is not heard. Blocks as long as that takes. Idempotent. */
    @Override
    public void close() {
        ofGroups.dispose();
        thread.stop();
        synchronized (writing) {
            if (recorder.isOn()) {
                guarded(() -> {
                    writeRecords();
                    writer.close(toldLeftOut);
                });
            }
            recorder.stop();
            recorder.clear();
            closeFile();
        }
        // Whoever recorded meanwhile may have begun it anew.
        thread.stop();
    }
}
