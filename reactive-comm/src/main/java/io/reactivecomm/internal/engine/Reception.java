package io.reactivecomm.internal.engine;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;

/** The reception of frames other than data: finds the call, group or message that a peer speaks of, and tells it. Owned by the loop. */
final class Reception {

    private final World world;
    private final Calls calls;
    private final Messages messages;
    private final Composites composites;
    private final ForeignCalls foreign;
    private final Steps steps;
    private final Contradictions contradictions;
    private final Disputes disputes;
    private final Beginning beginning;
    private final Watch watch;
    private final Departures departures;

    Reception(
            World world,
            Calls calls,
            Messages messages,
            Composites composites,
            ForeignCalls foreign,
            Steps steps,
            Contradictions contradictions,
            Disputes disputes,
            Beginning beginning,
            Watch watch,
            Departures departures) {
        this.world = world;
        this.calls = calls;
        this.messages = messages;
        this.composites = composites;
        this.foreign = foreign;
        this.steps = steps;
        this.contradictions = contradictions;
        this.disputes = disputes;
        this.beginning = beginning;
        this.watch = watch;
        this.departures = departures;
    }

    /**
     * Takes in a frame.
     *
     * @throws ProtocolException if it makes no sense
     */
    void take(Peer peer, Frame frame, long now) {
        switch (frame) {
            case Frame.Open open -> {
                peer.path().eager().received(open.eagerBytes());
                open(peer, open);
            }
            case Frame.Dropped dropped -> dropped(peer, dropped);
            case Frame.Wanted wanted -> wanted(peer, wanted);
            case Frame.Announce announce -> {
                peer.path().eager().received(announce.edge().eager().byteSize());
                announced(peer, announce);
            }
            case Frame.Taken taken -> peer.path().eager().takenByPeer(taken.bytes());
            case Frame.Grant grant -> granted(peer, grant);
            case Frame.Data data -> throw new ProtocolException("data came as a control frame: grant=" + data.grant());
            case Frame.Withdrawn withdrawn -> peer.path().inbox().withdrawn(withdrawn.grant());
            case Frame.Abort abort -> aborted(peer, abort);
            case Frame.GroupAbort abort -> groupAborted(peer, abort);
            case Frame.Lost lost -> departures.reportedLost(peer, lost);
            case Frame.Cut cut -> departures.reportedCut(peer, cut);
            case Frame.Query query -> watch.asked(peer, query);
            case Frame.Status status -> watch.answered(peer, status, now);
            case Frame.Dispute dispute -> disputes.reported(peer, dispute.key(), now);
            case Frame.Performs performs -> contradictions.performed(peer, performs);
            case Frame.Leave leave -> left(peer, leave);
            case Frame.Goodbye ignored -> departures.departed(peer);
            case Frame.Knock ignored -> {}
        }
    }

    private void open(Peer peer, Frame.Open open) {
        CallKey key = open.key();
        Call call = calls.find(key);
        if (call != null) {
            contradictions.matched(key);
            beginning.join(call, peer, open);
            return;
        }
        if (key instanceof CallKey.Message message && beginning.wasTaken(peer, message)) {
            return;
        }
        if (world.hasEnded(key.group()) || steps.answersOff(peer, key)) {
            return;
        }
        steps.refuseIfNever(key);
        contradictions.opened(key);
        if (!composites.admits(peer, key)) {
            return;
        }
        if (key instanceof CallKey.Message message && foreign.ends().answers(peer, message, open)) {
            return;
        }
        Failure failure = calls.tombstones().find(key);
        if (key instanceof CallKey.Message message) {
            beginning.messageArrived(
                    new Messages.ArrivedMessage(peer, message, failure == null ? open : null, failure));
        } else if (failure != null) {
            composites.tell(peer, key, failure);
        } else {
            GroupState group = world.group(key.group());
            if (group == null || !contradictions.openedAfter(group, open)) {
                world.openings(peer).park(open);
            }
        }
    }

    private void wanted(Peer peer, Frame.Wanted wanted) {
        Channel channel = Channel.of(wanted);
        Enclosure enclosure = wanted.enclosure();
        boolean isAnswered =
                wanted.number() != Frame.Wanted.NONE && foreign.ends().answers(peer, channel, wanted.number());
        if (isAnswered || wanted.number() == Frame.Wanted.ANY) {
            return;
        }
        if (!channel.isCounted()) {
            // One with a number only asks whether the message goes by another engine.
            if (wanted.number() == Frame.Wanted.NONE) {
                world.messages(peer).wanted(channel, true);
            }
        } else if (world.hasEnded(wanted.group())) {
            return;
        } else if (enclosure == null) {
            steps.wanted(peer, wanted);
        } else {
            wanted(peer, wanted, enclosure);
        }
    }

    private void wanted(Peer peer, Frame.Wanted wanted, Enclosure enclosure) {
        if (!steps.answersOff(enclosure)) {
            steps.refuseIfNever(enclosure.run());
            composites.wanted(peer, wanted, enclosure);
        }
    }

    private void dropped(Peer peer, Frame.Dropped dropped) {
        Call call = calls.find(dropped.call());
        Partner partner = call == null ? null : call.partner(peer);
        if (call != null && partner != null && partner.hasOpened() && !partner.isMatched()) {
            world.openings(peer).dropped(partner);
            composites.repeatDropped(call);
        }
    }

    private void announced(Peer peer, Frame.Announce announce) {
        Call call = calls.find(announce.call());
        Partner partner = call == null ? null : call.partner(peer);
        if (call != null && partner != null) {
            partner.announced(announce.edge());
        }
    }

    private void granted(Peer peer, Frame.Grant grant) {
        Call call = calls.find(grant.call());
        Partner partner = call == null ? null : call.partner(peer);
        if (call == null || partner == null) {
            peer.tell(new Frame.Withdrawn(grant.grant()));
        } else {
            partner.granted(grant);
        }
    }

    private void aborted(Peer peer, Frame.Abort abort) {
        CallKey key = abort.key();
        if (key instanceof CallKey.Message message) {
            world.messages(peer).taken(message);
        }
        if (steps.isOffHereToo(key, abort.failure())) {
            return;
        }
        Call call = calls.find(key);
        boolean waits = key instanceof CallKey.Message message && messages.failed(message, abort.failure());
        if (!waits) {
            calls.tombstones().put(key, abort.failure());
        }
        world.forgetOpenings(key);
        disputes.forget(key);
        if (call != null) {
            calls.failed(call, abort.failure());
        }
        foreign.failed(key, abort.failure());
        composites.failed(key, abort.failure());
    }

    private void left(Peer peer, Frame.Leave leave) {
        GroupState group = world.group(leave.group());
        if (group != null) {
            departures.left(peer, group);
        }
    }

    private void groupAborted(Peer peer, Frame.GroupAbort abort) {
        GroupState group = world.group(abort.group());
        if (group != null) {
            departures.heardOfAbort(group, abort);
        } else {
            world.endUnknown(abort.group(), abort.failure());
            world.openings(peer).forgetGroup(abort.group());
        }
    }
}
