package io.reactivecomm.shm;

import io.reactivecomm.spi.Frame;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Payloads on their way to one peer. What lies in this rank's {@link SharedHeap} is lent as it is, other payloads are copied there first, and
 * small ones travel in the ring.
 *
 * <p><b>Threads.</b> The loop.
 */
final class OutgoingPayloads {

    /** Up to this size a payload's two copies cost less than a lease and its return. */
    private static final int RING_BYTES = 4 << 10;

    private final SharedHeap heap;
    private final OutgoingUnits units;
    private final Leases leases;
    private final Copies copies;
    /** What has left the sender's memory, or is in it alone again, and nobody was told of. */
    private final ArrayDeque<Frame.Data> written = new ArrayDeque<>();

    OutgoingPayloads(SharedHeap heap, OutgoingUnits units, Leases leases) {
        this.heap = heap;
        this.units = units;
        this.leases = leases;
        this.copies = new Copies(heap);
    }

    /** {@return whether another can be written} */
    boolean hasRoom() {
        return leases.left() > 0 && copies.hasRoom();
    }

    void write(Frame.Data data) {
        MemorySegment payload = data.payload();
        boolean isSmall = payload.byteSize() <= RING_BYTES;
        if (!isSmall && leases.left() > 0 && heap.has(payload)) {
            units.lent(data, heap.offset(payload), leases.lend(data, null), leases.left() < Layout.LEASES / 2);
            return;
        }
        MemorySegment copy = isSmall || leases.left() == 0 ? null : copies.of(payload);
        if (copy == null) {
            units.payload(data);
        } else {
            units.lent(data, heap.offset(copy), leases.lend(null, copy), copies.areFew());
        }
        written.add(data);
    }

    /** From here on the peer knows that it must not read that one. */
    void takeBack(Frame.Data data) {
        leases.takeBack(data);
    }

    /** The peer has read what that lease is about. */
    void returned(int place) {
        Leases.Lease lease = leases.returned(place);
        MemorySegment copy = lease.copy();
        Frame.Data data = lease.frame();
        if (copy != null) {
            copies.free(copy);
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
        copies.close();
        leases.end();
        written.clear();
    }
}
