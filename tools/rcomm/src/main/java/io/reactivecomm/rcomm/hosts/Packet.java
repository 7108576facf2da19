package io.reactivecomm.rcomm.hosts;

import java.lang.foreign.MemorySegment;

/**
 * A buffer off the heap, and the packet that is in it at a time.
 *
 * <p><b>Threads.</b> Whoever has it: it is handed on.
 */
final class Packet {

    final MemorySegment bytes;
    int length;

    /** When it arrives, by {@link System#nanoTime()}. */
    long dueNanos;

    Packet(MemorySegment bytes) {
        this.bytes = bytes;
    }
}
