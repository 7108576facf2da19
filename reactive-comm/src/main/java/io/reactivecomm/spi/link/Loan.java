package io.reactivecomm.spi.link;

import java.lang.foreign.MemorySegment;

/**
 * The payload of a {@link Frame.Data} where it lies: memory of the peer's, which this rank may read until it gives it back.
 *
 * <p>The owner can take its memory back at any time, because its call has ended and the tensor is the program's again. So a reader
 * {@linkplain #begin() begins} and {@linkplain #end() ends}, and what it made of the bytes in between counts only if both say so.
 *
 * <pre>
 *   if (loan.begin()) { … read loan.memory() …; intact = loan.end(); }
 *   loan.giveBack();
 * </pre>
 *
 * <p><b>Threads.</b> The reader's loop.
 */
public interface Loan {

    /** {@return the payload; no byte of it is read but between {@link #begin} and {@link #end}} */
    MemorySegment memory();

    /**
     * {@return whether the owner has few more to lend}
     * Such a loan is given back before anything else of the peer's is waited for; so what is lent never runs out for good.
     */
    boolean isScarce();

    /** {@return whether the memory is still the call's, so that it makes sense to read it} */
    boolean begin();

    /** {@return whether what was read since {@link #begin} are the call's bytes: the owner has not taken its memory back meanwhile} */
    boolean end();

    /** Lets the owner have its memory; the link says so with its next flush. Does nothing once the link is down. Called once. */
    void giveBack();
}
