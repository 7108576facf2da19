package io.reactivecomm.internal.transfer;

import io.reactivecomm.spi.link.MappedPages;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a fold that is being gathered: each remote operand is in memory that was reserved for it, or is lent by the peer where it lies.
 * Owned by the loop.
 */
final class Stage {

    private static final LentPayload[] NOTHING_LENT = new LentPayload[0];

    private final long from;
    private final int count;
    private final MemorySegment[] memories;
    /** Where the others' operands of the piece are or go to. */
    private final @Nullable MemorySegment[] remote;

    /** By operand, from the first loan on. */
    private @Nullable LentPayload[] lent = NOTHING_LENT;

    private int missing;

    /**
     * @param memories what was reserved, one for each operand that is granted
     * @param remote operands that came whole, with their announcement; from here on the stage's own
     */
    Stage(long from, int count, MemorySegment[] memories, @Nullable MemorySegment[] remote) {
        this.from = from;
        this.count = count;
        this.memories = memories;
        this.remote = remote;
        this.missing = memories.length;
    }

    long from() {
        return from;
    }

    int count() {
        return count;
    }

    /** {@return what was reserved, to be released} */
    MemorySegment[] memories() {
        return memories;
    }

    /** {@return where the remote operands are} */
    @Nullable MemorySegment[] remote() {
        return remote;
    }

    /** {@return where one of the remote operands of the piece goes, or is} */
    MemorySegment remote(int operand) {
        return Objects.requireNonNull(remote[operand]);
    }

    void place(int operand, MemorySegment memory) {
        remote[operand] = memory;
    }

    boolean isComplete() {
        return missing == 0;
    }

    /** An operand is here. */
    void arrived() {
        missing--;
    }

    /** An operand is here, in the peer's memory. */
    void arrived(int operand, LentPayload loan) {
        missing--;
        if (lent.length == 0) {
            lent = new LentPayload[remote.length];
        }
        lent[operand] = loan;
    }

    /** {@return the memory of an operand that is lent} */
    MemorySegment lent(int operand) {
        return Objects.requireNonNull(lent[operand]).loan().memory();
    }

    /** Copies an operand that is lent and gives it back: it may be long until it is folded. {@return whether it was still there to be copied} */
    boolean keepCopy(int operand) {
        LentPayload loan = Objects.requireNonNull(lent[operand]);
        try {
            boolean intact = loan.loan().begin();
            if (intact) {
                MemorySegment source = loan.loan().memory();
                MemorySegment.copy(source, 0, remote(operand), 0, source.byteSize());
                MappedPages.hearOfThem(source, source);
                intact = loan.loan().end();
            }
            return intact;
        } finally {
            // Whatever happens: its owner waits for a reader to end.
            lent[operand] = null;
            loan.giveBack();
        }
    }

    /** {@return whether all that is lent may be read; it is where {@link #remote()} says until {@link #endReading}} */
    boolean beginReading() {
        boolean intact = true;
        for (int i = 0; i < lent.length; i++) {
            LentPayload loan = lent[i];
            if (loan != null) {
                intact &= loan.loan().begin();
                remote[i] = loan.loan().memory();
            }
        }
        return intact;
    }

    /** {@return whether nothing of what was read had been taken back} */
    boolean endReading() {
        boolean intact = true;
        for (LentPayload loan : lent) {
            intact &= loan == null || loan.loan().end();
        }
        return intact;
    }

    /** Gives back all that is lent. */
    void giveBack() {
        for (LentPayload loan : lent) {
            if (loan != null) {
                loan.giveBack();
            }
        }
        lent = NOTHING_LENT;
    }
}
