package io.reactivecomm.rcomm.hosts;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/**
 * A host's port of a relay: one thread reads what the host sends and lays it into the queue of whom it is for, another gives the host what
 * arrives.
 *
 * <p>Both sleep in the kernel whenever there is nothing to do.
 */
final class RelayPort {

    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private final Tun tun;
    private final PacketRelay relay;
    private final DelayedPackets arriving;
    private final Thread reader;
    private final Thread writer;
    private final LongAdder packets = new LongAdder();
    private final LongAdder drops = new LongAdder();

    RelayPort(int host, Tun tun, DelayedPackets arriving, PacketRelay relay) {
        this.tun = tun;
        this.relay = relay;
        this.arriving = arriving;
        this.reader =
                Thread.ofPlatform().daemon().name("rcomm-relay-from-" + host).unstarted(this::readAll);
        this.writer =
                Thread.ofPlatform().daemon().name("rcomm-relay-to-" + host).unstarted(this::writeAll);
    }

    void start() {
        reader.start();
        writer.start();
    }

    private void readAll() {
        Packet packet = relay.pool().take();
        try {
            while (true) {
                packet.length = tun.read(packet.bytes);
                packet = passOn(packet, System.nanoTime());
            }
        } catch (IOException e) {
            // The interface is gone, which is how this ends.
        }
    }

    /** {@return a buffer for the next packet} */
    private Packet passOn(Packet packet, long nowNanos) {
        int destination = HostAddress.destination(packet.bytes, packet.length);
        if (!relay.has(destination)) {
            // What a host says to all, such as that it looks for a router, is for nobody here.
            return packet;
        }
        Packet fitted = relay.pool().fitted(packet);
        if (relay.port(destination).arriving.offer(fitted, nowNanos)) {
            packets.increment();
        } else {
            drops.increment();
            relay.pool().give(fitted);
        }
        return relay.pool().take();
    }

    private void writeAll() {
        try {
            NamespaceCalls.wakeOnTime();
            while (true) {
                Packet packet = arriving.take();
                write(packet);
                relay.pool().give(packet);
            }
        } catch (IOException | InterruptedException e) {
            // This relay is closed, or has no right to be on time.
        }
    }

    private void write(Packet packet) {
        try {
            tun.write(packet.bytes, packet.length);
        } catch (IOException e) {
            // The interface is down, and may come up again: its packets are lost until then.
            drops.increment();
        }
    }

    long packets() {
        return packets.sum();
    }

    long drops() {
        return drops.sum();
    }

    /** {@return the processor's time of both threads so far} */
    long cpuNanos() {
        return cpuNanos(reader) + cpuNanos(writer);
    }

    private static long cpuNanos(Thread thread) {
        return Math.max(0, CLOCK.getThreadCpuTime(thread.threadId()));
    }

    /** Has its writer end; its reader does when the host's interface is taken away. */
    void interrupt() {
        writer.interrupt();
    }

    /** {@return whether both threads have ended by {@link System#nanoTime()} {@code deadline}, waiting for them} */
    boolean close(long deadline) {
        try {
            boolean ended = reader.join(until(deadline)) && writer.join(until(deadline));
            if (ended) {
                tun.close();
            }
            return ended;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static Duration until(long deadline) {
        return Duration.ofNanos(deadline - System.nanoTime());
    }
}
