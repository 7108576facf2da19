package io.reactivecomm.internal.engine;

import io.reactivecomm.Operation;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds, in what peers open, that they do something else than this rank under one identity: another call, another composite, one of each, or a call over
 * links that another engine performs here.
 *
 * <p>What is found is reported, and the call or run goes on until all ranks hear the verdict. Owned by the loop.
 */
final class Contradictions {

    private final World world;
    private final Calls calls;
    private final Composites composites;
    private final ForeignCalls foreign;
    private final Disputes disputes;

    Contradictions(World world, Calls calls, Composites composites, ForeignCalls foreign, Disputes disputes) {
        this.world = world;
        this.calls = calls;
        this.composites = composites;
        this.foreign = foreign;
        this.disputes = disputes;
    }

    /** A body has begun: a peer may have opened another call, or calls in another composite, under its identity. */
    void begun(Composite run) {
        for (Peer peer : world.peers()) {
            if (run.isUnfinished() && world.openings(peer).contradicts(run.enclosure())) {
                disputeOnce(run);
            }
        }
    }

    /** {@return whether a peer has opened, in a composite of the same identity, what a call that begins here is not} */
    boolean begun(Call call, CallKey.Ticket key) {
        List<Peer> peers = world.peers();
        for (int i = 0; i < peers.size(); i++) {
            if (world.openings(peers.get(i)).holdsPartOf(key)) {
                dispute(call);
                return true;
            }
        }
        return false;
    }

    /** A call has begun that another engine performs: a peer may have given it to links, or opened a composite in its place. */
    void begun(QueueEntry.Foreign call) {
        switch (call.key()) {
            case CallKey.Ticket key -> {
                if (foreign.isContradicted(key) || foreign.isElsewhere(call)) {
                    disputes.report(call.group(), key);
                }
            }
            case CallKey.Message message -> {
                if (foreign.isElsewhere(call)) {
                    foreign.differsElsewhere(call, message);
                } else {
                    foreign.ends().compare(call, message);
                }
            }
        }
    }

    /** A peer has opened a call in the same run as this rank, though maybe of another composite. */
    void matched(CallKey key) {
        for (Enclosure each = key.enclosure(); each != null; each = each.outer()) {
            Composite run = composites.find(each.run());
            // After the verdict nobody waits for one.
            if (run != null && run.isUnfinished() && run.enclosure().operation() != each.operation()) {
                disputeOnce(run);
            }
        }
    }

    /** A peer has opened what no call here is for: it may be something else than what runs here. */
    void opened(CallKey key) {
        Composite same = composites.find(key);
        if (same != null) {
            disputeOnce(same);
        }
        matched(key);
        boolean isForeign = key instanceof CallKey.Ticket && foreign.has(key);
        disputeForeign(isForeign ? key : foreign.inPlaceOf(key.enclosure()));
        for (Enclosure each = key.enclosure(); each != null; each = each.outer()) {
            Call call = calls.find(each.run());
            if (call != null) {
                dispute(call);
            }
        }
    }

    /** A peer has given a call to an engine beside the one over links, of which there are several. */
    void performed(Peer peer, Frame.Performs performs) {
        CallKey key = performs.key();
        GroupState group = world.group(key.group());
        if (group != null && !isHeardHere(group, peer, key)) {
            throw new ProtocolException("a peer told of a call that this rank does not compare: call=" + key.label()
                    + ", peer=" + peer.rank());
        }
        QueueEntry.Foreign own = foreign.find(key);
        boolean differs = foreign.performed(performs);
        if (differs && group != null && key instanceof CallKey.Ticket) {
            disputes.report(group, key);
        } else if (differs && own != null && key instanceof CallKey.Message message) {
            foreign.differsElsewhere(own, message);
        }
    }

    private static boolean isHeardHere(GroupState group, Peer peer, CallKey key) {
        int from = group.groupRank(peer.rank());
        return switch (key) {
            case CallKey.Ticket ignored -> from >= 0 && group.rank() == 0;
            case CallKey.Message message -> message.destination() == from && message.source() == group.rank();
        };
    }

    /** A peer has opened a scope that is over here, and in which there was nothing between the two. {@return whether that is so} */
    boolean openedAfter(GroupState group, Frame.Open open) {
        boolean isOver = open.signature().operation() == Operation.COALESCED
                && calls.recorder().hasScope(open.key());
        if (isOver) {
            disputes.report(group, open.key());
        }
        return isOver;
    }

    private void disputeForeign(@Nullable CallKey key) {
        GroupState group = key == null ? null : foreign.groupOf(key);
        if (key != null && group != null) {
            disputes.report(group, key);
        }
    }

    /** A rank that may have been asking about disputes has left. */
    void reportAgain() {
        for (Composite run : composites.snapshot()) {
            if (run.isDisputed() && run.isUnfinished()) {
                disputes.report(run.group(), run.key());
            }
        }
        for (Call call : calls.live().snapshot()) {
            CallKey key = call.key();
            if (key != null && call.state() == Call.State.DISPUTED) {
                disputes.report(call.group(), key);
            }
        }
        disputes.settle(calls.now());
    }

    /** This rank sees that a call differs from a peer's. */
    void dispute(Call call) {
        CallKey key = call.key();
        if (key != null && call.isRunning()) {
            call.dispute();
            // Their callers wait for the verdict as this rank does, and are told nothing else.
            world.forgetOpenings(key);
            disputes.report(call.group(), key);
        }
    }

    private void disputeOnce(Composite run) {
        if (!run.isDisputed()) {
            run.dispute();
            disputes.report(run.group(), run.key());
        }
    }
}
