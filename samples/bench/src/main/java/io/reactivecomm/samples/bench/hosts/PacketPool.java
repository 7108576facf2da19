package io.reactivecomm.samples.bench.hosts;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * The buffers of a relay: large ones, into which packets are read, and small ones for those that wait and are small, as acknowledgements are.
 *
 * <p>It grows with what is under way, which the queues bound. The buffer given back last is used first, for it is in a cache.
 *
 * <p><b>Threads.</b> Any.
 */
final class PacketPool implements AutoCloseable {

    /** The longest packet of IP. */
    static final int LARGE_BYTES = 64 << 10;

    /** More than an acknowledgement, and than a packet of Ethernet. */
    static final int SMALL_BYTES = 2 << 10;

    private final Arena arena = Arena.ofShared();
    private final ArrayDeque<Packet> large = new ArrayDeque<>();
    private final ArrayDeque<Packet> small = new ArrayDeque<>();

    /** {@return a buffer for any packet} */
    Packet take() {
        return take(large, LARGE_BYTES);
    }

    /** {@return the packet in a buffer that it is worth: this one, or a small one, after which the large one is free} */
    Packet fitted(Packet packet) {
        if (packet.length > SMALL_BYTES) {
            return packet;
        }
        Packet copy = take(small, SMALL_BYTES);
        MemorySegment.copy(packet.bytes, 0, copy.bytes, 0, packet.length);
        copy.length = packet.length;
        give(packet);
        return copy;
    }

    private synchronized Packet take(ArrayDeque<Packet> free, int bytes) {
        Packet packet = free.poll();
        return packet == null ? new Packet(arena.allocate(bytes, Long.BYTES)) : packet;
    }

    /** Takes back a buffer. */
    synchronized void give(Packet packet) {
        (packet.capacity() == LARGE_BYTES ? large : small).push(packet);
    }

    /** Frees all memory; no buffer is in use any more. */
    @Override
    public void close() {
        arena.close();
    }
}
