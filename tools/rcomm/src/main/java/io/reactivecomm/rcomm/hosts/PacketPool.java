package io.reactivecomm.rcomm.hosts;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Stream;

/**
 * The buffers of a relay: large ones, into which packets are read, and for those that wait some of each power of two below.
 *
 * <p>What waits takes less than twice its length, or {@link #LEAST_BYTES}; so the queues, which bound lengths, bound the memory, too. The buffer
 * given back last is used first, for it is in a cache.
 *
 * <p><b>Threads.</b> Any.
 */
final class PacketPool implements AutoCloseable {

    /** The longest packet of IP. */
    static final int LARGE_BYTES = 64 << 10;

    /** An acknowledgement has 52 bytes. */
    static final int LEAST_BYTES = 64;

    private final Arena arena = Arena.ofShared();

    /** By the exponent of their size. */
    private final List<ArrayDeque<Packet>> free = Stream.generate(ArrayDeque<Packet>::new)
            .limit(exponent(LARGE_BYTES) + 1L)
            .toList();

    /** {@return a buffer for any packet} */
    Packet take() {
        return take(LARGE_BYTES);
    }

    /** {@return the packet in a buffer that it is worth: this one, or a smaller one, after which the large one is free} */
    Packet fitted(Packet packet) {
        int bytes = bytesFor(packet.length);
        if (bytes == LARGE_BYTES) {
            return packet;
        }
        Packet copy = take(bytes);
        MemorySegment.copy(packet.bytes, 0, copy.bytes, 0, packet.length);
        copy.length = packet.length;
        give(packet);
        return copy;
    }

    /** {@return the least power of two that holds them} */
    private static int bytesFor(int length) {
        return Integer.highestOneBit(Math.max(LEAST_BYTES, length) * 2 - 1);
    }

    private static int exponent(long bytes) {
        return Long.numberOfTrailingZeros(bytes);
    }

    private synchronized Packet take(int bytes) {
        Packet packet = free.get(exponent(bytes)).poll();
        return packet == null ? new Packet(arena.allocate(bytes, Long.BYTES)) : packet;
    }

    /** Takes back a buffer. */
    synchronized void give(Packet packet) {
        free.get(exponent(packet.bytes.byteSize())).push(packet);
    }

    /** Frees all memory; no buffer is in use any more. */
    @Override
    public void close() {
        arena.close();
    }
}
