package io.reactivecomm.netty.internal.life;

import io.netty.channel.Channel;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.CommException;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.LoopWatchdog;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.link.PeerNews;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Second connections to all peers, and datagrams, by which ranks tell each other that they live and whom they do not hear. They are served
 * by a thread that runs no callback, so a rank whose loop is held up stays alive. One that is stopped or cut off is found out.
 *
 * <p>A beat that is heard counts, whichever way it came. What silence means the {@link FailureDetector} decides. The end of a connection
 * without a goodbye is the peer's end, unless its {@link CloseReason} says otherwise.
 *
 * <p><b>Threads.</b> The control thread, but for {@link #leave}, {@link #close} and {@link #afterNews}, which any may call.
 */
public final class ControlLinks implements ControlPeer.Owner {

    private static final Logger LOG = WarningLog.of(ControlLinks.class);

    /** A stuck loop is told of so often. */
    private static final long HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The receiver of events, on the control thread. */
    public interface Listener {

        /** The peer's connection ended without a goodbye. */
        void vanished(int peer, String cause);

        /** Something has been found out, or said by a peer. */
        void found(PeerNews news);

        /** {@return whether comparisons of clocks are of use now} What is of none is not told. */
        boolean hearsOfClocks();

        /** The control thread has failed: this rank cannot go on, and its peers have been told so. */
        void failed(Throwable problem);
    }

    private final EventExecutor executor;
    private final Timers timers;
    private final LoopWatchdog watchdog;
    private final HeartbeatTerms terms;
    private final FailureDetector detector;
    private final OwnHeartbeats beats;
    private final Listener listener;
    private final int rank;
    private final Map<Integer, ControlPeer> peers = new HashMap<>();
    private long tickedAt;
    private long lookNanos;
    private long ticks;
    private volatile boolean closed;

    public ControlLinks(
            NettyLoop control,
            Timers timers,
            LoopWatchdog watchdog,
            HeartbeatTerms terms,
            FailureDetector detector,
            HeartbeatDatagrams datagrams,
            int rank,
            Listener listener) {
        this.executor = control.eventLoop();
        this.timers = timers;
        this.watchdog = watchdog;
        this.terms = terms;
        this.detector = detector;
        this.beats = new OwnHeartbeats(rank, timers, terms, detector, watchdog, datagrams);
        this.rank = rank;
        this.listener = listener;
        this.tickedAt = timers.nanoTime();
        control.fatalErrors().add((error, ignored) -> failed(error));
        this.lookNanos = terms.beatNanos();
        timers.schedule(executor, this::tick, lookNanos);
    }

    /** Takes over an admitted connection and begins to watch the peer. */
    public void add(int number, Channel channel) {
        ControlPeer peer = new ControlPeer(number, channel, timers, this);
        peers.put(number, peer);
        detector.watch(number, timers.nanoTime());
        Sockets.retryWithin(channel, terms.suspectNanos());
        peer.begin();
    }

    /** A tick that comes late, because this thread did not get to run, looks at the sockets once more before it judges others' silence. */
    private void tick() {
        if (timers.nanoTime() - tickedAt > 2 * lookNanos) {
            afterNews(this::look);
        } else {
            look();
        }
    }

    private void look() {
        if (closed) {
            return;
        }
        try {
            lookNow();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private void lookNow() {
        long now = timers.nanoTime();
        long since = now - tickedAt;
        tickedAt = now;
        if (since >= terms.stallNanos()) {
            detector.forgive(since, now);
        }
        boolean wasUneasy = detector.isUneasy();
        detector.look(now).forEach(this::act);
        boolean isUneasy = detector.isUneasy();
        lookNanos = terms.lookNanos(isUneasy);
        timers.schedule(executor, this::tick, lookNanos);
        if (!isUneasy || !wasUneasy || ticks++ % 2 == 0 || beats.hasNews()) {
            beats.send(peers.values(), now, isUneasy);
        }
        watchdog.look(now);
        if (!watchdog.isAlive() && !closed) {
            die("its loop has ended: its thread is dead");
        }
    }

    private void act(Detection finding) {
        switch (finding) {
            case Detection.Silent silent ->
                LOG.warn(
                        "a rank is silent: rank={}, peer={}, silent={}",
                        rank,
                        silent.peer(),
                        HeartbeatTerms.seconds(silent.nanos()));
            case Detection.Lost lost
            when lost.rank() == rank -> listener.found(new PeerNews.Lost(rank, lost.ownCause(terms)));
            case Detection.Lost lost -> {
                say(lost.rank(), new CloseReason(CloseReason.Kind.LOST, lost.cause(terms)));
                listener.found(new PeerNews.Lost(lost.rank(), lost.cause(terms)));
            }
            case Detection.Cut cut -> {
                say(cut.peer(), new CloseReason(CloseReason.Kind.CUT, cut.cause(terms)));
                listener.found(new PeerNews.Cut(cut.peer(), cut.cause(terms)));
            }
        }
    }

    private void say(int number, CloseReason words) {
        ControlPeer peer = peers.remove(number);
        if (peer != null) {
            beats.sendDatagram(peer, timers.nanoTime());
            peer.end(words);
        }
    }

    /** A beat came as a datagram. */
    public void heard(Heartbeat beat) {
        ControlPeer peer = peers.get(beat.sender());
        if (peer != null) {
            peer.datagram(timers.nanoTime());
            heard(peer, beat, false);
        }
    }

    @Override
    public void heard(ControlPeer peer, Heartbeat beat) {
        heard(peer, beat, true);
    }

    /** @param hasText whether the beat says at what its rank is held up, which the connection's do */
    private void heard(ControlPeer peer, Heartbeat beat, boolean hasText) {
        if (peers.get(peer.number()) != peer) {
            return;
        }
        long now = timers.nanoTime();
        detector.heard(peer.number(), now);
        if (peer.isNewer(beat)) {
            detector.told(peer.number(), beat.suspects(), beat.cuts(), beat.lost());
            long heldUp = TimeUnit.MILLISECONDS.toNanos(beat.heldUpMillis());
            if ((hasText || heldUp == 0) && peer.isToBeTold(heldUp, now, HELD_UP_NANOS)) {
                listener.found(new PeerNews.HeldUp(peer.number(), heldUp, beat.heldUpAt()));
            }
            compareClocks(peer, beat, now);
        }
    }

    private void compareClocks(ControlPeer peer, Heartbeat beat, long now) {
        PeerClock.Estimate estimate = peer.clock().heard(beat.stamps(), now);
        if (estimate != null && listener.hearsOfClocks()) {
            listener.found(new PeerNews.ClockCompared(
                    peer.number(), estimate.at(), estimate.offsetNanos(), estimate.boundNanos()));
        }
    }

    @Override
    public void left(ControlPeer peer) {
        if (peers.remove(peer.number(), peer)) {
            detector.left(peer.number());
            peer.close();
        }
    }

    @Override
    public void vanished(ControlPeer peer, String cause) {
        if (peers.remove(peer.number(), peer)) {
            detector.gone(peer.number());
            peer.close();
            listener.vanished(peer.number(), cause);
        }
    }

    @Override
    public void said(ControlPeer peer, CloseReason words) {
        if (!peers.remove(peer.number(), peer)) {
            return;
        }
        peer.close();
        switch (words.kind()) {
            case LOST -> {
                detector.condemned(timers.nanoTime());
                listener.found(new PeerNews.Lost(rank, "declared lost by rank " + peer.number() + ": " + words.text()));
            }
            case CUT -> {
                detector.separated(peer.number());
                listener.found(new PeerNews.Cut(peer.number(), words.text()));
            }
            case DYING -> {
                detector.gone(peer.number());
                listener.vanished(peer.number(), words.text());
            }
        }
    }

    /** Something of this rank's own has failed on the control thread: no peer is to blame. */
    @Override
    public void failed(Throwable problem) {
        if (!closed) {
            die("its control thread failed: " + CommException.describe(problem));
            listener.failed(problem);
        }
    }

    /** This rank cannot go on: all are told so, at once. */
    private void die(String cause) {
        LOG.error("this rank cannot go on: rank={}, cause={}", rank, cause);
        closed = true;
        List<ControlPeer> all = List.copyOf(peers.values());
        // First forgotten, so that no connection which ends with this is taken for a peer's end.
        peers.clear();
        all.forEach(peer -> peer.end(new CloseReason(CloseReason.Kind.DYING, cause)));
    }

    /** Ends the watch over a peer in good order: it or this rank leaves. */
    public void leave(int number) {
        onControlThread(() -> {
            ControlPeer peer = peers.get(number);
            if (peer != null) {
                peer.sayGoodbye();
                left(peer);
            }
        });
    }

    /** Leaves all. */
    public void close() {
        closed = true;
        onControlThread(() -> {
            List.copyOf(peers.values()).forEach(ControlPeer::sayGoodbye);
            List.copyOf(peers.values()).forEach(this::left);
        });
    }

    /**
     * Runs a task on the control thread once all that has come until now was taken. A peer that ends its connections because of a verdict
     * has said so before on this one. Once that thread has ended there is no news to wait for, and the task is run at once.
     */
    public void afterNews(Runnable task) {
        // The task's own turn may be one in which the sockets have been looked at already; the next one looks again.
        onControlThreadOrHere(() -> {
            if (executor instanceof SingleThreadEventLoop loop && !loop.isShuttingDown()) {
                loop.executeAfterEventLoopIteration(() -> onControlThreadOrHere(task));
            } else {
                task.run();
            }
        });
    }

    private void onControlThreadOrHere(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }

    private void onControlThread(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.trace("the control thread has ended", e);
        }
    }
}
