package io.reactivecomm.internal.transfer;

import io.reactivecomm.collective.Fingerprint;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * The edges of one call between this rank and one other, in both directions.
 *
 * <p>Whoever makes calls extends this by how the two ranks come to agree. Owned by the loop.
 */
public abstract class Edges {

    /** Eager bytes of one call to one peer: so many fit into an opening, and more are better off with a grant. */
    private static final int MOST_EAGER_BYTES = 64 << 10;

    private static final int PAIR = 2;

    /** Edges that an opening announces; the rest is announced when both have opened. */
    private static final int MOST_OPENING_EDGES = 4096;

    private static final SendRun[] NO_SENDS = new SendRun[0];
    private static final Intake[] NO_INTAKES = new Intake[0];

    private final Transfer transfer;
    private final Path path;
    private SendRun[] sends = NO_SENDS;
    private int sendCount;
    private Intake[] intakes = NO_INTAKES;
    private int intakeCount;
    private long outgoing;
    private long incoming;
    private boolean opened;
    private long remoteCall = Frame.Open.UNKNOWN;
    private int unaskedBytesLeft = MOST_EAGER_BYTES;
    private int peersUnaskedBytesLeft = MOST_EAGER_BYTES;
    /** Of the peer's eager bytes, as long as the call runs. */
    private long keptBytes;

    protected Edges(Transfer transfer, Path path) {
        this.transfer = transfer;
        this.path = path;
        this.outgoing = transfer.fingerprint();
        this.incoming = transfer.fingerprint();
    }

    final Path path() {
        return path;
    }

    final int nextSend() {
        return sendCount;
    }

    final int nextIntake() {
        return intakeCount;
    }

    /** {@return whether an edge of that size may travel with its announcement; asked once for each edge, in order} */
    final boolean isSmall(long lengthBytes) {
        boolean fits = fits(lengthBytes, unaskedBytesLeft);
        unaskedBytesLeft -= fits ? (int) lengthBytes : 0;
        return fits;
    }

    /** {@return the same of the peer's edges, which both ranks calculate alike} */
    private boolean isSmallThere(long lengthBytes) {
        boolean fits = fits(lengthBytes, peersUnaskedBytesLeft);
        peersUnaskedBytesLeft -= fits ? (int) lengthBytes : 0;
        return fits;
    }

    private boolean fits(long lengthBytes, int left) {
        return lengthBytes <= Math.min(left, mostEagerBytes());
    }

    private int mostEagerBytes() {
        boolean waitsForOthers = transfer.groupSize() > PAIR && !transfer.needsNoGrants();
        return waitsForOthers ? path.tuning().copiedBytes() : path.tuning().eagerBytes();
    }

    /** {@return a number that tells apart what this rank would send the peer} */
    public final long outgoing() {
        return outgoing;
    }

    /** {@return the same for what it would take from the peer, equal if both mean the same transfers} */
    public final long incoming() {
        return incoming;
    }

    /** @param pairing what both ranks agree on besides its length, or 0 */
    final void add(SendRun send, long pairing) {
        if (sendCount == sends.length) {
            sends = Arrays.copyOf(sends, Math.max(1, sendCount * 2));
        }
        sends[sendCount++] = send;
        outgoing = Fingerprint.mix(outgoing, send.lengthBytes() ^ pairing);
    }

    /** @param pairing what both ranks agree on besides its length, or 0 */
    final void add(Intake intake, long pairing) {
        if (intakeCount == intakes.length) {
            intakes = Arrays.copyOf(intakes, Math.max(1, intakeCount * 2));
        }
        intakes[intakeCount++] = intake;
        if (!isSmallThere(intake.lengthBytes())) {
            intake.comesByGrant();
        }
        incoming = Fingerprint.mix(incoming, intake.lengthBytes() ^ pairing);
    }

    /** {@return whether the peer was sent this rank's opening and has not dropped it} */
    public final boolean hasOpened() {
        return opened;
    }

    /** {@return whether the peer's opening is here} */
    public final boolean isMatched() {
        return remoteCall != Frame.Open.UNKNOWN;
    }

    /** {@return whether both have opened: from then on either may tell the other what is ready, and ask for it} */
    public final boolean areOpen() {
        return opened && isMatched();
    }

    /** {@return whether the peer, if it is done with the call, leaves nothing to be wished for} */
    public final boolean isFinished() {
        return areOpen()
                && Arrays.stream(sends, 0, sendCount).allMatch(SendRun::isSpokenFor)
                && Arrays.stream(intakes, 0, intakeCount).allMatch(Intake::isComplete);
    }

    /** {@return the peer's number for the call} */
    public final long remoteCall() {
        return remoteCall;
    }

    /** {@return what this rank's opening is to announce: all that is ready} {@link #opened} follows when it is written. */
    protected final List<Frame.Edge> opening() {
        if (sendCount == 1) {
            return sends[0].hasNews() ? List.of(sends[0].announcement()) : List.of();
        }
        List<Frame.Edge> edges = new ArrayList<>(sendCount);
        for (int i = 0; i < sendCount && edges.size() < MOST_OPENING_EDGES; i++) {
            if (sends[i].hasNews()) {
                edges.add(sends[i].announcement());
            }
        }
        return List.copyOf(edges);
    }

    /** This rank's opening is on its way. */
    protected final void opened(Frame.Open opening) {
        opened = true;
        if (transfer.observation() != null) {
            transfer.wrote(path, FrameCodec.headerBytes(opening));
        }
        for (int i = 0; i < sendCount; i++) {
            sends[i].sentEagerly();
        }
    }

    /** The peer did not keep the opening. */
    protected void dropped() {
        opened = false;
        for (int i = 0; i < sendCount; i++) {
            sends[i].forgetAnnouncement();
        }
    }

    /** The peer's opening is here and agrees. */
    public final void matched(long remote) {
        remoteCall = remote;
    }

    /**
     * Tells the peer what has become ready here, and takes in what its opening said is ready. In that order: what went eagerly is sent now,
     * so that a fold that waited for it can take the peer's bytes where they lie.
     */
    public final void exchange(List<Frame.Edge> edges) {
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

    /** More of an edge is ready at the peer. */
    public final void announced(Frame.Edge news) {
        if (news.edge() < 0 || news.edge() >= intakeCount) {
            throw new ProtocolException(
                    "an announcement names no edge of its call: edge=" + news.edge() + ", edges=" + intakeCount);
        }
        long bytes = news.eager().byteSize();
        keptBytes += bytes;
        path.eager().keep(bytes);
        if (bytes > 0) {
            transfer.moved(0);
        }
        intakes[news.edge()].announced(news);
    }

    /** The peer asks for a piece. */
    public final void granted(Frame.Grant grant) {
        // The peer may agree with a call that is in dispute here because of another rank: its opening is not looked at
        // any more.
        if (!opened || (transfer.isRunning() && !isMatched())) {
            throw new ProtocolException("a grant of a call that is not open on both sides: edge=" + grant.edge());
        }
        if (grant.edge() < 0 || grant.edge() >= sendCount) {
            throw new ProtocolException(
                    "a grant names no edge of its call: edge=" + grant.edge() + ", edges=" + sendCount);
        }
        sends[grant.edge()].granted(grant);
    }

    final void forEachIntake(Consumer<Intake> action) {
        for (int i = 0; i < intakeCount; i++) {
            action.accept(intakes[i]);
        }
    }

    /** The call has failed: takes back what the link has of it, and stops what writes into its memory. */
    public final void abandon() {
        path.outbox().withdraw(transfer);
        path.inbox().abandon(transfer, this);
    }

    /** The call has ended: what it kept of the peer's bytes is not needed any more. */
    public final void letGo() {
        path.eager().letGo(keptBytes);
        keptBytes = 0;
    }
}
