package io.reactivecomm.shm;

import io.reactivecomm.CommException;
import io.reactivecomm.Traffic;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.LinkTraits;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A link through shared memory. Frames go through a ring; of all but small payloads the ring only says where they lie.
 * {@link OutgoingUnits} and {@link OutgoingPayloads} are its sending half, {@link IncomingUnits} and {@link ReceivedUnits} the other.
 *
 * <p>Behind it is the link that was there before: it tells of the peer's end, and knocks where the peer sleeps.
 *
 * <p><b>Threads.</b> The loop.
 */
final class ShmLink implements Link {

    /** What waits for room in the ring beyond this is not added to. */
    private static final int HIGH_BYTES = 256 << 10;

    /** Of a peer that copies: a piece that is being read, and the next. More of them leave the caches before they are read. */
    private static final LinkTraits TRAITS = new LinkTraits(512 << 10, 0, true);

    /** How long a good end may take; contract 5 gives close one second. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum State {
        OPEN,
        CLOSING,
        DOWN
    }

    private final HostPeer peer;
    private final Loop loop;
    private final SharedFileLayout layout;
    private final OutgoingUnits outgoing;
    private final OutgoingPayloads payloads;
    private final IncomingUnits incoming;
    private final ReceivedUnits arrivals;
    private final PeerMemory theirs;
    private State state = State.OPEN;
    private @Nullable LinkEvents events;
    private boolean unwritable;
    private boolean controlClosed;
    private long lastNap;

    /** @param rank this rank, which owns {@code memory} */
    ShmLink(int rank, SharedFileLayout layout, MemorySegment memory, CopyPool copies, HostPeer peer, Loop loop) {
        this.peer = peer;
        this.loop = loop;
        this.layout = layout;
        long ownControl = layout.controlBlock(peer.rank());
        long peerControl = layout.controlBlock(rank);
        this.outgoing = new OutgoingUnits(new OneToOneRingWriter(
                memory,
                memory.asSlice(layout.ring(peer.rank()), layout.ringBytes()),
                ownControl + SharedFileLayout.TAIL_OFFSET,
                peer.memory(),
                peerControl + SharedFileLayout.HEAD_OFFSET));
        this.payloads =
                new OutgoingPayloads(copies, outgoing, new Leases(memory, ownControl + SharedFileLayout.LEASES_OFFSET));
        this.theirs = new PeerMemory(peer, peerControl + SharedFileLayout.LEASES_OFFSET, outgoing::returned);
        this.arrivals = new ReceivedUnits(this, theirs, payloads);
        this.incoming = new IncomingUnits(
                new OneToOneRingReader(
                        peer.memory(),
                        peer.memory().asSlice(layout.ring(rank), layout.ringBytes()),
                        peerControl + SharedFileLayout.TAIL_OFFSET,
                        memory,
                        ownControl + SharedFileLayout.HEAD_OFFSET),
                arrivals);
    }

    void start(LinkEvents sink) {
        events = sink;
    }

    /** {@return where the link tells what happens, once it is started} */
    @Nullable LinkEvents events() {
        return events;
    }

    /** {@return whether this side still sends and wants to hear} */
    boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    public int peer() {
        return peer.rank();
    }

    @Override
    public boolean isWritable() {
        return isOpen() && outgoing.pendingBytes() < HIGH_BYTES && payloads.hasRoom();
    }

    @Override
    public LinkTraits traits() {
        return TRAITS;
    }

    @Override
    public boolean lends() {
        return arrivals.areLent();
    }

    @Override
    public boolean copiesEagerBytes() {
        return true;
    }

    @Override
    public void write(Frame frame) {
        if (state != State.OPEN) {
            return;
        }
        if (frame instanceof Frame.Data data) {
            payloads.write(data);
        } else {
            outgoing.frame(frame);
        }
        // Frames with eager bytes fill the link, too: then a payload is not even tried.
        unwritable |= !isWritable();
    }

    @Override
    public void flush() {
        if (state != State.DOWN && outgoing.push()) {
            // The tail before the look whether the peer sleeps; the peer says that it sleeps before its last look at
            // the tail.
            SharedWords.everywhere();
            knock();
        }
    }

    private void knock() {
        long nap = SharedWords.read(peer.memory(), SharedFileLayout.NAPS_OFFSET);
        if ((nap & 1) != 0 && nap != lastNap) {
            lastNap = nap;
            peer.control().write(new Frame.Knock());
            peer.control().flush();
        }
    }

    @Override
    public void withdraw(Frame.Data frame) {
        payloads.takeBack(frame);
    }

    @Override
    public void drain(long grant) {
        incoming.drain(grant);
    }

    @Override
    public Traffic traffic() {
        return outgoing.traffic();
    }

    @Override
    public void close() {
        if (state != State.OPEN) {
            return;
        }
        state = State.CLOSING;
        flush();
        closeControlIfFlushed();
        loop.schedule(this::closeControl, CLOSE_NANOS);
    }

    private void closeControlIfFlushed() {
        if (outgoing.pendingBytes() == 0 && !payloads.areBeingRead()) {
            closeControl();
        }
    }

    private void closeControl() {
        if (!controlClosed) {
            controlClosed = true;
            peer.control().close();
        }
    }

    /** {@return whether there is something to deal with, or something that waits for the peer to make room} */
    boolean hasNews() {
        return state != State.DOWN && (incoming.hasNews() || payloads.hasWritten());
    }

    /** {@return whether something waits until the peer has made room in the ring} */
    boolean isPending() {
        return state != State.DOWN && outgoing.pendingBytes() > 0;
    }

    /** Deals with what is there. {@return whether there was anything} */
    boolean poll() {
        if (state == State.DOWN || events == null) {
            return false;
        }
        if (outgoing.pendingBytes() > 0) {
            flush();
        }
        if (state == State.CLOSING) {
            closeControlIfFlushed();
        }
        return receive() | tellWritten();
    }

    private boolean receive() {
        try {
            outgoing.requireSound();
            return incoming.poll();
        } catch (ProtocolException e) {
            goDown("rank " + peer.rank() + " broke the protocol: " + CommException.textOf(e));
            closeControl();
            return true;
        }
    }

    private boolean tellWritten() {
        LinkEvents to = events;
        boolean told = false;
        for (Frame.Data next = payloads.nextWritten();
                next != null && to != null && state != State.DOWN;
                next = payloads.nextWritten()) {
            told = true;
            to.onWritten(this, next);
        }
        if (unwritable && to != null && isWritable()) {
            unwritable = false;
            told = true;
            to.onWritable(this);
        }
        return told;
    }

    /** The link behind has ended: what the peer sent before is still taken. */
    void controlDown(@Nullable String cause) {
        controlClosed = true;
        takeWhatIsThere();
        goDown(state == State.CLOSING || arrivals.hasGoodbye() ? null : cause);
    }

    /** One payload at a time; no more of them than a full ring can tell of, should the peer go on for ever. */
    private void takeWhatIsThere() {
        for (int left = layout.ringBytes() / Unit.ALIGNMENT; left > 0 && poll(); ) {
            left--;
        }
    }

    private void goDown(@Nullable String cause) {
        if (state == State.DOWN) {
            return;
        }
        state = State.DOWN;
        incoming.close();
        payloads.close();
        if (events != null) {
            events.onDown(this, cause);
        }
        theirs.close();
    }

    /** {@return whether the peer's memory is in reach} */
    boolean isMapped() {
        return theirs.isMapped();
    }

    /** Frees what the link still holds; the loop has ended, so nobody reads. */
    void free() {
        events = null;
        goDown(null);
        theirs.unmap();
    }
}
