package io.reactivecomm.shm;

import io.reactivecomm.Traffic;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Link;
import io.reactivecomm.spi.LinkEvents;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A link through shared memory. Frames go through a ring; of payloads the ring only says where they lie. What lies in this rank's
 * {@link SharedHeap} is lent as it is, other payloads are copied there first, and small ones travel in the ring.
 *
 * <p>Behind it is the link that was there before: it tells of the peer's end, and knocks where the peer sleeps.
 *
 * <p><b>Threads.</b> The loop.
 */
final class ShmLink implements Link {

    /** Up to this size a payload's two copies cost less than a lease and its return. */
    private static final int RING_BYTES = 4 << 10;

    /** What waits for room in the ring beyond this is not added to. */
    private static final int HIGH_BYTES = 256 << 10;

    /** Of a peer that copies: a piece that is being read, and the next. More of them leave the caches before they are read. */
    private static final int WINDOW_BYTES = 512 << 10;

    /** How long a good end may take; contract 5 gives close one second. */
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum State {
        OPEN,
        CLOSING,
        DOWN
    }

    private final Neighbour peer;
    private final Loop loop;
    private final SharedHeap heap;
    private final Layout layout;
    private final OutgoingUnits outgoing;
    private final IncomingUnits incoming;
    private final PeerMemory theirs;
    private final Leases leases;
    private final Copies copies;
    private final ArrayDeque<Frame.Data> written = new ArrayDeque<>();
    private State state = State.OPEN;
    private @Nullable LinkEvents events;
    private boolean goodbyeReceived;
    private boolean unwritable;
    private boolean controlClosed;
    /** The peer's last payload was a tensor's memory, not a copy of it. */
    private boolean peerLends;
    private long lastNap;

    /** @param rank this rank, which owns {@code memory} */
    ShmLink(int rank, Layout layout, MemorySegment memory, SharedHeap heap, Neighbour peer, Loop loop) {
        this.peer = peer;
        this.loop = loop;
        this.heap = heap;
        this.layout = layout;
        long ownDesk = layout.desk(peer.rank());
        long peerDesk = layout.desk(rank);
        this.outgoing = new OutgoingUnits(new OneToOneRingWriter(
                memory,
                memory.asSlice(layout.ring(peer.rank()), layout.ringBytes()),
                ownDesk + Layout.TAIL_OFFSET,
                peer.memory(),
                peerDesk + Layout.HEAD_OFFSET));
        this.incoming = new IncomingUnits(
                new OneToOneRingReader(
                        peer.memory(),
                        peer.memory().asSlice(layout.ring(rank), layout.ringBytes()),
                        peerDesk + Layout.TAIL_OFFSET,
                        memory,
                        ownDesk + Layout.HEAD_OFFSET),
                new Arrivals());
        this.theirs = new PeerMemory(peer, peerDesk + Layout.LEASES_OFFSET, outgoing::returned);
        this.leases = new Leases(memory, ownDesk + Layout.LEASES_OFFSET);
        this.copies = new Copies(heap);
    }

    void start(LinkEvents sink) {
        events = sink;
    }

    @Override
    public int peer() {
        return peer.rank();
    }

    @Override
    public boolean isWritable() {
        return state == State.OPEN && outgoing.pendingBytes() < HIGH_BYTES && leases.left() > 0 && copies.hasRoom();
    }

    @Override
    public boolean lends() {
        return peerLends;
    }

    @Override
    public int windowBytes() {
        return WINDOW_BYTES;
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
            writeData(data);
        } else {
            outgoing.frame(frame);
        }
        // Frames with eager bytes fill the link, too: then a payload is not even tried.
        unwritable |= !isWritable();
    }

    private void writeData(Frame.Data data) {
        MemorySegment payload = data.payload();
        boolean isSmall = payload.byteSize() <= RING_BYTES;
        if (!isSmall && leases.left() > 0 && heap.has(payload)) {
            outgoing.lent(data, heap.offset(payload), leases.lend(data, null), leases.left() < Layout.LEASES / 2);
            return;
        }
        MemorySegment copy = isSmall || leases.left() == 0 ? null : copies.of(payload);
        if (copy == null) {
            outgoing.payload(data);
        } else {
            outgoing.lent(data, heap.offset(copy), leases.lend(null, copy), copies.areFew());
        }
        written.add(data);
    }

    @Override
    public void flush() {
        if (state != State.DOWN && outgoing.push()) {
            // The tail before the look whether the peer sleeps; the peer says that it sleeps before its last look at the tail.
            Words.everywhere();
            knock();
        }
    }

    private void knock() {
        long nap = Words.read(peer.memory(), Layout.NAPS_OFFSET);
        if ((nap & 1) != 0 && nap != lastNap) {
            lastNap = nap;
            peer.control().write(new Frame.Knock());
            peer.control().flush();
        }
    }

    @Override
    public void withdraw(Frame.Data frame) {
        leases.takeBack(frame);
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
        if (outgoing.pendingBytes() == 0 && !leases.hasTensors()) {
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
        return state != State.DOWN && (incoming.hasNews() || !written.isEmpty());
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
            goDown("rank " + peer.rank() + " broke the protocol: " + e.getMessage());
            closeControl();
            return true;
        }
    }

    private boolean tellWritten() {
        LinkEvents to = events;
        boolean told = false;
        for (Frame.Data next = written.poll(); next != null && to != null && state != State.DOWN; next = written.poll()) {
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
        goDown(state == State.CLOSING || goodbyeReceived ? null : cause);
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
        copies.close();
        leases.end();
        written.clear();
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

    /** What the peer sends, on to the engine; once this side has closed, nobody wants it. */
    private final class Arrivals implements IncomingUnits.Sink {

        private LinkEvents to() {
            LinkEvents sink = events;
            if (sink == null) {
                throw new IllegalStateException("a link that was not started delivers: peer=" + peer.rank());
            }
            return sink;
        }

        @Override
        public void frame(Frame frame) {
            goodbyeReceived |= frame instanceof Frame.Goodbye;
            if (state == State.OPEN) {
                to().onFrame(ShmLink.this, frame);
            }
        }

        @Override
        public @Nullable MemorySegment payloadStart(long grant, int lengthBytes) {
            return state == State.OPEN ? to().onDataStart(ShmLink.this, grant, lengthBytes) : null;
        }

        @Override
        public void payloadEnd(long grant) {
            if (state == State.OPEN) {
                to().onDataEnd(ShmLink.this, grant);
            }
        }

        @Override
        public void lent(long grant, long offset, int lengthBytes, int place, long word, boolean scarce, boolean copied) {
            peerLends = !copied;
            RemoteLoan loan = theirs.borrow(offset, lengthBytes, place, word, scarce);
            if (state != State.OPEN) {
                loan.giveBack();
            } else if (loan.begin()) {
                to().onDataLent(ShmLink.this, grant, loan);
            } else {
                loan.giveBack();
                to().onFrame(ShmLink.this, new Frame.Withdrawn(grant));
            }
        }

        @Override
        public void returned(int place) {
            Leases.Lease lease = leases.returned(place);
            MemorySegment copy = lease.copy();
            Frame.Data frame = lease.frame();
            if (copy != null) {
                copies.free(copy);
            }
            if (frame != null) {
                written.add(frame);
            }
        }
    }
}
