package io.reactivecomm;

/**
 * Turns objects into bytes and back, for the collectives that carry objects.
 *
 * <p>Objects travel as bytes even within one process, and every rank decodes what it gets, the rank that gave it too: so no two ranks
 * share an object.
 *
 * <p><b>Threads.</b> {@link #encode} runs once for each subscription, on the subscriber's thread: subscribe elsewhere than on a loop where objects are
 * large. {@link #decode} runs on the group's loop if all that one call brings is 256 KiB at most, and else on a thread of the library's own, beside which
 * the loop goes on; results come on the loop all the same. So a codec is used by several threads at once. It must not block.
 *
 * <p><b>Errors.</b> Whatever {@link #encode} throws fails the call with an {@link InvalidCallException}, here and on every other rank
 * whose call is unfinished. Whatever {@link #decode} throws fails it on this rank with an {@link InvalidCallException} that names the rank of the
 * group the bytes came from: they are not trusted. Ranks that could read what they got keep their result. What is fatal to the JVM, such as an
 * endless recursion, ends the world on all ranks, as it does wherever it strikes on a loop; in {@link #encode} elsewhere it is an error like others.
 *
 * @param <T> the objects' type
 */
public interface ObjectCodec<T> {

    /** {@return the object as bytes, also none; the caller of this method leaves them as they are} */
    byte[] encode(T value);

    /** {@return the object that the bytes say; the array is the codec's to keep} */
    T decode(byte[] bytes);
}
