package io.reactivecomm;

/**
 * Turns objects into bytes and back, for the collectives that carry objects.
 *
 * <p>Objects travel as bytes even within one process, and every rank decodes what it gets, the rank that gave it too: so no two ranks
 * share an object.
 *
 * <p><b>Threads.</b> {@link #encode} runs once for each subscription, on the subscriber's thread. {@link #decode} runs on the group's loop
 * and delays the rank's other calls while it does: decode large objects from bytes on a thread of your own.
 *
 * <p><b>Errors.</b> Whatever {@link #encode} throws fails the call on all ranks with an {@link InvalidCallException}. Whatever
 * {@link #decode} throws fails it on this rank with an {@link InvalidCallException} that names the rank of the group the bytes came from: they
 * are not trusted. Ranks that could read what they got keep their result.
 *
 * @param <T> the objects' type
 */
public interface ObjectCodec<T> {

    /** {@return the object as bytes, also none; the caller of this method leaves them as they are} */
    byte[] encode(T value);

    /** {@return the object that the bytes say; the array is the codec's to keep} */
    T decode(byte[] bytes);
}
