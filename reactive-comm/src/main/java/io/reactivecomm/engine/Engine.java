package io.reactivecomm.engine;

import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Link;
import io.reactivecomm.spi.Loan;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The progress engine of one rank: a state machine over events.
 *
 * <p>Every event comes with the time at which it happens. Its effects are frames written to links, and ends of calls, which wait in
 * {@link #deliverSignal()}. There is no clock, no thread and no randomness in here, so the same events give the same effects: whole worlds
 * of engines run under a simulated network.
 *
 * <pre>
 *   submit ──&gt; Beginning ──&gt; Calls ── Call ── Runs ──&gt; Outbox ──&gt; link
 *   link   ──&gt; Reception ──&gt; Call / Inbox / Messages
 *   time   ──&gt; Watch ──────&gt; deadlines, questions, verdicts
 *   ends   ──&gt; Departures ─&gt; lost and departed peers, ended groups
 * </pre>
 *
 * <p><b>Threads.</b> One at a time: the loop's.
 */
public final class Engine {

    private final World world;
    private final Calls calls;
    private final Messages messages = new Messages();
    private final Signals signals = new Signals();
    private final Beginning beginning;
    private final Watch watch;
    private final Departures departures;
    private final Reception reception;

    /**
     * @param rank this rank in the world
     * @param links a link to every other rank, in rank order
     * @param warnings takes sentences about calls that wait
     */
    public Engine(int rank, List<? extends Link> links, EngineLimits limits, Consumer<String> warnings) {
        this.world = new World(rank, links, limits);
        this.calls = new Calls(world, limits, messages, signals);
        this.watch = new Watch(world, calls, warnings);
        this.departures = new Departures(world, calls, messages, watch);
        this.beginning = new Beginning(world, calls, messages, watch, signals, departures::brokeProtocol);
        this.reception = new Reception(world, calls, messages, beginning, watch, departures);
    }

    /** Makes a group known; its calls may come from peers before. */
    public void register(GroupState group) {
        world.register(group);
    }

    /** A call was subscribed to. */
    public void submit(Submission submission, long now) {
        calls.at(now);
        beginning.begin(submission);
    }

    /** A frame other than data came from a peer. */
    public void frame(int from, Frame frame, long now) {
        calls.at(now);
        Peer peer = world.peer(from);
        if (!peer.isUp()) {
            return;
        }
        try {
            reception.take(peer, frame, now);
        } catch (ProtocolException e) {
            departures.brokeProtocol(peer, e);
        }
    }

    /**
     * The header of a granted piece came.
     *
     * @return where its bytes go, or null to forget them
     * @throws ProtocolException if it answers no grant
     */
    public @Nullable MemorySegment dataStart(int from, long grant, int lengthBytes) {
        Peer peer = world.peer(from);
        return peer.isUp() ? peer.inbox().dataStart(grant, lengthBytes) : null;
    }

    /** The bytes of a granted piece are all here. */
    public void dataEnd(int from, long grant, long now) {
        calls.at(now);
        Peer peer = world.peer(from);
        if (!peer.isUp()) {
            return;
        }
        try {
            peer.inbox().dataEnd(grant);
        } catch (ProtocolException e) {
            departures.brokeProtocol(peer, e);
        }
    }

    /** A granted piece can be read where it lies. */
    public void dataLent(int from, long grant, Loan loan, long now) {
        calls.at(now);
        Peer peer = world.peer(from);
        if (!peer.isUp()) {
            loan.giveBack();
            return;
        }
        try {
            peer.inbox().lent(grant, loan);
        } catch (ProtocolException e) {
            departures.brokeProtocol(peer, e);
        }
    }

    /** A piece has left this rank's memory. */
    public void written(int to, Frame.Data frame, long now) {
        calls.at(now);
        Peer peer = world.peer(to);
        if (peer.state() != Peer.State.LOST) {
            peer.outbox().written(frame);
            peer.outbox().pump();
        }
    }

    /** A link takes data again. */
    public void writable(int to, long now) {
        calls.at(now);
        world.peer(to).outbox().pump();
    }

    /**
     * A link is down.
     *
     * @param cause what happened, or null if either side ended it in good order
     */
    public void down(int peerRank, @Nullable String cause, long now) {
        calls.at(now);
        departures.down(world.peer(peerRank), cause);
    }

    /** The time of {@link #nextDeadline()} has come. */
    public void time(long now) {
        calls.at(now);
        watch.time(now);
    }

    /** {@return when {@link #time} has something to do, or {@link Long#MAX_VALUE}} */
    public long nextDeadline() {
        return watch.next();
    }

    /** Aborts a group on all ranks. */
    public void abort(GroupState group, String reason, long now) {
        calls.at(now);
        departures.abort(group, reason);
    }

    /** Leaves one group: fails what is pending in it and tells its members. */
    public void leaveGroup(GroupState group, long now) {
        calls.at(now);
        departures.leaveGroup(group);
    }

    /** The agreement on a group failed on this rank, which takes no part in it; on others it may have succeeded. */
    public void abandonGroup(GroupState group, long now) {
        calls.at(now);
        departures.abandon(group);
    }

    /** Leaves the world: fails what is pending here, tells the others, and closes the links. */
    public void leave(long now) {
        calls.at(now);
        departures.leave();
    }

    /** Sends what the events since the last flush wrote. */
    public void flush() {
        world.flush();
    }

    /** Adds the end of a call that this engine does not perform to those that {@link #deliverSignal()} tells of. */
    public void signal(Runnable end) {
        signals.add(end);
    }

    /** {@return whether there was a subscriber to tell of the end of its call; it has been told} */
    public boolean deliverSignal() {
        return signals.deliverOne();
    }

    /** {@return the most bytes that ever occupied either window of a peer: of what it had, and of what it was still making} */
    public long peakBytesInFlight(int peer) {
        return world.peer(peer).inbox().peakBytes();
    }

    /** {@return edges of calls that wait until the peer may send more} */
    public int waitingEdges(int peer) {
        return world.peer(peer).inbox().wishes();
    }

    /** {@return calls that have begun and not ended} */
    public int liveCalls() {
        return calls.live().size();
    }

    /** {@return groups that are known: those that this rank has, and those that it left and others have not} */
    public int knownGroups() {
        return world.groups().size();
    }

    /** {@return opened calls of peers that are kept because this rank has not begun them} */
    public int parkedOpenings() {
        return world.peers().stream().mapToInt(peer -> peer.openings().parkedCount()).sum();
    }

    /** {@return messages of peers that wait for a receive} */
    public int waitingMessages() {
        return world.peers().stream().mapToInt(peer -> peer.messages().arrivals()).sum();
    }

    /** {@return bytes that peers sent unasked and that are kept for calls and receives that wait} */
    public long keptEagerBytes() {
        return world.peers().stream().mapToLong(peer -> peer.eager().kept()).sum();
    }

    /** {@return bytes of staging memory in use} */
    public long stagingBytes() {
        return calls.staging().usedBytes();
    }

    /** {@return bytes of scratch memory in use} */
    public long scratchBytes() {
        return calls.scratch().usedBytes();
    }

    /** Frees the engine's memory, after all links are down. */
    public void close() {
        calls.close();
    }
}
