package io.reactivecomm.engine;

import io.reactivecomm.Traffic;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Link;
import io.reactivecomm.spi.LinkEvents;
import io.reactivecomm.spi.Loan;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.Mesh;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a rank's {@link Engine} its loop, clock, timer and links.
 *
 * <p>Calls subscribed from any thread queue up and are taken together in the loop's next turn; frames of a turn leave together at its end,
 * and subscribers are told after that.
 *
 * <p><b>Threads.</b> {@link #submit}, {@link #abort} and {@link #close} from any; all else on the loop.
 */
final class RankDriver implements LinkEvents {

    /** How long {@link #close} waits for what was written to leave. */
    private static final Duration FLUSH = Duration.ofSeconds(1);

    /** Rounds of one turn; then other ranks of the loop, its sockets and its timers have theirs. */
    private static final int MOST_ROUNDS = 8;

    private static final Logger LOG = LoggerFactory.getLogger(RankDriver.class);

    private final Mesh mesh;
    private final Loop loop;
    private final Engine engine;
    private final GroupState world;
    private final Inflow<Queued> inflow;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch linksDown;
    private final Runnable takeInflow = this::takeInflow;
    private Loop.@Nullable Timer timer;
    private long timerAt = Long.MAX_VALUE;

    RankDriver(Mesh mesh, GroupState world, GroupState control, EngineLimits limits) {
        this.mesh = mesh;
        this.loop = mesh.loop();
        this.inflow = new Inflow<>(loop, this::takeTurn, late -> late.sink().failed(Failures.closed(mesh.rank())));
        this.world = world;
        List<Link> links = new ArrayList<>();
        for (int peer = 0; peer < mesh.worldSize(); peer++) {
            if (peer != mesh.rank()) {
                links.add(mesh.link(peer));
            }
        }
        this.linksDown = new CountDownLatch(links.size());
        this.engine = new Engine(mesh.rank(), links, limits, LOG::warn);
        engine.register(world);
        engine.register(control);
    }

    /** Begins to take events; completes in the loop's next turn. */
    void start() {
        loop.execute(() -> mesh.start(this));
    }

    /** The end of a call that the engine over links knows nothing of. */
    record Ended(CallSink sink, Consumer<CallSink> tell) implements Queued {}

    Loop loop() {
        return loop;
    }

    /** {@return what was sent to the other members of a group; any thread may ask} */
    Traffic traffic(GroupState group) {
        Traffic sent = Traffic.NONE;
        for (int member : group.worldRanks()) {
            sent = member == mesh.rank() ? sent : sent.plus(mesh.link(member).traffic());
        }
        return sent;
    }

    void submit(Submission submission) {
        inflow.add(submission);
    }

    /** Tells a call's sink of its end, on the loop. */
    void end(CallSink sink, Consumer<CallSink> tell) {
        inflow.add(new Ended(sink, tell));
    }

    /** What a subscriber calls when it is told of an end begins in the same turn: one task of the loop fewer for each call of a chain. */
    private void takeTurn() {
        boolean isWhole = false;
        try {
            int rounds = 0;
            do {
                guard(takeInflow);
                engine.flush();
                armTimer();
                deliverSignals();
            } while (!inflow.isEmpty() && ++rounds < MOST_ROUNDS);
            isWhole = true;
        } finally {
            // A subscriber that throws what must be thrown on takes nothing from those after it: they are told in the next turn.
            inflow.taken(!isWhole);
        }
    }

    /** If the engine fails on one, those behind it hear of it in the next round. */
    private void takeInflow() {
        long now = loop.nanoTime();
        for (Queued next = inflow.poll(); next != null; next = inflow.poll()) {
            switch (next) {
                case Submission submission -> engine.submit(submission, now);
                case Ended ended -> engine.signal(() -> ended.tell.accept(ended.sink));
            }
        }
    }

    private void deliverSignals() {
        while (engine.deliverSignal()) {
            engine.flush();
        }
    }

    private void event(Runnable event) {
        guard(event);
        inflow.ask();
    }

    /** A fault of the engine's own, or of memory, must not leave anybody waiting: it ends the world on all ranks, loudly. */
    private void guard(Runnable event) {
        try {
            event.run();
        } catch (ProtocolException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            LOG.error("the engine failed; its group is aborted: rank={}", mesh.rank(), e);
            engine.abort(world, "internal error on rank " + mesh.rank() + ": " + e, loop.nanoTime());
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

    @Override
    public void onFrame(Link link, Frame frame) {
        event(() -> engine.frame(link.peer(), frame, loop.nanoTime()));
    }

    @Override
    public @Nullable MemorySegment onDataStart(Link link, long grant, int lengthBytes) {
        return engine.dataStart(link.peer(), grant, lengthBytes);
    }

    @Override
    public void onDataEnd(Link link, long grant) {
        event(() -> engine.dataEnd(link.peer(), grant, loop.nanoTime()));
    }

    @Override
    public void onDataLent(Link link, long grant, Loan loan) {
        event(() -> engine.dataLent(link.peer(), grant, loan, loop.nanoTime()));
    }

    @Override
    public void onWritten(Link link, Frame.Data frame) {
        event(() -> engine.written(link.peer(), frame, loop.nanoTime()));
    }

    @Override
    public void onWritable(Link link) {
        event(() -> engine.writable(link.peer(), loop.nanoTime()));
    }

    @Override
    public void onDown(Link link, @Nullable String cause) {
        if (cause != null && !closing.get()) {
            LOG.warn("lost the link to a rank: rank={}, peer={}, cause={}", mesh.rank(), link.peer(), cause);
        }
        event(() -> engine.down(link.peer(), cause, loop.nanoTime()));
        linksDown.countDown();
    }

    /** Has the engines beside this one told when a group ends. */
    void watch(GroupState group, Backends backends) {
        loop.execute(() -> event(() -> group.whenEnded(cause -> engine.signal(() -> backends.fail(group, cause)))));
    }

    void abort(GroupState group, String reason) {
        loop.execute(() -> event(() -> engine.abort(group, reason, loop.nanoTime())));
    }

    /** The agreement on a group failed here. */
    void abandon(GroupState group) {
        loop.execute(() -> event(() -> engine.abandonGroup(group, loop.nanoTime())));
    }

    /** Leaves one group, in the loop's next turn; leaving the world's group is leaving the world. */
    void close(GroupState group) {
        if (group == world) {
            close();
        } else {
            loop.execute(() -> event(() -> engine.leaveGroup(group, loop.nanoTime())));
        }
    }

    /** Leaves the world; on the loop it only begins to, elsewhere it waits for the links to be flushed. */
    private void close() {
        if (closing.compareAndSet(false, true)) {
            loop.execute(() -> event(() -> engine.leave(loop.nanoTime())));
            if (loop.inLoop()) {
                Thread.ofPlatform().daemon().name("rcomm-close-" + mesh.rank()).start(this::finish);
            } else {
                finish();
            }
        }
    }

    private void finish() {
        boolean flushed = awaitLinksDown();
        if (!flushed) {
            LOG.warn("links were not flushed in time: rank={}, waited={}", mesh.rank(), FLUSH);
        }
        mesh.close();
        LOG.info("left the world: rank={}, worldSize={}", mesh.rank(), mesh.worldSize());
        inflow.end();
        if (flushed || !loop.thread().isAlive()) {
            engine.close();
        } else {
            // A callback holds the loop: what links still write into is freed after they are down.
            loop.execute(engine::close);
        }
    }

    private boolean awaitLinksDown() {
        try {
            return linksDown.await(FLUSH.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
