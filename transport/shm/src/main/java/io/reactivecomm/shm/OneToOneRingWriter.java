package io.reactivecomm.shm;

import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The writing end of a ring: a stream of bytes from one rank to one other.
 *
 * <p>Tail and head count bytes from the beginning and never wrap. The writer owns the tail, in its own file, and moves it after the bytes
 * are there; the reader owns the head, in its own. So no process ever writes into another's memory.
 *
 * <p><b>Threads.</b> The loop.
 */
final class OneToOneRingWriter {

    private final MemorySegment own;
    private final MemorySegment ring;
    private final long tailAt;
    private final MemorySegment peer;
    private final long headAt;
    private long tail;
    /** Where the reader was when it was last looked at. */
    private long head;

    private boolean misled;

    /**
     * @param tailAt where the tail is in this rank's memory
     * @param headAt where the head is in the peer's
     */
    OneToOneRingWriter(MemorySegment own, MemorySegment ring, long tailAt, MemorySegment peer, long headAt) {
        this.own = own;
        this.ring = ring;
        this.tailAt = tailAt;
        this.peer = peer;
        this.headAt = headAt;
    }

    /** Writes as many bytes as there is room for, and moves the buffer's position past them. {@return how many} */
    int put(ByteBuffer bytes) {
        int count = (int) Math.min(bytes.remaining(), room(bytes.remaining()));
        if (count == 0) {
            return 0;
        }
        MemorySegment source = MemorySegment.ofBuffer(bytes);
        long from = tail & (ring.byteSize() - 1);
        long first = Math.min(count, ring.byteSize() - from);
        MemorySegment.copy(source, 0, ring, from, first);
        MemorySegment.copy(source, first, ring, 0, count - first);
        bytes.position(bytes.position() + count);
        tail += count;
        SharedWords.write(own, tailAt, tail);
        return count;
    }

    private long room(int wanted) {
        long room = ring.byteSize() - (tail - head);
        if (room < wanted) {
            look();
            room = misled ? 0 : ring.byteSize() - (tail - head);
        }
        return room;
    }

    private void look() {
        long seen = SharedWords.read(peer, headAt);
        misled |= seen < head || seen > tail || seen % Unit.ALIGNMENT != 0;
        head = misled ? head : seen;
    }

    /** @throws ProtocolException if the peer said that it read more than was written; nothing has been written since */
    void requireSound() {
        if (misled) {
            throw new ProtocolException("impossible head of a ring: head=" + SharedWords.read(peer, headAt) + ", known="
                    + head + ", tail=" + tail);
        }
    }
}
