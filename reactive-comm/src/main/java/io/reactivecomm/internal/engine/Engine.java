package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.memory.WorkMemory;
import io.reactivecomm.internal.observe.InFlight;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.GrantWatch;
import io.reactivecomm.internal.transfer.GrownWindows;
import io.reactivecomm.internal.transfer.Resources;
import io.reactivecomm.recorder.RankState;
import io.reactivecomm.recorder.WaitingCall;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.Loan;
import io.reactivecomm.spi.link.PeerNews;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The progress engine of one rank: a state machine over events.
 *
 * <p>Every event comes with the time at which it happens. Its effects are frames written to links, and ends of calls, which wait in
 * {@link #deliverSignal}. There is no clock, no thread and no randomness in here, so the same events give the same effects: whole worlds
 * of engines run under a simulated network.
 *
 * <pre>
 *   submit ──&gt; Beginning ──&gt; Calls ── Call ── Partner ──┐
 *   link   ──&gt; Reception ──&gt; Call, Openings, Messages ──┴─&gt; transfer: Runs, Edges, Path ──&gt; link
 *   time   ──&gt; Watch ──────&gt; deadlines, questions, verdicts
 *   ends   ──&gt; Departures ─&gt; lost and departed peers, ended groups
 *   event over ────────────&gt; Calls.settle ──&gt; Signals
 * </pre>
 *
 * <h2>How a call lives</h2>
 *
 * <p>Rank 0 broadcasts to rank 1, whose program is late. Time runs downwards.
 *
 * <pre>
 *   rank 0                                                    rank 1
 *   Beginning    number, deadline, steps
 *   Openings     ──── Open: identity, shape, what is ready ─&gt; Openings     parked: not begun here
 *                                                             Beginning    number, deadline, steps; what is parked agrees
 *   Reception    &lt;─── Open: identity, shape ────────────────  Partner
 *   Partner      agrees                                       ReceiveRun   wishes for what is ready
 *   Edges        &lt;─── Grant: edge, elements ────────────────  Inbox        has room in its window
 *   SendRun      ──── Data, over Outbox ───────────────────&gt; ReceiveRun   progress: the steps that follow it advance
 *   SendRun      written: its last step is done               Transfer     its last step is done
 *   Calls        settles it: success                          Calls        settles it: success
 *   Signals      its subscriber is told                       Signals      its subscriber is told
 * </pre>
 *
 * <p><b>It begins.</b> A {@link Submission} has all that could be looked up or checked on the caller's thread. Beginning gives the call a number,
 * by which peers address it, and a deadline. Its schedule's steps become runs over its memory, and each rank that they name becomes a
 * partner. A receive has no steps before a message matches it.
 *
 * <p><b>It agrees.</b> The opening is the match header: identity, shape, and a hash of what each side would send. It crosses between all
 * partners, both ways, even where no byte follows. What arrives early is parked, within bounds; the rest is dropped, and sent again when
 * this rank's own opening shows that it would be taken. Two that differ are in dispute, and the group's first rank finds out who called what.
 *
 * <p><b>It moves bytes.</b> A small edge travels with its announcement (eager); a larger one is announced, granted and sent (rendezvous, driven
 * by the receiver). Runs count their elements in order, and whoever waits for a run follows it. Windows bound what is under way from a peer;
 * staging memory bounds what waits to be folded. All this is package {@code transfer}, which knows no identity, no deadline and no group.
 *
 * <p><b>It is settled.</b> A run that is done, or that cannot be done, changes nothing but a count or a fault; the call is then among those
 * that the event touched. When the event is over, each of these is looked at once. It has succeeded if no step is left and all partners have
 * opened both ways; it fails on all ranks if it has a fault. So no step meets the end of its own call half-way. Only ends wait for that:
 * grants, windows and memory are given back as soon as a piece is through.
 *
 * <p><b>It ends.</b> By success, or by the first failure: a fault here, an abort from a peer, its deadline, a verdict, the loss of a rank, the end
 * of its group. Ending takes back what links have of its memory, answers what was asked of it, and gives back all that it holds; from then on
 * nobody touches its tensors. Why it failed stays known for ranks that begin it later. Its subscriber is told after the frames of the
 * event have left, so that a program's code delays no other rank and finds no engine in the middle of a change.
 *
 * <p><b>Threads.</b> One at a time: the loop's.
 */
public final class Engine {

    private final World world;
    private final Calls calls;
    private final Resources resources;
    private final Messages messages;
    private final Composites composites;
    private final ForeignCalls foreign;
    private final Contradictions contradictions;
    private final Steps steps;
    private final Signals signals = new Signals();
    private final Beginning beginning;
    private final Watch watch;
    private final Departures departures;
    private final Reception reception;
    private final GrownWindows windows;

    /** As the other, with memory that is the same each time. */
    public Engine(int rank, List<? extends Link> links, EngineLimits limits, Consumer<String> warnings) {
        this(rank, links, limits, WorkMemory.COLLECTED, warnings);
    }

    /**
     * @param rank this rank in the world
     * @param links a link to every other rank, in rank order
     * @param memory what it works in, beside tensors
     * @param warnings takes sentences about calls that wait
     */
    public Engine(
            int rank, List<? extends Link> links, EngineLimits limits, WorkMemory memory, Consumer<String> warnings) {
        this.world = new World(new Ranks(rank, links, limits), limits);
        this.messages = new Messages(world, limits.tombstones());
        this.resources = new Resources(limits, memory);
        this.windows = new GrownWindows(limits);
        this.calls = new Calls(world, limits, resources, messages, signals);
        this.foreign = new ForeignCalls(world, calls, messages, signals);
        this.composites = new Composites(world, calls, messages, foreign, signals);
        this.steps = new Steps(world, calls, messages, composites);
        Disputes disputes = new Disputes(world, calls, composites, foreign);
        this.contradictions = new Contradictions(world, calls, composites, foreign, disputes);
        Events events = new Events(world, signals, calls::now);
        this.watch = new Watch(world, calls, composites, disputes, warnings, events);
        this.departures =
                new Departures(world, calls, messages, composites, foreign, steps, contradictions, watch, events);
        this.beginning = new Beginning(
                world,
                calls,
                messages,
                composites,
                foreign,
                steps,
                contradictions,
                watch,
                signals,
                departures::brokeProtocol);
        this.reception = new Reception(
                world,
                calls,
                messages,
                composites,
                foreign,
                steps,
                contradictions,
                disputes,
                beginning,
                watch,
                departures);
    }

    /** Has the failures of calls told; what is told of them must not take time, and may ask for a {@link #snapshot} later. */
    public void whenFailed(Consumer<Failure> told) {
        signals.whenFailed(told);
    }

    /** Has somebody told of what is asked for from peers whose way may be long, in the turn in which the grant leaves. */
    public void watchGrants(GrantWatch told) {
        world.peers().forEach(peer -> peer.path().watchGrants(told));
    }

    /** Makes a group known; its calls may come from peers before. */
    public void register(GroupState group) {
        world.register(group);
    }

    /** A call was subscribed to. */
    public void submit(Submission submission, long now) {
        calls.at(now);
        beginning.begin(submission);
        calls.settle();
    }

    /** The program has begun another step of a group, or something of one that is over has ended. */
    public void stepped(GroupState group, long now) {
        calls.at(now);
        steps.stepped(group);
        calls.settle();
    }

    /** A composite call was subscribed to: its body begins. */
    public void begin(Composite run, long now) {
        calls.at(now);
        composites.begin(run);
        contradictions.begun(run);
        calls.settle();
    }

    /** A composite call was subscribed to that cannot begin here. */
    public void refuse(Composite run, Failure failure, long now) {
        calls.at(now);
        composites.refuse(run, failure);
        calls.settle();
    }

    /**
     * The body of a composite call is over.
     *
     * @param cause what is said to ranks that need more of it, or null if it has completed
     */
    public void left(Composite run, @Nullable Failure cause, long now) {
        calls.at(now);
        composites.left(run, cause);
        calls.settle();
    }

    /** The body of a composite call has failed: so does the composite, on all ranks. */
    public void failed(Composite run, Failure failure, long now) {
        calls.at(now);
        composites.failedEverywhere(run, failure);
        calls.settle();
    }

    /** A call was subscribed to that another engine performs. */
    public void begin(QueueEntry.Foreign call, long now) {
        calls.at(now);
        Composite within = call.within();
        Failure refusal = call.group().refusal();
        if (refusal != null) {
            signals.failed(call.sink(), refusal);
        } else if ((within == null || composites.beginsElsewhere(within, call.sink())) && foreign.begin(call)) {
            contradictions.begun(call);
        }
        calls.settle();
    }

    /** All that there was to begin in this turn has begun. */
    public void allBegun() {
        foreign.allBegun();
    }

    /**
     * Another engine has ended a call.
     *
     * @param failedRun the run whose failure is the call's, or null
     * @param failure why it failed, or null
     */
    public void end(
            QueueEntry.Foreign call,
            CallKey.@Nullable Ticket failedRun,
            @Nullable Failure failure,
            Runnable tell,
            long now) {
        calls.at(now);
        Composite within = call.within();
        if (within != null && failure != null && failedRun != null) {
            composites.failedElsewhere(within, failedRun, failure);
        } else if (within != null && failure != null && failure.kind() == Failure.Kind.TIMEOUT) {
            within.waitedInVain(failure);
        }
        foreign.end(call, failure, tell);
        calls.settle();
    }

    /** {@return why a composite call failed before this rank began it, or null; any thread may ask} */
    public @Nullable Failure whyFailed(CallKey.Ticket run) {
        return calls.tombstones().find(run);
    }

    /** A frame other than data came from a peer. */
    public void frame(int from, Frame frame, long now) {
        calls.at(now);
        Peer peer = world.peer(from);
        if (!peer.isUp()) {
            return;
        }
        peer.heard(now);
        try {
            reception.take(peer, frame, now);
        } catch (ProtocolException e) {
            departures.brokeProtocol(peer, e);
        }
        calls.settle();
    }

    /**
     * The header of a granted piece came.
     *
     * @return where its bytes go, or null to forget them
     * @throws ProtocolException if it answers no grant
     */
    public @Nullable MemorySegment dataStart(int from, long grant, int lengthBytes) {
        Peer peer = world.peer(from);
        return peer.isUp() ? peer.path().inbox().dataStart(grant, lengthBytes) : null;
    }

    /** The bytes of a granted piece are all here. */
    public void dataEnd(int from, long grant, long now) {
        calls.at(now);
        Peer peer = world.peer(from);
        if (!peer.isUp()) {
            return;
        }
        peer.heard(now);
        try {
            peer.path().inbox().dataEnd(grant);
        } catch (ProtocolException e) {
            departures.brokeProtocol(peer, e);
        }
        calls.settle();
    }

    /** So many bytes under way from a peer keep its way busy. They are a wish: the windows of all peers have a bound together. */
    public void window(int from, long bytes, long now) {
        calls.at(now);
        windows.wish(world.peer(from).path(), bytes);
        calls.settle();
    }

    /** The bytes of a granted piece have come, and could not be put where they go. */
    public void dataFailed(int from, long grant, Throwable fault, long now) {
        calls.at(now);
        Peer peer = world.peer(from);
        if (!peer.isUp()) {
            return;
        }
        try {
            peer.path().inbox().dataFailed(grant, fault);
        } catch (ProtocolException e) {
            departures.brokeProtocol(peer, e);
        }
        calls.settle();
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
            peer.path().inbox().lent(grant, loan);
        } catch (ProtocolException e) {
            departures.brokeProtocol(peer, e);
        }
        calls.settle();
    }

    /** A piece has left this rank's memory. */
    public void written(int to, Frame.Data frame, long now) {
        calls.at(now);
        Peer peer = world.peer(to);
        if (peer.state() != Peer.State.LOST) {
            peer.path().outbox().written(frame);
            peer.path().outbox().pump();
        }
        calls.settle();
    }

    /** A piece will not reach its peer, because this rank's memory was gone before all of it had left. */
    public void writeFailed(int to, Frame.Data frame, Throwable fault, long now) {
        calls.at(now);
        Peer peer = world.peer(to);
        if (peer.state() != Peer.State.LOST) {
            peer.path().outbox().writeFailed(frame, fault);
            peer.path().outbox().pump();
        }
        calls.settle();
    }

    /** A link takes data again. */
    public void writable(int to, long now) {
        calls.at(now);
        world.peer(to).path().outbox().pump();
        calls.settle();
    }

    /**
     * A link is down.
     *
     * @param cause what happened, or null if either side ended it in good order
     */
    public void down(int peerRank, @Nullable String cause, long now) {
        calls.at(now);
        departures.down(world.peer(peerRank), cause);
        calls.settle();
    }

    /** The transport has found out something about a rank. */
    public void news(PeerNews news, long now) {
        calls.at(now);
        switch (news) {
            case PeerNews.Lost lost -> departures.foundLost(lost.rank(), lost.cause());
            case PeerNews.Cut cut -> departures.foundCut(world.peer(cut.peer()), cut.cause());
            case PeerNews.HeldUp heldUp -> watch.heldUp(heldUp, now);
            case PeerNews.ClockCompared compared -> watch.compared(compared);
        }
        calls.settle();
    }

    /** The time of {@link #nextDeadline()} has come: something is due, or there is something left to do that takes its time. */
    public void time(long now) {
        calls.at(now);
        watch.time(now);
        resources.later().goOn();
        calls.settle();
    }

    /** {@return when {@link #time} has something to do, or {@link Long#MAX_VALUE}} */
    public long nextDeadline() {
        return resources.later().isEmpty() ? watch.next() : calls.now();
    }

    /** {@return whether a fault in an event was one of the callers' memory; the calls that it concerns have failed on all ranks} */
    public boolean failedByMemory(Throwable fault, long now) {
        calls.at(now);
        boolean isOfCallers = calls.failedByMemory(fault);
        calls.settle();
        return isOfCallers;
    }

    /** This rank cannot go on: ends all its groups on all ranks, the one in which engines talk to each other, too. */
    public void fail(Failure cause, long now) {
        calls.at(now);
        departures.fail(cause);
        calls.settle();
    }

    /** Aborts a group on all ranks. */
    public void abort(GroupState group, String reason, long now) {
        calls.at(now);
        departures.abort(group, reason);
        calls.settle();
    }

    /** Another engine cannot serve a group any more. */
    public void failedBeside(long group, Failure cause, long now) {
        calls.at(now);
        departures.failedBeside(group, cause);
        calls.settle();
    }

    /** Leaves one group: fails what is pending in it and tells its members. */
    public void leaveGroup(GroupState group, long now) {
        calls.at(now);
        departures.leaveGroup(group);
        calls.settle();
    }

    /** The agreement on a group failed on this rank, which takes no part in it; on others it may have succeeded. */
    public void abandonGroup(GroupState group, long now) {
        calls.at(now);
        departures.abandon(group);
        calls.settle();
    }

    /** Leaves the world: fails what is pending here, tells the others, and closes the links. */
    public void leave(long now) {
        calls.at(now);
        departures.leave();
        calls.settle();
    }

    /** Ends what the events since the last flush spoiled, and sends what they wrote. */
    public void flush() {
        calls.settle();
        world.ranks().flush();
    }

    /** Adds the end of a call that this engine does not perform to those that {@link #deliverSignal} tells of. */
    public void signal(Runnable end) {
        signals.add(end);
    }

    /** {@return whether the next signal says when its call succeeded} */
    public boolean isSuccessNext() {
        return signals.isSuccessNext();
    }

    /**
     * {@return whether there was a subscriber to tell of the end of its call; it has been told}
     *
     * @param now when that is; read only where {@link #isSuccessNext}
     */
    public boolean deliverSignal(long now) {
        return signals.deliverOne(now);
    }

    /** {@return what is under way, what has ended, and what is known of peers and groups; on the loop, or beside one that does not turn} */
    public RankState snapshot(long now) {
        return new Snapshot(world, calls, composites, foreign, watch, now).take();
    }

    /** {@return the most bytes that ever occupied either window of a peer: of what it had, and of what it was still making} */
    public long peakBytesInFlight(int peer) {
        return world.peer(peer).path().inbox().peakBytes();
    }

    /** {@return edges of calls that wait until the peer may send more} */
    public int waitingEdges(int peer) {
        return world.peer(peer).path().inbox().wishes();
    }

    /** {@return the calls under way here, and what has become of the world} @param most calls to describe */
    public InFlight inFlight(int most, long now) {
        List<WaitingCall> oldest = new ArrayList<>(watch.oldest(most, now));
        oldest.addAll(foreign.some(most - oldest.size(), now));
        List<Integer> lost = world.peers().stream()
                .filter(peer -> peer.state() == Peer.State.LOST)
                .map(Peer::rank)
                .toList();
        GroupState whole = world.group(GroupState.WORLD);
        Failure ended = whole == null || whole.endedInGoodOrder() ? null : whole.ended();
        return new InFlight(
                calls.live().size() + foreign.size(), List.copyOf(oldest), lost, ended == null ? "" : ended.text());
    }

    /** {@return calls that have begun and not ended} */
    public int liveCalls() {
        return calls.live().size();
    }

    /** {@return runs of composite calls that have begun and not ended} */
    public int liveComposites() {
        return composites.size();
    }

    /** {@return groups that are known: those that this rank has, and those that it left and others have not} */
    public int knownGroups() {
        return world.groups().size();
    }

    /** {@return opened calls of peers that are kept because this rank has not begun them} */
    public int parkedOpenings() {
        return world.peers().stream()
                .mapToInt(peer -> world.openings(peer).parkedCount())
                .sum();
    }

    /** {@return messages of peers that wait for a receive} */
    public int waitingMessages() {
        return world.peers().stream()
                .mapToInt(peer -> world.messages(peer).arrivals())
                .sum();
    }

    /** {@return bytes that peers sent unasked and that are kept for calls and receives that wait} */
    public long keptEagerBytes() {
        return world.peers().stream()
                .mapToLong(peer -> peer.path().eager().kept())
                .sum();
    }

    /** {@return bytes of staging memory in use} */
    public long stagingBytes() {
        return resources.stagingBytes();
    }

    /** {@return bytes of scratch memory in use} */
    public long scratchBytes() {
        return resources.scratchBytes();
    }

    /** Frees the engine's memory, after all links are down. What is asked of it after that finds no calls that would need some. Idempotent. */
    public void close() {
        resources.close();
    }
}
