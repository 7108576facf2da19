package io.reactivecomm.spi.link;

import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The unit on a link.
 *
 * <h2>How a call crosses a link</h2>
 *
 * A rank that begins a call sends every partner of its schedule an {@link Open}. That has the call's identity, its signature, and what it
 * has ready to send, with the bytes themselves where they are few (<em>eager</em>). Both sides do this for every pair, so both see a
 * disagreement, even where there is no payload. Once both have opened, each addresses the other's call by its number:
 *
 * <pre>
 *   sender                                      receiver
 *     | -- Open(key, signature, ready edges) ---&gt; |
 *     | &lt;-- Open(key, signature, …) ------------- |
 *     | -- Announce(edge, elements ready) ------&gt; |   more became ready
 *     | &lt;-- Grant(edge, from, count, grant) ----- |   the destination is reserved
 *     | -- Data(grant, bytes) ------------------&gt; |   straight into the destination
 *     |    or Withdrawn(grant)                    |
 * </pre>
 *
 * <p>A {@code Grant} may come before the {@code Announce}, which is then left out; its answer waits until the elements are ready.
 *
 * <p>An <em>edge</em> is the n-th transfer from one rank to another in a call. <b>Every grant is answered once</b>, by {@code Data} or by
 * {@code Withdrawn}; so a receiver's count of bytes under way is exact whatever fails. An {@code Open} may be refused with
 * {@link Dropped} when the receiver does not know the call and keeps enough such already. The sender repeats it when it sees the
 * receiver's own {@code Open}. So unmatched calls cost bounded memory and block nobody.
 */
public sealed interface Frame {

    /** {@return this with eager bytes that stay, whatever becomes of the link's buffer} */
    default Frame kept() {
        return this;
    }

    /**
     * A transfer that is ready, in whole or in part, when its call opens.
     *
     * @param edge which transfer from the sender to the receiver, from 0
     * @param ready elements ready, from the edge's first
     * @param eager the bytes of the whole edge, or an empty segment if they are to be granted. In the heap they are the frame's own and
     *     nobody
     *     writes them again. Outside it they are the link's or the sender's, and whoever keeps the frame takes it as {@link #kept()}
     */
    record Edge(int edge, long ready, MemorySegment eager) {

        /** {@return one whose bytes are to be granted} */
        public static Edge toBeGranted(int edge, long ready) {
            return new Edge(edge, ready, MemorySegment.NULL);
        }

        /** {@return whether the bytes of the whole edge are here} */
        public boolean isEager() {
            return eager.byteSize() > 0;
        }

        /** {@return this with bytes that stay, whatever becomes of the link's buffer} */
        public Edge kept() {
            return new Edge(edge, ready, isEager() ? keptBytes() : eager);
        }

        /** {@return the bytes, copied unless nobody else writes where they are} */
        public MemorySegment keptBytes() {
            return eager.isNative() ? MemorySegment.ofArray(eager.toArray(ValueLayout.JAVA_BYTE)) : eager;
        }
    }

    /**
     * A rank has begun a call.
     *
     * @param call the sender's number for the call, by which the receiver addresses it
     * @param peerCall the receiver's number for the call if the sender has it, otherwise {@link #UNKNOWN}
     * @param outgoing a number that tells apart what the sender would send the receiver: the algorithm, and the length of each edge
     * @param incoming the same for what it would take from the receiver; so both see a disagreement that concerns only the two
     * @param site a hash of the place in the program that assembled the call, or 0
     */
    record Open(
            CallKey key,
            long call,
            long peerCall,
            Signature signature,
            long outgoing,
            long incoming,
            long site,
            List<Edge> edges)
            implements Frame {

        /** The {@link #peerCall()} of a rank that does not know it. */
        public static final long UNKNOWN = 0;

        /** {@return how many bytes came along} */
        public long eagerBytes() {
            long bytes = 0;
            for (int i = 0; i < edges.size(); i++) {
                bytes += edges.get(i).eager().byteSize();
            }
            return bytes;
        }

        @Override
        public Open kept() {
            return new Open(key, call, peerCall, signature, outgoing, incoming, site, keptEdges());
        }

        /** Without a stream: a rank that is a little behind keeps an opening for every call. */
        private List<Edge> keptEdges() {
            if (edges.size() <= 1) {
                return edges.isEmpty() ? edges : List.of(edges.getFirst().kept());
            }
            List<Edge> stay = new ArrayList<>(edges.size());
            for (int i = 0; i < edges.size(); i++) {
                stay.add(edges.get(i).kept());
            }
            return Collections.unmodifiableList(stay);
        }
    }

    /**
     * The receiver does not know the call and does not keep its {@link Open}.
     *
     * @param call the number in the {@code Open}
     */
    record Dropped(long call) implements Frame {}

    /**
     * The sender keeps nothing more of so many bytes that came along with openings and announcements.
     *
     * @param bytes counted from the first on this link
     */
    record Taken(long bytes) implements Frame {}

    /**
     * The receiver has a receive for messages of this group, name and tag. Their sender may be out of credit for them; or it may have ended the
     * composite call or the step in which they are counted, without having sent them all.
     *
     * @param number which message of the sender the receive would take, in a composite call or a step, or where there are other engines; {@link #NONE} if
     *     that is not known, {@link #ANY} if it receives from any
     */
    record Wanted(long group, long step, @Nullable Enclosure enclosure, String name, int tag, long number)
            implements Frame {

        /** The {@link #number()} of a receive that any rank's message may end, or that is in no composite call and no step. */
        public static final long NONE = -1;

        /** The {@link #number()} of a receive from any over links, told to all where there are other engines: no message for it may go by those. */
        public static final long ANY = -2;

        /** Of messages that are in no step. */
        public Wanted(long group, @Nullable Enclosure enclosure, String name, int tag, long number) {
            this(group, CallKey.NO_STEP, enclosure, name, tag, number);
        }

        /** Of messages that are in no composite call either. */
        public Wanted(long group, String name, int tag) {
            this(group, CallKey.NO_STEP, null, name, tag, NONE);
        }
    }

    /**
     * More of an edge is ready.
     *
     * @param call the receiver's number for the call
     */
    record Announce(long call, Edge edge) implements Frame {

        @Override
        public Announce kept() {
            return new Announce(call, edge.kept());
        }
    }

    /**
     * The receiver has reserved the destination of a piece. The sender answers when the piece is ready, which it need not have announced.
     *
     * @param call the number, at the rank this goes to, of the call that sends the piece
     * @param from first element of the piece, in the edge
     * @param count elements of the piece
     * @param grant the number by which {@link Data} or {@link Withdrawn} answers; unique on the link in this direction
     */
    record Grant(long call, int edge, long from, int count, long grant) implements Frame {}

    /**
     * The bytes of a granted piece.
     *
     * @param content tells payloads apart that would be copied: two that have the same one, not null, and lie in the same memory are the
     *     same
     *     bytes. So a link may make one copy for several peers. It does not travel
     */
    record Data(long grant, MemorySegment payload, @Nullable Object content) implements Frame {

        /** Makes one of which no other payload is known to be the same. */
        public Data(long grant, MemorySegment payload) {
            this(grant, payload, null);
        }
    }

    /** The bytes of a granted piece will not come, because the sender's call has ended. */
    record Withdrawn(long grant) implements Frame {}

    /** The call has failed: end it, and fail whoever begins it later. */
    record Abort(CallKey key, Failure failure) implements Frame {}

    /** The group has ended on all ranks. */
    record GroupAbort(long group, Failure failure) implements Frame {}

    /** A rank has been lost to the sender. */
    record Lost(int rank, String cause) implements Frame {}

    /**
     * The sender and another rank do not hear each other any more, and nobody can tell which of them is at fault: groups that hold both
     * end.
     *
     * @param one the sender
     */
    record Cut(int one, int other, String cause) implements Frame {}

    /**
     * A question: what does the receiver know of this call? {@link Status} answers.
     *
     * @param isDispute whether ranks differ about it; otherwise it only has waited for long
     */
    record Query(CallKey key, boolean isDispute) implements Frame {}

    /**
     * The sender's state of a call.
     *
     * @param isDispute whether this answers a question in a dispute: an answer to one before that may be older
     * @param state how far the sender is
     * @param issued what it issued under the key, empty if nothing; of an assembled call its label, or that of the composite call around it
     * @param latest the call it began last in the group, empty if none
     */
    record Status(CallKey key, boolean isDispute, State state, String issued, String latest) implements Frame {

        /** The progress of a rank with a call; the order is the code on the wire. */
        public enum State {
            NOT_ISSUED,
            RUNNING,
            ENDED,
            /** Its program has the call, and has not subscribed to it. */
            ASSEMBLED
        }
    }

    /**
     * The sender has given a call to an engine beside the one over links, where there are several: for the group's first rank, or the sender of a message,
     * which compares.
     */
    record Performs(CallKey key, String engine) implements Frame {}

    /** The sender sees a disagreement about this call: for the group's first rank, which tells all. */
    record Dispute(CallKey key) implements Frame {}

    /** The sender has closed a group for itself; nothing of that group follows. */
    record Leave(long group) implements Frame {}

    /** The sender leaves in good order; nothing follows. */
    record Goodbye() implements Frame {}

    /** There is something to look at where the sender and the receiver meet beside this link, and the receiver was asleep. */
    record Knock() implements Frame {}
}
