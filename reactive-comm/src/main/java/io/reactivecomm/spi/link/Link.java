package io.reactivecomm.spi.link;

import io.reactivecomm.Traffic;

/**
 * Moves frames between this rank and one other: reliably, in order, in both directions.
 *
 * <p><b>Order.</b> A link may carry payloads beside the frames. Then {@link Frame.Open}, {@link Frame.Announce}, {@link Frame.Grant},
 * {@link Frame.Taken} and the header of a {@link Frame.Data} may come before payloads that were sent earlier. All other frames, and the end of each
 * payload, come when what was sent before them is here.
 *
 * <p><b>Threads.</b> All methods are called on the loop; events come back on it, never from inside a call of these methods.
 *
 * <p><b>Buffers.</b> A frame other than {@link Frame.Data} is immutable and may be kept, but for {@link #copiesEagerBytes() eager bytes}. The payload of a {@code Data} frame is the
 * sender's memory: the link reads it until it has signalled {@link LinkEvents#onWritten} or {@link LinkEvents#onWriteFailed}, or until
 * {@link #withdraw} returned.
 *
 * <p><b>Receiving.</b> A link never stops reading. When the header of a {@code Data} frame has arrived it asks
 * {@link LinkEvents#onDataStart} where the payload goes and writes it there as it comes, unless told to {@link #drain} it. A link whose ends
 * reach each other's memory copies nothing: {@link LinkEvents#onDataLent} tells where the payload lies.
 */
public interface Link {

    /** {@return the rank at the other end, in the world} */
    int peer();

    /** {@return whether another {@link Frame.Data} may be written now; {@link LinkEvents#onWritable} tells when that becomes true again} */
    boolean isWritable();

    /** {@return how much is best under way on it, by what only a transport knows} */
    default LinkTraits traits() {
        return LinkTraits.USUAL;
    }

    /**
     * {@return whether payloads are read where the peer has them, so that it costs no memory and no time to ask for many at once}
     * A link whose peer lends some and copies others goes by the last.
     */
    default boolean lends() {
        return false;
    }

    /**
     * {@return whether {@link #write} has copied the bytes of a {@link Frame.Edge} when it returns, so that they may be the sender's memory}
     * Otherwise the frame keeps them, and they must be nobody's.
     */
    boolean copiesEagerBytes();

    /** {@return whether frames travel as bytes, with headers that take room; within a JVM they need not} */
    default boolean encodes() {
        return true;
    }

    /**
     * Takes a frame for sending; frames leave in this order. Does nothing once the link is down. Nothing needs to leave before
     * {@link #flush}.
     *
     * @throws IllegalStateException if memory that it reads is freed, and {@link InternalError} if a page of it is gone: then nothing of the frame was
     *     taken
     */
    void write(Frame frame);

    /** Sends what was written. */
    void flush();

    /**
     * Lets go of the payload of a written {@code Data} frame before this method returns: bytes that have still to leave are copied aside
     * first. Where the peer reads them in place they are taken back instead: it gets a {@link Frame.Withdrawn}, or a {@link Loan} that is void.
     * {@link LinkEvents#onWritten}, or {@link LinkEvents#onWriteFailed} if the memory is gone, still comes for the frame, unless the link goes down
     * first. Does nothing once the link is down.
     */
    void withdraw(Frame.Data frame);

    /** Stops writing the payload of that grant into the destination that was given for it; the rest of it is read and forgotten. */
    void drain(long grant);

    /** {@return what was sent until now; may be asked by any thread} */
    Traffic traffic();

    /**
     * Ends the link in good order: what was written is flushed, then the peer sees the end. {@link LinkEvents#onDown} follows, once.
     * Idempotent.
     */
    void close();
}
