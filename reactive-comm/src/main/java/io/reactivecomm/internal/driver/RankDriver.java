package io.reactivecomm.internal.driver;

import io.reactivecomm.LogRank;
import io.reactivecomm.Traffic;
import io.reactivecomm.internal.base.Closings;
import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.internal.dump.RankDumps;
import io.reactivecomm.internal.dump.RankRecorder;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Engine;
import io.reactivecomm.internal.engine.Failures;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.QueueEntry;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.memory.WorkMemory;
import io.reactivecomm.internal.stream.ResultLoop;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.MemoryFaults;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.Mesh;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Gives a rank's {@link Engine} its loop, clock, timer and links.
 *
 * <p>Calls subscribed from any thread, and all else that threads ask, queue up in one order and are taken together in the loop's next turn; frames
 * of a turn leave together at its end, and subscribers are told after that.
 *
 * <p><b>Threads.</b> {@link #submit}, {@link #abort} and {@link #close} from any; all else on the loop.
 */
public final class RankDriver {

    /** How long {@link #close} waits for what was written to leave. */
    private static final Duration FLUSH = Duration.ofSeconds(1);

    /** Until the world's end is tried again for which there was no memory. */
    private static final long AGAIN_NANOS = 100_000_000;

    /** Rounds of one turn; then other ranks of the loop, its sockets and its timers have theirs. */
    private static final int MOST_ROUNDS = 8;

    private static final Logger LOG = WarningLog.of(RankDriver.class);

    private final Mesh mesh;
    private final Loop loop;
    /** Made once, not for each call. */
    private final LongSupplier clock;

    private final LogRank logRank;
    private final Engine engine;
    private final GroupState world;
    private final Inflow<QueueEntry> inflow;
    private final Entries entries;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final LinkInput links;
    private final RankRecorder recorder;
    private final @Nullable RankDumps dumps;
    private final Runnable takeInflow = this::takeInflow;
    private final Answers answers;
    private final FatalErrors.Listener fatal = this::fail;
    /** Of the world's group; of one that nobody has got it is nobody's. */
    private volatile GroupEnd worldEnd = new GroupEnd();

    private Loop.@Nullable Timer timer;
    private long timerAt = Long.MAX_VALUE;

    /** @param dumps the folder for the dumps that this rank writes by itself, or null if it writes none */
    public RankDriver(Mesh mesh, GroupState world, GroupState control, EngineLimits limits, @Nullable Path dumps) {
        this.mesh = mesh;
        this.loop = mesh.loop();
        this.clock = loop::nanoTime;
        this.logRank = new LogRank(mesh.rank(), mesh.worldSize());
        this.answers = new Answers(loop, mesh.rank(), logRank);
        this.world = world;
        List<Link> peers = new ArrayList<>();
        for (int peer = 0; peer < mesh.worldSize(); peer++) {
            if (peer != mesh.rank()) {
                peers.add(mesh.link(peer));
            }
        }
        this.engine = new Engine(mesh.rank(), peers, limits, WorkMemory.PROCESS, LOG::warn);
        Ways ways = new Ways(loop, peers, limits);
        engine.watchGrants(ways);
        this.links = new LinkInput(engine, ways, loop, mesh.rank(), peers.size(), world.observers(), this::event);
        this.entries = new Entries(engine, loop, mesh.rank(), this::event);
        this.inflow = new Inflow<>(loop, this::takeTurn, entries::refuse);
        this.recorder = new RankRecorder(
                new RankRecorder.Place(mesh.rank(), mesh.worldSize(), mesh.worldId(), mesh.host()),
                loop,
                engine::snapshot,
                () -> QueuedCalls.of(inflow.waiting(), loop.nanoTime()));
        this.dumps = dumps == null ? null : RankDumps.into(dumps, recorder);
        if (this.dumps != null) {
            engine.whenFailed(this.dumps::failed);
        }
        engine.register(world);
        engine.register(control);
    }

    /** Begins to take events; completes in the loop's next turn. */
    public void start() {
        loop.fatalErrors().add(fatal);
        loop.execute(() -> {
            logRank.enter();
            mesh.start(links);
        });
    }

    public Loop loop() {
        return loop;
    }

    /** {@return the loop's} */
    public LongSupplier clock() {
        return clock;
    }

    /** {@return how many ranks there are} */
    public int worldSize() {
        return mesh.worldSize();
    }

    /** {@return what this rank's threads have in the log's context} */
    public LogRank logRank() {
        return logRank;
    }

    /** {@return who tells subscribers what no call does, also after the world's end} */
    public ResultLoop answers() {
        return answers;
    }

    /** {@return the same result; a subscriber that dies as it is given it ends the world, on whichever thread that is} */
    public <T> Mono<T> watched(Mono<T> result) {
        return new WatchedMono<>(result, this::died);
    }

    /** {@return the same action, which may run code of the program; if that dies, the world ends, on whichever thread that is} */
    public Runnable watched(Runnable action) {
        return () -> {
            try {
                action.run();
            } catch (Exception | Error e) {
                died(e);
                throw e;
            }
        };
    }

    /** Ends the world for an error that is fatal to the JVM, as if it had been thrown on the loop. */
    private void died(Throwable error) {
        if (Exceptions.isJvmFatal(error)) {
            loop.execute(() -> loop.fatalErrors().tell(error, mesh.rank()));
        }
    }

    /** {@return what was sent to the other members of a group; any thread may ask} */
    public Traffic traffic(GroupState group) {
        long frames = 0;
        long writes = 0;
        long bytes = 0;
        for (int member : group.worldRanks()) {
            if (member != mesh.rank()) {
                Traffic sent = mesh.link(member).traffic();
                frames += sent.frames();
                writes += sent.writes();
                bytes += sent.bytes();
            }
        }
        return new Traffic(frames, writes, bytes);
    }

    /** {@return what writes what this rank knows of its calls into a file} */
    public Mono<Path> dump(Path file) {
        return recorder.into(file);
    }

    public void submit(Submission submission) {
        recorder.called();
        inflow.add(submission);
    }

    /** Begins a call that another engine performs: in its turn, so that none comes after its group has ended, or the composite call that it is in. */
    public void begin(QueueEntry.Foreign call) {
        recorder.called();
        inflow.add(call);
    }

    /**
     * Tells such a call's sink of its end, on the loop.
     *
     * @param failedRun the run whose failure is the call's, or null
     * @param failure why it failed, or null
     */
    public void end(
            QueueEntry.Foreign call,
            CallKey.@Nullable Ticket failedRun,
            @Nullable Failure failure,
            Consumer<CallSink> tell) {
        inflow.add(new QueueEntry.ForeignEnded(call, failedRun, failure, tell));
    }

    /** Tells the sink of a call that no engine was given of its end: if its group has ended, that is its end. */
    public void endUnbegun(GroupState group, CallSink sink, Consumer<CallSink> tell) {
        inflow.add(new QueueEntry.Unbegun(group, sink, tell));
    }

    /** {@return whether this rank has begun to end that group: another engine must not be given calls of it any more} */
    public boolean isEnding(GroupState group) {
        return group.ending() != null || closing.get();
    }

    /** What a subscriber calls when it is told of an end begins in the same turn: one task of the loop fewer for each call of a chain. */
    private void takeTurn() {
        boolean isWhole = false;
        try {
            logRank.enter();
            int rounds = 0;
            do {
                guard(takeInflow);
                engine.flush();
                armTimer();
                deliverSignals();
            } while (!inflow.isEmpty() && ++rounds < MOST_ROUNDS);
            isWhole = true;
        } catch (Exception | Error e) {
            loop.fatalErrors().tell(e, mesh.rank());
        } finally {
            // Those after a subscriber that threw what is fatal, and all whose calls fail of that, are told in the next
            // turn.
            inflow.taken(!isWhole);
            recorder.turnEnds();
        }
    }

    /** If the engine fails on one, those behind it hear of it in the next round. */
    private void takeInflow() {
        long now = loop.nanoTime();
        recorder.turnBegins(now);
        try {
            for (QueueEntry next = inflow.poll(); next != null; next = inflow.poll()) {
                entries.take(next, now);
            }
        } finally {
            // Engines that got calls before the fault may wait to hear that these were all.
            engine.allBegun();
        }
    }

    /** The program makes less of what peers may wait for: it has begun another step of a group, or something of one that is over has ended. */
    public void stepped(GroupState group) {
        ask(() -> engine.stepped(group, loop.nanoTime()));
    }

    /**
     * A composite call was subscribed to: what this thread asks from here on may be part of it. Its first call, or a frame from a peer, asks for the turn
     * in which it begins; until then there is nothing to be told of it, unless it has a deadline, stands in another, or has failed already.
     */
    public void begin(Composite run) {
        recorder.called();
        inflow.addPatiently(new QueueEntry.Begun(run, null));
        // Looked at behind the adding: what fails it later asks for a turn of its own.
        boolean isOver = engine.whyFailed(run.key()) != null || run.group().refusal() != null || isEnding(run.group());
        if (isOver || run.hasDeadline() || run.isNested()) {
            inflow.ask();
        }
    }

    /** A composite call was subscribed to that cannot begin here, of which all ranks hear. */
    public void refuse(Composite run, Failure failure) {
        inflow.add(new QueueEntry.Begun(run, failure));
    }

    /**
     * The body of a composite call is over.
     *
     * @param cause what is said to ranks that need more of it, or null if it has completed
     */
    public void left(Composite run, @Nullable Failure cause) {
        ask(() -> engine.left(run, cause, loop.nanoTime()));
    }

    /** The body of a composite call has failed. */
    public void failed(Composite run, Failure failure) {
        ask(() -> engine.failed(run, failure, loop.nanoTime()));
    }

    /** {@return why a composite call failed before this rank began it, or null} */
    public @Nullable Failure whyFailed(CallKey.Ticket run) {
        return engine.whyFailed(run);
    }

    /** Runs an action once all calls that were submitted before have begun, or have ended because they were refused. On the loop; without one on the caller's thread. */
    public void mark(Runnable reached) {
        inflow.add(new QueueEntry.Marker(reached));
    }

    /** Shows the engine to somebody, in a turn of the loop. */
    public void look(Consumer<Engine> onLoop) {
        ask(() -> onLoop.accept(engine));
    }

    private void ask(Runnable task) {
        inflow.add(new QueueEntry.Request(task));
    }

    /** A call has ended when its subscriber is told: moving and folding its last bytes may have taken most of its time. */
    private void deliverSignals() {
        while (engine.deliverSignal(engine.isSuccessNext() ? loop.nanoTime() : 0)) {
            engine.flush();
        }
    }

    private void event(Runnable event) {
        logRank.enter();
        guard(event);
        inflow.ask();
    }

    /** A fault of the engine's own must not leave anybody waiting: it ends what is on the loop. One of a tensor's memory ends its calls. */
    private void guard(Runnable event) {
        try {
            event.run();
        } catch (ProtocolException e) {
            throw e;
        } catch (Exception | Error e) {
            if ((e instanceof RuntimeException || MemoryFaults.isLostPage(e))
                    && engine.failedByMemory(e, loop.nanoTime())) {
                LOG.warn("memory of tensors is gone; their calls fail: rank={}", mesh.rank(), ErrorTexts.printable(e));
                return;
            }
            loop.fatalErrors().tell(e, mesh.rank());
        }
    }

    /**
     * Something on the loop has failed that must not: the world ends on all ranks. Where there is not even memory for that, they see the links
     * end, and this rank tries again.
     */
    private void fail(Throwable error, int rank) {
        int culprit = rank == FatalErrors.NO_RANK ? mesh.rank() : rank;
        boolean isOfNobody = rank == FatalErrors.NO_RANK && loop.fatalErrors().areShared();
        try {
            if (isOfNobody) {
                end(Failures.fatalOnLoop(culprit, loop.thread().getName(), error));
            } else {
                end(Failures.fatal(culprit, error));
                // Otherwise the loop says it, once.
                LOG.error(
                        "the world ends because of a fatal error: rank={}, culprit={}",
                        mesh.rank(),
                        culprit,
                        ErrorTexts.printable(error));
            }
        } catch (Exception | Error worse) {
            cutLinks();
            loop.schedule(() -> fail(error, rank), AGAIN_NANOS);
        }
    }

    private void end(Failure failure) {
        engine.fail(failure, loop.nanoTime());
        engine.flush();
        // Behind the ends of all calls, and of what engines beside this one are told of in the same turn.
        engine.signal(() -> engine.signal(() -> answers.worldDied(failure)));
        inflow.ask();
    }

    private void cutLinks() {
        for (int peer = 0; peer < mesh.worldSize(); peer++) {
            if (peer != mesh.rank()) {
                cutLink(peer);
            }
        }
    }

    private void cutLink(int peer) {
        try {
            mesh.link(peer).close();
        } catch (Exception | Error e) {
            LOG.error(
                    "a link cannot be closed after a fatal error: rank={}, peer={}",
                    mesh.rank(),
                    peer,
                    ErrorTexts.printable(e));
        }
    }

    private void armTimer() {
        long next = engine.nextDeadline();
        if (next < timerAt) {
            if (timer != null) {
                timer.cancel();
            }
            timerAt = next;
            timer = loop.schedule(this::onTimer, Math.max(0, next - loop.nanoTime()));
        }
    }

    private void onTimer() {
        timer = null;
        timerAt = Long.MAX_VALUE;
        event(() -> engine.time(loop.nanoTime()));
    }

    /**
     * Has it told when a group ends.
     *
     * @param beside takes its cause first: the engines beside this one
     * @param end tells whoever else wants to know
     */
    public void watch(GroupState group, Consumer<Failure> beside, GroupEnd end) {
        if (group == world) {
            worldEnd = end;
        }
        ask(() -> group.whenEnded(cause -> {
            engine.signal(() -> {
                // Of an end in good order the engines beside are told by close.
                if (!group.endedInGoodOrder()) {
                    beside.accept(cause);
                }
            });
            // Behind all that this end is the end of, since calls whose subscribers are to be told first are signalled
            // in the same event.
            engine.signal(() -> engine.signal(() -> tell(group, cause, end)));
        }));
    }

    private void tell(GroupState group, Failure cause, GroupEnd end) {
        if (!group.endedInGoodOrder()) {
            if (dumps != null) {
                dumps.ended(cause);
            }
            end.failed(cause);
        } else if (group != world) {
            end.closed();
        }
    }

    /** Ends a group on all ranks; what this thread asks of it from here on comes after that. */
    public void abort(GroupState group, String reason) {
        group.beginToEnd(Failures.aborted(group.worldRank(group.rank()), reason));
        ask(() -> engine.abort(group, reason, loop.nanoTime()));
    }

    /** An engine beside this one cannot serve a group any more. */
    public void failedBeside(long group, Failure cause) {
        ask(() -> engine.failedBeside(group, cause, loop.nanoTime()));
    }

    /** The agreement on a group failed here. */
    public void abandon(GroupState group) {
        ask(() -> engine.abandonGroup(group, loop.nanoTime()));
    }

    /** Leaves one group; leaving the world's group is leaving the world. What this thread asks of it from here on comes after that. */
    public void close(GroupState group) {
        group.beginToEnd(Failures.closed(group.worldRank(group.rank())));
        if (group == world) {
            close();
        } else {
            ask(() -> engine.leaveGroup(group, loop.nanoTime()));
        }
    }

    /** Leaves the world; on a thread that must not block, any rank's loop for one, it only begins to. Elsewhere it waits for the links to be flushed. */
    private void close() {
        if (closing.compareAndSet(false, true)) {
            links.closing();
            ask(() -> engine.leave(loop.nanoTime()));
            if (Schedulers.isInNonBlockingThread()) {
                Thread.ofPlatform().daemon().name("rcomm-close-" + mesh.rank()).start(this::finish);
            } else {
                finish();
            }
        }
    }

    private void finish() {
        logRank.run(this::flushAndEnd);
    }

    private void flushAndEnd() {
        boolean flushed = links.awaitDown(FLUSH);
        if (!flushed) {
            LOG.warn("links were not flushed in time: rank={}, waited={}", mesh.rank(), FLUSH);
        }
        // Behind what the loop still tells, and before it may end with the mesh.
        loop.execute(answers::end);
        // The last task of the loop that concerns anybody; one that is held, or gone, does not run it now.
        loop.execute(() -> {
            logRank.enter();
            worldEnd.closed();
        });
        if (flushed) {
            // On the loop as long as there is one: nobody else may be in the engine, which other ranks of the loop do
            // not wait for.
            loop.execute(engine::close);
        }
        mesh.close();
        if (dumps != null) {
            dumps.close();
        }
        // Subscribers are notified on this thread. The rank leaves the world all the same if one of them dies.
        Closings notices = new Closings();
        if (flushed || !loop.thread().isAlive()) {
            notices.close("the end of the world's group", worldEnd::closed);
        }
        if (!loop.thread().isAlive()) {
            notices.close("results that waited for demand", answers::end);
        }
        loop.fatalErrors().remove(fatal);
        LOG.info("left the world: rank={}, worldSize={}", mesh.rank(), mesh.worldSize());
        inflow.end();
        if (!loop.thread().isAlive()) {
            engine.close();
        } else if (!flushed) {
            // A callback holds the loop: what links still write into is freed after they are down.
            loop.execute(engine::close);
        }
        world.worldLeft(loop.nanoTime());
        notices.end();
    }
}
