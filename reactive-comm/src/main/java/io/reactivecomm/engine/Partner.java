package io.reactivecomm.engine;

import io.reactivecomm.collective.Fingerprint;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.ProtocolException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One other rank in one call: whether each side has opened, and the edges between the two. Owned by the loop. */
final class Partner {

    /** Eager bytes of one call to one peer: so many fit into an opening, and more are better off with a grant. */
    private static final long MOST_EAGER_BYTES = 64 << 10;

    /**
     * The same for each edge, where memory is shared and other ranks' operands have to be waited for: what waits was copied into the link and
     * has to be copied out of it. On four ranks 64 KiB take 50 µs instead of 65.
     */
    private static final int MOST_COPIED_BYTES = 8 << 10;

    private static final int PAIR = 2;

    /** Edges that an opening announces; the rest is announced when both have opened. */
    private static final int MOST_OPENING_EDGES = 4096;

    private static final SendRun[] NO_SENDS = new SendRun[0];
    private static final Intake[] NO_INTAKES = new Intake[0];

    final Call call;
    final Peer peer;

    /** The thread of {@link Openings}: who waits before and after this one for credit, if it waits. */
    @Nullable Partner waitsBefore;

    @Nullable Partner waitsAfter;
    Openings.Turn turn = Openings.Turn.NONE;
    private SendRun[] sends = NO_SENDS;
    private int sendCount;
    private Intake[] intakes = NO_INTAKES;
    private int intakeCount;
    private long outgoing;
    private long incoming;
    private boolean opened;
    private boolean dropped;
    private long remoteCall = Frame.Open.UNKNOWN;
    private long unaskedBytesLeft = MOST_EAGER_BYTES;
    private long peersUnaskedBytesLeft = MOST_EAGER_BYTES;
    private int openedBytes;
    /** Of the peer's eager bytes, as long as the call runs. */
    private long keptBytes;

    Partner(Call call, Peer peer) {
        this.call = call;
        this.peer = peer;
        this.outgoing = call.fingerprint();
        this.incoming = call.fingerprint();
    }

    int nextSend() {
        return sendCount;
    }

    int nextIntake() {
        return intakeCount;
    }

    /** {@return whether an edge of that size may travel with its announcement; asked once for each edge, in order} */
    boolean isSmall(long lengthBytes) {
        boolean fits = fits(lengthBytes, unaskedBytesLeft);
        unaskedBytesLeft -= fits ? lengthBytes : 0;
        return fits;
    }

    /** {@return the same of the peer's edges, which both ranks reckon alike} */
    private boolean isSmallThere(long lengthBytes) {
        boolean fits = fits(lengthBytes, peersUnaskedBytesLeft);
        peersUnaskedBytesLeft -= fits ? lengthBytes : 0;
        return fits;
    }

    private boolean fits(long lengthBytes, long left) {
        return lengthBytes <= Math.min(left, mostEagerBytes());
    }

    private int mostEagerBytes() {
        boolean isBetterLent = peer.link().sharesMemory() && call.groupSize() > PAIR && !call.needsNoGrants();
        return isBetterLent ? Math.min(MOST_COPIED_BYTES, peer.limits().eagerBytes()) : peer.limits().eagerBytes();
    }

    /** {@return what the last opening costs the peer as long as it does not know the call} */
    int openedBytes() {
        return openedBytes;
    }

    /** {@return a number that tells apart what this rank would send the peer} */
    long outgoing() {
        return outgoing;
    }

    /** {@return the same for what it would take from the peer, equal if both mean the same transfers} */
    long incoming() {
        return incoming;
    }

    void add(SendRun send) {
        if (sendCount == sends.length) {
            sends = Arrays.copyOf(sends, Math.max(1, sendCount * 2));
        }
        sends[sendCount++] = send;
        outgoing = Fingerprint.mix(outgoing, send.lengthBytes());
    }

    void add(Intake intake) {
        if (intakeCount == intakes.length) {
            intakes = Arrays.copyOf(intakes, Math.max(1, intakeCount * 2));
        }
        intakes[intakeCount++] = intake;
        if (!isSmallThere(intake.lengthBytes())) {
            intake.comesByGrant();
        }
        incoming = Fingerprint.mix(incoming, intake.lengthBytes());
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
        return opened
                && isMatched()
                && Arrays.stream(sends, 0, sendCount).allMatch(SendRun::isSpokenFor)
                && Arrays.stream(intakes, 0, intakeCount).allMatch(Intake::isComplete);
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
        Frame.Open opening = OpeningTerms.opening(call, this, ready());
        openedBytes = Openings.keptBytes(opening);
        peer.outbox().write(opening);
        for (int i = 0; i < sendCount; i++) {
            sends[i].sentEagerly();
        }
    }

    private List<Frame.Edge> ready() {
        if (sendCount == 1) {
            Frame.Edge only = sends[0].announcement();
            return only == null ? List.of() : List.of(only);
        }
        List<Frame.Edge> edges = new ArrayList<>(sendCount);
        for (int i = 0; i < sendCount && edges.size() < MOST_OPENING_EDGES; i++) {
            Frame.Edge ready = sends[i].announcement();
            if (ready != null) {
                edges.add(ready);
            }
        }
        return List.copyOf(edges);
    }

    /** The peer did not keep the opening; it is sent again when the peer's own arrives. */
    void dropped() {
        opened = false;
        dropped = true;
        for (int i = 0; i < sendCount; i++) {
            sends[i].forgetAnnouncement();
        }
    }

    /** The peer's opening is here and agrees. */
    void matched(long remote) {
        remoteCall = remote;
    }

    /**
     * Tells the peer what has become ready here, and takes in what its opening said is ready. In that order: what went eagerly is sent now,
     * so that a fold that waited for it can take the peer's bytes where they lie.
     */
    void exchange(List<Frame.Edge> edges) {
        for (int i = 0; i < sendCount; i++) {
            sends[i].advance();
        }
        for (int i = 0; i < edges.size(); i++) {
            announced(edges.get(i));
        }
        for (int i = 0; i < intakeCount; i++) {
            intakes[i].matched();
        }
    }

    void announced(Frame.Edge news) {
        if (news.edge() < 0 || news.edge() >= intakeCount) {
            throw new ProtocolException("an announcement names no edge of its call: edge=" + news.edge() + ", edges=" + intakeCount);
        }
        long bytes = news.eager().byteSize();
        keptBytes += bytes;
        peer.eager().keep(bytes);
        intakes[news.edge()].announced(news);
    }

    /** The call has ended: what it kept of the peer's bytes is not needed any more. */
    void letGo() {
        peer.eager().letGo(keptBytes);
        keptBytes = 0;
    }

    void forEachIntake(Consumer<Intake> action) {
        for (int i = 0; i < intakeCount; i++) {
            action.accept(intakes[i]);
        }
    }

    void granted(Frame.Grant grant) {
        // The peer may agree with a call that is in dispute here because of another rank: its opening is not looked at any more.
        if (!opened || (call.isRunning() && !isMatched())) {
            throw new ProtocolException("a grant of a call that is not open on both sides: edge=" + grant.edge());
        }
        if (grant.edge() < 0 || grant.edge() >= sendCount) {
            throw new ProtocolException("a grant names no edge of its call: edge=" + grant.edge() + ", edges=" + sendCount);
        }
        sends[grant.edge()].granted(grant);
    }
}
