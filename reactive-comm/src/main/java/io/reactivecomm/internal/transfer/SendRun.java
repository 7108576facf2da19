package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameCodec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sends one edge: announces what is ready unless it has been asked for, and hands over what is granted, when it is ready. An edge of few
 * bytes goes along with its announcement, if the peer has room for what it did not ask for.
 */
final class SendRun extends Run implements Outbox.Sender {

    private final Edges edges;
    private final int edge;
    private final RowSlice source;
    private final boolean small;
    private @Nullable Object content;
    /** The last announcement took the bytes along. */
    private boolean eager;

    private long announced;
    private boolean announcedAny;
    private long granted;
    private long handedOver;
    /** Grants whose elements have left before earlier ones; none as long as there were no such. */
    private @Nullable PriorityQueue<Frame.Grant> early;
    /** Grants of what is not ready yet; none as long as there were no such. */
    private @Nullable ArrayDeque<Frame.Grant> unready;

    /** @param twin a run of the same call that sends the same elements at the same time to another peer, or null */
    SendRun(Transfer transfer, Edges edges, int edge, RowSlice source, @Nullable SendRun twin) {
        super(transfer, source.count());
        this.edges = edges;
        this.edge = edge;
        this.source = source;
        this.small = edges.isSmall(source.lengthBytes());
        this.content = twin == null ? null : twin.shared();
    }

    long lengthBytes() {
        return source.lengthBytes();
    }

    /** A token and no more: links may keep it for longer than the call lasts. */
    private Object shared() {
        if (content == null) {
            content = new Object();
        }
        return content;
    }

    @Override
    public Object call() {
        return transfer;
    }

    @Override
    public int priority() {
        return transfer.priority();
    }

    @Override
    public @Nullable Object content() {
        return content;
    }

    @Override
    void advance() {
        if (edges.areOpen()) {
            answerUnready();
            if (hasNews()) {
                edges.path().outbox().write(new Frame.Announce(edges.remoteCall(), announcement()));
                transfer.wrote(edges.path(), FrameCodec.ANNOUNCE_HEADER_BYTES);
            }
            sentEagerly();
        }
    }

    /** {@return whether there is what the peer neither knows nor has asked for and may} */
    boolean hasNews() {
        long ready = limit();
        return ready != BLOCKED
                && !(small && ready < count)
                && !(announcedAny && ready == announced)
                && (small || ready > granted);
    }

    /** {@return the news, which there is} Whoever takes it writes it, then calls {@link #sentEagerly()}. */
    Frame.Edge announcement() {
        announced = limit();
        announcedAny = true;
        boolean goesNow = small && hasRoom();
        MemorySegment bytes = goesNow ? eagerBytes() : MemorySegment.NULL;
        eager = goesNow && bytes.byteSize() == source.lengthBytes();
        if (eager) {
            // A step of a barrier goes eagerly, too, and is no payload.
            if (source.lengthBytes() > 0) {
                transfer.moved(source.lengthBytes());
            }
            edges.path().eager().sent(source.lengthBytes());
        }
        return new Frame.Edge(edge, announced, bytes);
    }

    private boolean hasRoom() {
        return transfer.needsNoGrants() || edges.path().eager().hasRoom(source.lengthBytes());
    }

    /** {@return what travels with the announcement: nothing if the call's memory is gone} */
    private MemorySegment eagerBytes() {
        try {
            MemorySegment whole = edges.path().link().copiesEagerBytes() ? source.whole() : null;
            if (whole != null) {
                MemoryFaults.requireAlive(whole);
                return whole;
            }
            MemorySegment copy = MemorySegment.ofArray(new byte[(int) source.lengthBytes()]);
            source.pack(0, count, copy);
            return copy;
        } catch (RuntimeException | InternalError e) {
            transfer.faulted(e);
            return MemorySegment.NULL;
        }
    }

    /**
     * Counts an eager edge as sent: its bytes are in a frame that the peer keeps, so they are not needed any more. Until the peer has opened
     * it may drop this rank's opening; what the edge carries must then still be there, and a step that waits for this one could overwrite it.
     */
    void sentEagerly() {
        if (eager && announcedAny && !isDone() && edges.isMatched()) {
            progressTo(count);
        }
    }

    /** Forgets that the peer was told of anything: it did not keep the call. */
    void forgetAnnouncement() {
        announced = 0;
        announcedAny = false;
        eager = false;
    }

    void granted(Frame.Grant grant) {
        boolean isInside = grant.from() >= 0 && grant.count() > 0 && grant.from() <= count - grant.count();
        // A peer has no reason to ask twice for an element, nor for more at once than all ranks have agreed on.
        boolean isUnannounced = small && !announcedAny;
        boolean isTooLong = grant.count() > source.elementsIn(transfer.limits().bulkBytes());
        if (eager || isUnannounced || !isInside || isTooLong || granted + grant.count() > count) {
            throw new ProtocolException("a grant does not fit its edge: from=" + grant.from() + ", count="
                    + grant.count() + ", elements=" + count);
        }
        granted += grant.count();
        if (isReady(grant) && !hasUnready()) {
            answer(grant);
        } else {
            keep(grant);
        }
    }

    private boolean hasUnready() {
        return unready != null && !unready.isEmpty();
    }

    private boolean isReady(Frame.Grant grant) {
        return grant.from() + grant.count() <= limit();
    }

    private void keep(Frame.Grant grant) {
        unready = unready == null ? new ArrayDeque<>(PathTuning.USUALLY_AHEAD) : unready;
        if (unready.size() == PathTuning.MOST_AHEAD) {
            throw new ProtocolException(
                    "too many grants of what is not ready: from=" + grant.from() + ", limit=" + PathTuning.MOST_AHEAD);
        }
        unready.add(grant);
    }

    private void answerUnready() {
        while (unready != null && !unready.isEmpty() && isReady(unready.element())) {
            answer(unready.remove());
        }
    }

    /** Answers what the peer has asked for and what will not be ready any more; a peer that is gone waits for no answer. */
    @Override
    void abandon() {
        while (unready != null && !unready.isEmpty()) {
            Frame.Grant given = unready.remove();
            if (edges.path().isOpen()) {
                edges.path().outbox().write(new Frame.Withdrawn(given.grant()));
            }
        }
    }

    private void answer(Frame.Grant grant) {
        if (source.together(grant.from(), grant.count()) == grant.count()) {
            MemorySegment piece = source.slice(grant.from(), grant.count());
            edges.path().outbox().send(this, grant, piece, null);
        } else {
            sendPacked(grant);
        }
    }

    private void sendPacked(Frame.Grant grant) {
        long bytes = (long) grant.count() * source.elementBytes();
        Scratch.Block block = transfer.scratch().take(bytes);
        if (block == null) {
            edges.path().outbox().write(new Frame.Withdrawn(grant.grant()));
            transfer.lacksMemory(bytes);
            return;
        }
        MemorySegment piece = block.memory().asSlice(0, bytes);
        try {
            source.pack(grant.from(), grant.count(), piece);
        } catch (RuntimeException | InternalError e) {
            block.giveBack();
            edges.path().outbox().write(new Frame.Withdrawn(grant.grant()));
            transfer.faulted(e);
            return;
        }
        edges.path().outbox().send(this, grant, piece, block);
    }

    /**
     * {@return whether the peer has asked for every element}
     * A peer that is done with the call then has them all, though this rank's link may not have said so yet.
     */
    boolean isSpokenFor() {
        return isDone() || (count > 0 && granted == count && !hasUnready());
    }

    @Override
    public void written(Frame.Grant grant) {
        transfer.wrote(edges.path(), FrameCodec.DATA_HEADER_BYTES);
        transfer.moved((long) grant.count() * source.elementBytes());
        if (grant.from() != handedOver) {
            early = early == null ? new PriorityQueue<>(Comparator.comparingLong(Frame.Grant::from)) : early;
            early.add(grant);
            return;
        }
        handedOver += grant.count();
        while (early != null && !early.isEmpty() && early.element().from() == handedOver) {
            handedOver += early.remove().count();
        }
        progressTo(handedOver);
    }

    @Override
    public void faulted(Throwable fault) {
        transfer.faulted(fault);
    }
}
