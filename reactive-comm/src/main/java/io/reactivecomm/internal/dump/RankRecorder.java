package io.reactivecomm.internal.dump;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.DumpOrigin;
import io.reactivecomm.recorder.FlightDump;
import io.reactivecomm.recorder.LiveCall;
import io.reactivecomm.recorder.LoopRecord;
import io.reactivecomm.recorder.RankState;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.WarningLog;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The flight recorder of one rank, as whoever wants a dump sees it: the engine's calls, and beside them its loop, its callers and its JVM.
 *
 * <p>A loop that turns is asked for the engine's state. One that does not is not waited for: the state is read beside it, which is safe enough where
 * nobody writes, and the dump says so.
 *
 * <p><b>Threads.</b> {@link #called} on subscribers' threads; {@link #turnBegins} and {@link #turnEnds} on the loop; {@link #look} on any other.
 */
public final class RankRecorder {

    /** How long the loop has to answer: far more than it ever needs, far less than anybody waits for a dump. */
    static final long ANSWER_MILLIS = 500;

    private static final Logger LOG = WarningLog.of(RankRecorder.class);
    private static final long NO_TURN = Long.MIN_VALUE;

    private final Place place;
    private final Loop loop;
    private final LongFunction<RankState> state;
    private final Supplier<List<LiveCall>> queued;
    /** Neither is worth a fence: a dump that is a turn behind tells as much. */
    private @Nullable Thread caller;

    private long turnSince = NO_TURN;

    /** The place of a rank in its world. @param worldId what tells that from others @param host the identity of its machine */
    public record Place(int rank, int worldSize, String worldId, String host) {}

    /**
     * @param state reads the engine's state at a time of the loop's clock; called on the loop, or where it does not turn beside it
     * @param queued reads the calls that the loop has not begun, on any thread
     */
    public RankRecorder(Place place, Loop loop, LongFunction<RankState> state, Supplier<List<LiveCall>> queued) {
        this.place = place;
        this.loop = loop;
        this.state = state;
        this.queued = queued;
    }

    Place place() {
        return place;
    }

    /** A call was subscribed to on this thread. Written only if it is another than before, so that many threads do not fight for the line. */
    public void called() {
        Thread current = Thread.currentThread();
        if (caller != current) {
            caller = current;
        }
    }

    boolean wasCalledOn(Thread thread) {
        return caller == thread;
    }

    /** The loop works for this rank from here on. */
    public void turnBegins(long now) {
        turnSince = now;
    }

    public void turnEnds() {
        turnSince = NO_TURN;
    }

    /** {@return what writes a dump into a file, on a thread of its own, and completes with it} */
    public Mono<Path> into(Path file) {
        return Mono.fromCallable(() -> {
                    look("the program asked for it").write(file);
                    return file;
                })
                .subscribeOn(Schedulers.fromExecutor(this::start));
    }

    /** Begins to write on a new thread. The JVM's exit waits for it. */
    void start(Runnable writing) {
        ExitDelay exit = ExitDelay.begin();
        boolean isStarted = false;
        try {
            Thread.ofPlatform().daemon().name("rcomm-dump-" + place.rank()).start(() -> {
                try (exit) {
                    writing.run();
                }
            });
            isStarted = true;
        } finally {
            if (!isStarted) {
                exit.close();
            }
        }
    }

    /** {@return what is known now; it takes {@link #ANSWER_MILLIS} at most where the loop does not turn} @param reason why somebody wants to know */
    public FlightDump look(String reason) {
        RankState answered = answer();
        boolean isTurning = answered != null || !loop.thread().isAlive();
        RankState known = (answered == null ? beside() : answered).with(queued.get());
        boolean isPartial = !isTurning;
        LoopRecord record = new LoopRecord(
                loop.thread().getName(),
                isTurning,
                isTurning ? CallRecord.NONE : turnMicros(),
                JvmThreads.frames(loop.thread().getStackTrace()));
        DumpOrigin origin = new DumpOrigin(
                place.rank(),
                place.worldSize(),
                place.worldId(),
                place.host(),
                ProcessHandle.current().pid(),
                Instant.now(),
                reason,
                isPartial);
        return new FlightDump(
                FlightDump.VERSION, origin, record, known, ProgramFaults.seenBy(this), JvmThreads.look(caller));
    }

    /** {@return what the loop says, or null if it does not answer} */
    private @Nullable RankState answer() {
        if (loop.inLoop()) {
            return state.apply(loop.nanoTime());
        }
        CompletableFuture<RankState> answer = new CompletableFuture<>();
        loop.execute(() -> answer.completeAsync(() -> state.apply(loop.nanoTime()), Runnable::run));
        try {
            return loop.thread().isAlive() ? answer.get(ANSWER_MILLIS, TimeUnit.MILLISECONDS) : null;
        } catch (TimeoutException e) {
            return null;
        } catch (ExecutionException e) {
            LOG.warn(
                    "the state of a rank could not be read for a dump: rank={}", place.rank(), ErrorTexts.printable(e));
            return RankState.UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Beside a loop that is held, or has ended, nobody writes; should it go on just now, what is read may not fit together. */
    private RankState beside() {
        try {
            return state.apply(loop.nanoTime());
        } catch (RuntimeException e) {
            LOG.warn(
                    "the state of a rank could not be read beside its loop, which does not turn: rank={}",
                    place.rank(),
                    ErrorTexts.printable(e));
            return RankState.UNKNOWN;
        }
    }

    private long turnMicros() {
        long since = turnSince;
        return since == NO_TURN ? CallRecord.NONE : TimeUnit.NANOSECONDS.toMicros(loop.nanoTime() - since);
    }
}
