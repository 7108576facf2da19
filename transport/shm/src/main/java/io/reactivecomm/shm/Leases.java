package io.reactivecomm.shm;

import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The parts of this rank's memory that one peer may read: a word in shared memory for each payload, which says until when.
 *
 * <p>A word is a number that was never there before as long as the payload is lent, and 0 after it was taken back. The reader compares
 * before and after it reads. If the number is the same both times, the owner had not taken the memory back in between, so it has not
 * written there.
 *
 * <p><b>Threads.</b> The loop.
 */
final class Leases {

    private static final long TAKEN_BACK = 0;

    private final MemorySegment own;
    private final long at;
    private final @Nullable Lease[] out = new Lease[SharedFileLayout.LEASES];
    private final int[] free = new int[SharedFileLayout.LEASES];
    private int freeCount = SharedFileLayout.LEASES;
    private long lastWord;
    /** Payloads in tensors that are lent and not taken back. */
    private int lentTensors;

    /** @param at where the words are in this rank's memory */
    Leases(MemorySegment own, long at) {
        this.own = own;
        this.at = at;
        for (int i = 0; i < free.length; i++) {
            free[i] = free.length - 1 - i;
        }
    }

    /**
     * A payload that is lent.
     *
     * @param frame the tensor's memory is the payload, or null if that was copied to where the peer reads it
     * @param copy where it was copied to, or null
     */
    record Lease(int place, long word, Frame.@Nullable Data frame, CopyPool.@Nullable Copy copy) {}

    /** {@return how many more payloads can be lent} */
    int left() {
        return freeCount;
    }

    Lease lend(Frame.@Nullable Data frame, CopyPool.@Nullable Copy copy) {
        int place = free[--freeCount];
        lentTensors += frame == null ? 0 : 1;
        Lease lease = new Lease(place, ++lastWord, frame, copy);
        out[place] = lease;
        SharedWords.write(own, offset(place), lease.word);
        return lease;
    }

    /** {@return whether the peer may be reading tensors} */
    boolean hasTensors() {
        return lentTensors > 0;
    }

    private long offset(long place) {
        return at + place * Long.BYTES;
    }

    /**
     * The peer has read it.
     *
     * @throws ProtocolException if nothing was lent there
     */
    Lease returned(int place) {
        Lease lease = place < 0 || place >= out.length ? null : out[place];
        if (lease == null) {
            throw new ProtocolException(
                    "a peer gave back what it does not have: lease=" + place + ", leases=" + out.length);
        }
        out[place] = null;
        free[freeCount++] = place;
        lentTensors -= isGood(lease) && lease.frame != null ? 1 : 0;
        return lease;
    }

    private boolean isGood(Lease lease) {
        return SharedWords.read(own, offset(lease.place)) == lease.word;
    }

    /** From here on the peer knows that what it reads there is void. */
    void takeBack(Frame.Data frame) {
        for (Lease lease : out) {
            if (lease != null && lease.frame == frame && isGood(lease)) {
                takeBack(lease);
            }
        }
        SharedWords.everywhere();
    }

    private void takeBack(Lease lease) {
        SharedWords.write(own, offset(lease.place), TAKEN_BACK);
        lentTensors--;
    }

    /** Takes back all tensors; copies the peer may still read. */
    void end(CopyPool copies) {
        for (int i = 0; i < out.length; i++) {
            Lease lease = out[i];
            if (lease != null && lease.frame != null && isGood(lease)) {
                takeBack(lease);
            }
            if (lease != null && lease.copy != null) {
                copies.abandoned(lease.copy);
            }
            out[i] = null;
        }
        SharedWords.everywhere();
    }
}
