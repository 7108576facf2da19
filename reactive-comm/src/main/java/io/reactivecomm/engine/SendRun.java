package io.reactivecomm.engine;

import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Sends one edge: announces what is ready unless it has been asked for, and hands over what is granted, when it is ready. An edge of few
 * bytes goes along with its announcement, if the peer has room for what it did not ask for.
 */
final class SendRun extends Run {

    private final Partner partner;
    private final int edge;
    private final Stretch source;
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
    SendRun(Call call, Partner partner, int edge, Stretch source, @Nullable SendRun twin) {
        super(call, source.count());
        this.partner = partner;
        this.edge = edge;
        this.source = source;
        this.small = partner.isSmall(source.lengthBytes());
        this.content = twin == null ? null : twin.shared();
    }

    Partner partner() {
        return partner;
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

    /** {@return what is the same for all runs that send the same bytes, or null if there is only this one} */
    @Nullable Object content() {
        return content;
    }

    @Override
    void advance() {
        if (partner.isMatched() && partner.hasOpened()) {
            answerUnready();
            Frame.Edge news = announcement();
            if (news != null) {
                partner.peer.outbox().write(new Frame.Announce(partner.remoteCall(), news));
            }
            sentEagerly();
        }
    }

    /**
     * {@return what the peer neither knows nor has asked for and may, or null if there is nothing new}
     * Whoever takes it writes it, then calls {@link #sentEagerly()}.
     */
    Frame.@Nullable Edge announcement() {
        long ready = limit();
        if (ready == BLOCKED || (small && ready < count) || (announcedAny && ready == announced) || (!small && ready <= granted)) {
            return null;
        }
        announced = ready;
        announcedAny = true;
        eager = small && hasRoom();
        return eager ? new Frame.Edge(edge, ready, eagerBytes()) : Frame.Edge.toBeGranted(edge, ready);
    }

    private boolean hasRoom() {
        EagerWindow window = partner.peer.eager();
        boolean hasRoom = call.needsNoGrants() || window.hasRoom(source.lengthBytes());
        if (hasRoom) {
            window.sent(source.lengthBytes());
        }
        return hasRoom;
    }

    private MemorySegment eagerBytes() {
        MemorySegment whole = partner.peer.link().copiesEagerBytes() ? source.whole() : null;
        if (whole != null) {
            return whole;
        }
        MemorySegment copy = MemorySegment.ofArray(new byte[(int) source.lengthBytes()]);
        source.pack(0, count, copy);
        return copy;
    }

    /**
     * Counts an eager edge as sent: its bytes are in a frame that the peer keeps, so they are not needed any more. Until the peer has opened
     * it may drop this rank's opening; what the edge carries must then still be there, and a step that waits for this one could overwrite it.
     */
    void sentEagerly() {
        if (eager && announcedAny && !isDone() && partner.isMatched()) {
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
        boolean isTooLong = grant.count() > source.elementsIn(partner.peer.limits().bulkBytes());
        if (eager || isUnannounced || !isInside || isTooLong || granted + grant.count() > count) {
            throw new ProtocolException(
                    "a grant does not fit its edge: from=" + grant.from() + ", count=" + grant.count() + ", elements=" + count);
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
        unready = unready == null ? new ArrayDeque<>(Intake.USUALLY_AHEAD) : unready;
        if (unready.size() == Intake.MOST_AHEAD) {
            throw new ProtocolException("too many grants of what is not ready: from=" + grant.from() + ", limit=" + Intake.MOST_AHEAD);
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
            if (partner.peer.isUp()) {
                partner.peer.outbox().write(new Frame.Withdrawn(given.grant()));
            }
        }
    }

    private void answer(Frame.Grant grant) {
        if (source.together(grant.from(), grant.count()) == grant.count()) {
            MemorySegment piece = source.slice(grant.from(), grant.count());
            partner.peer.outbox().send(this, grant, piece, null);
        } else {
            sendPacked(grant);
        }
    }

    private void sendPacked(Frame.Grant grant) {
        long bytes = (long) grant.count() * source.elementBytes();
        Scratch.Block block = call.scratch().take(bytes);
        if (block == null) {
            partner.peer.outbox().write(new Frame.Withdrawn(grant.grant()));
            call.lacksMemory(bytes);
            return;
        }
        MemorySegment piece = block.memory().asSlice(0, bytes);
        source.pack(grant.from(), grant.count(), piece);
        partner.peer.outbox().send(this, grant, piece, block);
    }

    /**
     * {@return whether the peer has asked for every element}
     * A peer that is done with the call then has them all, though this rank's link may not have said so yet.
     */
    boolean isSpokenFor() {
        return isDone() || (count > 0 && granted == count && !hasUnready());
    }

    /** The elements of an answered grant have left the tensor, or the peer has read them there: mostly in the order of the grants. */
    void written(Frame.Grant grant) {
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
        call.check();
    }
}
