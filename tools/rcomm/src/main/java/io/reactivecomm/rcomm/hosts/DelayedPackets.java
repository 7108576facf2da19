package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.rcomm.latency.TokenBucket;
import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;

/**
 * The packets on their way to one host, in the order in which they arrive: each after the latency, and when the host's bucket has room.
 *
 * <p>It is bounded in bytes of packets, as those of routers are. A packet that finds no room is to be dropped.
 *
 * <p><b>Threads.</b> {@link #offer} any; {@link #take} one.
 */
final class DelayedPackets {

    private final ArrayDeque<Packet> waiting = new ArrayDeque<>();
    private final TokenBucket bucket;
    private final long latencyNanos;
    private final long mostBytes;
    private long bytes;

    /**
     * Makes an empty way.
     *
     * @param shape its latency, and the rate at which the host receives
     * @param mostBytes of the packets that may wait here
     * @param nowNanos when it is made
     */
    DelayedPackets(LinkShape shape, long mostBytes, long nowNanos) {
        this.bucket = new TokenBucket(shape, nowNanos);
        this.latencyNanos = shape.latency().toNanos();
        this.mostBytes = mostBytes;
    }

    /** {@return whether there was room for a packet that was sent at that time} */
    synchronized boolean offer(Packet packet, long sentNanos) {
        if (bytes + packet.length > mostBytes) {
            return false;
        }
        packet.dueNanos = bucket.received(sentNanos + latencyNanos, packet.length);
        bytes += packet.length;
        waiting.add(packet);
        if (waiting.size() == 1) {
            notifyAll();
        }
        return true;
    }

    /** {@return the next packet, once it is due} Blocks. */
    Packet take() throws InterruptedException {
        long dueNanos = nextDue();
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        return remove();
    }

    private synchronized long nextDue() throws InterruptedException {
        while (waiting.isEmpty()) {
            wait();
        }
        return waiting.element().dueNanos;
    }

    private synchronized Packet remove() {
        Packet packet = waiting.remove();
        bytes -= packet.length;
        return packet;
    }
}
