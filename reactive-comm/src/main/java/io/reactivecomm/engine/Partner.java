package io.reactivecomm.engine;

import io.reactivecomm.collective.Fingerprint;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.ProtocolException;
import java.util.ArrayList;
import java.util.List;

/** One other rank in one call: whether each side has opened, and the edges between the two. Owned by the loop. */
final class Partner {

    /** Eager bytes of one call to one peer: so many fit into an opening, and more are better off with a grant. */
    private static final long MOST_EAGER_BYTES = 64 << 10;

    /** Edges that an opening announces; the rest is announced when both have opened. */
    private static final int MOST_OPENING_EDGES = 4096;

    final Call call;
    final Peer peer;
    private final List<SendRun> sends = new ArrayList<>(2);
    private final List<Intake> intakes = new ArrayList<>(2);
    private boolean opened;
    private boolean dropped;
    private long remoteCall = Frame.Open.UNKNOWN;
    private long eagerBytesLeft = MOST_EAGER_BYTES;

    Partner(Call call, Peer peer) {
        this.call = call;
        this.peer = peer;
    }

    int nextSend() {
        return sends.size();
    }

    int nextIntake() {
        return intakes.size();
    }

    /** {@return whether an edge of that size travels with its announcement; asked once for each edge, in order} */
    boolean isEager(long lengthBytes) {
        boolean fits = lengthBytes <= Math.min(eagerBytesLeft, peer.limits().eagerBytes());
        eagerBytesLeft -= fits ? lengthBytes : 0;
        return fits;
    }

    /** {@return a number that tells apart what this rank would send the peer} */
    long outgoing() {
        long hash = call.fingerprint();
        for (SendRun send : sends) {
            hash = Fingerprint.mix(hash, send.lengthBytes());
        }
        return hash;
    }

    /** {@return the same for what it would take from the peer, equal if both mean the same transfers} */
    long incoming() {
        long hash = call.fingerprint();
        for (Intake intake : intakes) {
            hash = Fingerprint.mix(hash, intake.lengthBytes());
        }
        return hash;
    }

    void add(SendRun send) {
        sends.add(send);
    }

    void add(Intake intake) {
        intakes.add(intake);
    }

    /** {@return whether the peer was sent this rank's opening and has not dropped it} */
    boolean hasOpened() {
        return opened;
    }

    /** {@return whether the peer's opening is here} */
    boolean isMatched() {
        return remoteCall != Frame.Open.UNKNOWN;
    }

    /** {@return whether the peer, if it is done with the call, leaves nothing to be wished for} */
    boolean isFinished() {
        return opened && isMatched() && sends.stream().allMatch(SendRun::isSpokenFor) && intakes.stream().allMatch(Intake::isComplete);
    }

    long remoteCall() {
        return remoteCall;
    }

    boolean wasDropped() {
        return dropped;
    }

    /** Sends the opening with all that is ready. */
    void open() {
        opened = true;
        dropped = false;
        List<Frame.Edge> edges = new ArrayList<>(sends.size());
        for (SendRun send : sends) {
            Frame.Edge ready = edges.size() < MOST_OPENING_EDGES ? send.announcement() : null;
            if (ready != null) {
                edges.add(ready);
            }
        }
        peer.outbox().write(call.opening(this, List.copyOf(edges)));
        for (SendRun send : sends) {
            send.sentEagerly();
        }
    }

    /** The peer did not keep the opening; it is sent again when the peer's own arrives. */
    void dropped() {
        opened = false;
        dropped = true;
        sends.forEach(SendRun::forgetAnnouncement);
    }

    /** The peer's opening is here and agrees. */
    void matched(long remote) {
        remoteCall = remote;
    }

    /** Takes in what the peer's opening said is ready, and tells it what has become ready here. */
    void exchange(List<Frame.Edge> edges) {
        for (Frame.Edge edge : edges) {
            announced(edge);
        }
        sends.forEach(SendRun::advance);
    }

    void announced(Frame.Edge news) {
        if (news.edge() < 0 || news.edge() >= intakes.size()) {
            throw new ProtocolException("an announcement names no edge of its call: edge=" + news.edge() + ", edges=" + intakes.size());
        }
        intakes.get(news.edge()).announced(news);
    }

    void granted(Frame.Grant grant) {
        if (grant.edge() < 0 || grant.edge() >= sends.size()) {
            throw new ProtocolException("a grant names no edge of its call: edge=" + grant.edge() + ", edges=" + sends.size());
        }
        sends.get(grant.edge()).granted(grant);
    }
}
