package io.reactivecomm.shm;

import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/**
 * The part of a peer's memory that this rank reads. It stays mapped as long as something of it is borrowed, even if the peer has ended.
 *
 * <p><b>Threads.</b> The loop.
 */
final class PeerMemory {

    private final HostPeer peer;
    private final long leasesAt;
    private final IntConsumer returned;
    private int borrowed;
    private boolean closed;

    /**
     * @param leasesAt where the peer says what this rank may read
     * @param returned takes the places of leases that this rank needs no more, until this is closed
     */
    PeerMemory(HostPeer peer, long leasesAt, IntConsumer returned) {
        this.peer = peer;
        this.leasesAt = leasesAt;
        this.returned = returned;
    }

    /**
     * {@return a payload that the peer lends}
     *
     * @param place the lease's
     * @param word what stands there as long as the lease holds
     * @throws ProtocolException if it lies outside of the peer's memory
     */
    RemoteLoan borrow(long offset, int lengthBytes, int place, long word, boolean scarce) {
        boolean isInside =
                offset >= 0 && lengthBytes > 0 && offset <= peer.memory().byteSize() - lengthBytes;
        if (!isInside || place < 0 || place >= SharedFileLayout.LEASES) {
            throw new ProtocolException("a payload outside of memory: offset=" + offset + ", lengthBytes=" + lengthBytes
                    + ", memoryBytes=" + peer.memory().byteSize()
                    + ", lease=" + place + ", leases=" + SharedFileLayout.LEASES);
        }
        borrowed++;
        MemorySegment memory = peer.memory().asSlice(offset, lengthBytes);
        return new RemoteLoan(
                peer.memory(), leasesAt + (long) place * Long.BYTES, word, memory, scarce, () -> giveBack(place));
    }

    private void giveBack(int place) {
        borrowed--;
        if (closed) {
            unmapIfUnused();
        } else {
            returned.accept(place);
        }
    }

    /** The link is down: nothing more is borrowed. */
    void close() {
        closed = true;
        unmapIfUnused();
    }

    private void unmapIfUnused() {
        if (borrowed == 0) {
            unmap();
        }
    }

    /** Lets go of it whatever is borrowed: nobody reads any more. Idempotent. */
    void unmap() {
        if (isMapped()) {
            peer.arena().close();
        }
    }

    boolean isMapped() {
        return peer.arena().scope().isAlive();
    }
}
