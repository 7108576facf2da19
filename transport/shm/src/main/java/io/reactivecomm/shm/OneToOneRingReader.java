package io.reactivecomm.shm;

import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The reading end of a ring, {@link OneToOneRingWriter} has the other. Bytes are looked at where they lie, until the reader moves on.
 *
 * <p><b>Threads.</b> The loop.
 */
final class OneToOneRingReader {

    private final MemorySegment peer;
    private final ByteBuffer ring;
    private final long tailAt;
    private final MemorySegment own;
    private final long headAt;
    private long head;
    private long tail;
    private long told;

    /**
     * @param tailAt where the tail is in the peer's memory
     * @param headAt where the head is in this rank's
     */
    OneToOneRingReader(MemorySegment peer, MemorySegment ring, long tailAt, MemorySegment own, long headAt) {
        this.peer = peer;
        this.ring = ring.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        this.tailAt = tailAt;
        this.own = own;
        this.headAt = headAt;
    }

    /** {@return whether the peer has written anything, be it sound or not} */
    boolean hasNews() {
        return SharedWords.read(peer, tailAt) != head;
    }

    /**
     * {@return whether there are bytes to read}
     *
     * @throws ProtocolException if the peer says that it wrote more than there is room for, or a part of a word
     */
    boolean look() {
        tail = SharedWords.read(peer, tailAt);
        if (tail == head) {
            return false;
        }
        if (tail < head || tail - head > ring.capacity() || tail % Unit.ALIGNMENT != 0) {
            throw new ProtocolException(
                    "impossible tail of a ring: tail=" + tail + ", head=" + head + ", capacity=" + ring.capacity());
        }
        return true;
    }

    /** {@return how many bytes {@link #look} has found and are not passed} */
    int available() {
        return (int) (tail - head);
    }

    /** {@return how many of those lie in one piece} */
    int contiguous() {
        return Math.min(available(), ring.capacity() - position());
    }

    private int position() {
        return (int) (head & (ring.capacity() - 1));
    }

    /** {@return the next bytes, which lie in one piece; good until {@link #pass}} */
    ByteBuffer view(int bytes) {
        int from = position();
        return ring.limit(from + bytes).position(from);
    }

    /** {@return the next number, which never wraps} */
    long peekLong() {
        return ring.clear().order(ByteOrder.LITTLE_ENDIAN).getLong(position());
    }

    /** Moves on. */
    void pass(int bytes) {
        head += bytes;
        // The writer may be waiting for room.
        if (head - told >= ring.capacity() / 2) {
            tell();
        }
    }

    /** Tells the writer what has been passed. */
    void tell() {
        if (told != head) {
            told = head;
            SharedWords.write(own, headAt, head);
        }
    }
}
