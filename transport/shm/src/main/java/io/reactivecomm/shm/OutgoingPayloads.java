package io.reactivecomm.shm;

import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Payloads on their way to one peer. What lies in this rank's {@link SharedHeap} is lent as it is, other payloads are copied there first,
 * and small ones travel in the ring.
 *
 * <p><b>Threads.</b> The loop.
 */
final class OutgoingPayloads {

    /** Up to this size a payload's two copies cost less than a lease and its return. */
    private static final int RING_BYTES = 4 << 10;

    /** Copies that the peer may have at a time: as many as it may have asked for, and once more what it asked for ahead. */
    private static final int MOST_COPIES = 8;

    /** From here on the peer is asked to give them back at once. */
    private static final int MANY_COPIES = 6;

    private final CopyPool copies;
    private final OutgoingUnits units;
    private final Leases leases;
    /** What has left the sender's memory, or is in it alone again, and nobody was told of. */
    private final ArrayDeque<Frame.Data> written = new ArrayDeque<>();

    private int copiesOut;
    private boolean isFull;

    /** @param copies for all peers */
    OutgoingPayloads(CopyPool copies, OutgoingUnits units, Leases leases) {
        this.copies = copies;
        this.units = units;
        this.leases = leases;
    }

    /** {@return whether another can be written; it need not be copied where there is no shared memory for that} */
    boolean hasRoom() {
        return leases.left() > 0 && (isFull || copiesOut < MOST_COPIES);
    }

    void write(Frame.Data data) {
        MemorySegment payload = data.payload();
        SharedHeap heap = copies.heap();
        boolean isSmall = payload.byteSize() <= RING_BYTES;
        if (!isSmall && leases.left() > 0 && heap.has(payload)) {
            units.lent(
                    data, heap.offset(payload), leases.lend(data, null), leases.left() < SharedFileLayout.LEASES / 2);
            return;
        }
        CopyPool.Copy copy = isSmall || leases.left() == 0 ? null : copy(data);
        if (copy == null) {
            units.payload(data);
        } else {
            units.lent(data, copies.offset(copy), leases.lend(null, copy), copiesOut > MANY_COPIES);
        }
        written.add(data);
    }

    private CopyPool.@Nullable Copy copy(Frame.Data data) {
        if (copiesOut == MOST_COPIES) {
            return null;
        }
        CopyPool.Copy copy = copies.of(data);
        isFull = copy == null;
        copiesOut += isFull ? 0 : 1;
        return copy;
    }

    /** From here on the peer knows that it must not read that one. */
    void takeBack(Frame.Data data) {
        leases.takeBack(data);
    }

    /** The peer has read what that lease is about. */
    void returned(int place) {
        Leases.Lease lease = leases.returned(place);
        CopyPool.Copy copy = lease.copy();
        Frame.Data data = lease.frame();
        if (copy != null) {
            copiesOut--;
            copies.returned(copy);
        }
        if (data != null) {
            written.add(data);
        }
    }

    /** {@return whether the peer may be reading tensors} */
    boolean areBeingRead() {
        return leases.hasTensors();
    }

    /** {@return whether there is anything to tell of} */
    boolean hasWritten() {
        return !written.isEmpty();
    }

    /** {@return the next to tell of, or null} */
    Frame.@Nullable Data nextWritten() {
        return written.poll();
    }

    /** Takes back all tensors; copies the peer may still read. */
    void close() {
        leases.end(copies);
        written.clear();
    }
}
