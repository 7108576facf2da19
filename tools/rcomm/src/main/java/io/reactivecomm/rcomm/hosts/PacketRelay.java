package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.rcomm.latency.LinkShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * A router between hosts that holds each packet for the latency, where the kernel has no netem.
 *
 * <pre>
 *   host 0's eth0 ──read──▶ from-0 ──┐ ┌──▶ queue to 0 ──due──▶ to-0 ──write──▶ host 0's eth0
 *   host 1's eth0 ──read──▶ from-1 ──┼─┼──▶ queue to 1 ──due──▶ to-1 ──write──▶ host 1's eth0
 *   host 2's eth0 ──read──▶ from-2 ──┘ └──▶ queue to 2 ──due──▶ to-2 ──write──▶ host 2's eth0
 * </pre>
 *
 * <p>TCP sees it all: round trips, windows that fill, losses where a queue is full.
 */
final class PacketRelay {

    /** Two bandwidth-delay products of 1 Gbit/s and a quarter of a second each way. */
    static final long QUEUE_BYTES = 64L << 20;

    /** For the threads of all ports together. */
    private static final Duration END = Duration.ofSeconds(5);

    private final PacketPool pool = new PacketPool();
    private final List<RelayPort> ports = new ArrayList<>();

    private long begunNanos;
    private long cpuNanosBefore;
    private long packetsBefore;
    private long dropsBefore;

    /** Makes a relay that carries nothing yet. */
    PacketRelay(List<Tun> tuns, LinkShape shape) {
        for (Tun tun : tuns) {
            ports.add(
                    new RelayPort(ports.size(), tun, new DelayedPackets(shape, QUEUE_BYTES, System.nanoTime()), this));
        }
    }

    void start() {
        ports.forEach(RelayPort::start);
        begin();
    }

    PacketPool pool() {
        return pool;
    }

    boolean has(int host) {
        return host >= 0 && host < ports.size();
    }

    RelayPort port(int host) {
        return ports.get(host);
    }

    /** Counts from here on. */
    void begin() {
        begunNanos = System.nanoTime();
        cpuNanosBefore = sum(RelayPort::cpuNanos);
        packetsBefore = sum(RelayPort::packets);
        dropsBefore = sum(RelayPort::drops);
    }

    private long sum(ToLongFunction<RelayPort> part) {
        return ports.stream().mapToLong(part).sum();
    }

    /** {@return what it has cost, in a line} */
    String report() {
        double share = 100.0 * (sum(RelayPort::cpuNanos) - cpuNanosBefore) / (System.nanoTime() - begunNanos);
        return String.format(
                Locale.ROOT,
                "relay: %.1f %% of a core, %d packets, %d dropped",
                share,
                sum(RelayPort::packets) - packetsBefore,
                sum(RelayPort::drops) - dropsBefore);
    }

    /** Ends all; the interfaces have been taken away. A port whose thread does not end keeps what that thread uses. */
    void close() {
        long deadline = System.nanoTime() + END.toNanos();
        ports.forEach(RelayPort::interrupt);
        if (ports.stream().map(port -> port.close(deadline)).toList().stream().allMatch(ended -> ended)) {
            pool.close();
        }
    }
}
