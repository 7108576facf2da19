package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.CommException;
import io.reactivecomm.rcomm.latency.Rate;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The wire between host 0 and host 1: what two bare sockets reach in both directions at once.
 *
 * <p>In each round both ends send some bytes and receive as many, as two ranks that all-reduce them do at the least. The median of the
 * rounds counts; the first, in which TCP finds out what the wire bears, does not. Meanwhile the hosts' counters have to rise by those bytes.
 */
final class WireRate {

    private static final int ROUNDS = 9;
    private static final int MOST_BYTES = 16 << 20;
    private static final int LEAST_BYTES = 64 << 10;

    /** About as long as 16 MiB take at 1 Gbit/s. */
    private static final double ROUND_SECONDS = 0.14;

    private WireRate() {}

    /**
     * {@return what the wire of that network reaches}
     *
     * @throws HostsException if the bytes went another way
     */
    static WireFigures measure(HostNetwork network, Rate rate) {
        NetworkNamespace near = network.hosts().get(0);
        NetworkNamespace far = network.hosts().get(1);
        InterfaceTraffic before = near.traffic();
        int bytes = bytesOf(rate);
        WireFigures figures = new WireFigures(bytes, roundNanos(near, far, bytes));
        requireCounted(near.traffic().since(before), (long) bytes * ROUNDS);
        return figures;
    }

    /** {@return how many bytes a round has} */
    static int bytesOf(Rate rate) {
        return rate.isLimited()
                ? (int) Math.clamp((long) (rate.bitsPerSecond() / 8.0 * ROUND_SECONDS), LEAST_BYTES, MOST_BYTES)
                : MOST_BYTES;
    }

    private static List<Long> roundNanos(NetworkNamespace near, NetworkNamespace far, int bytes) {
        // A socket belongs to the network of the thread that opens it, and may be used by any.
        try (ServerSocketChannel door =
                        near.call(() -> ServerSocketChannel.open().bind(new InetSocketAddress(HostAddress.v4(0), 0)));
                SocketChannel there = far.call(() -> SocketChannel.open(door.getLocalAddress()));
                SocketChannel here = door.accept()) {
            CompletableFuture<List<Long>> others = WireEnd.inThread(() -> new WireEnd(there, bytes).rounds(ROUNDS));
            List<Long> own = new WireEnd(here, bytes).rounds(ROUNDS);
            others.join();
            return own.subList(1, own.size());
        } catch (IOException e) {
            throw new HostsException(
                    "the wire does not carry TCP: reason=" + CommException.textOf(e)
                            + "; see whether a firewall holds for namespaces, too",
                    e);
        }
    }

    /** Requires that the counters have seen so many bytes. */
    static void requireCounted(InterfaceTraffic traffic, long bytes) {
        if (traffic.sent() < bytes || traffic.received() < bytes) {
            throw new HostsException("bytes between hosts do not go by the wire: sentByProgram=" + bytes
                    + ", countedSent=" + traffic.sent() + ", countedReceived=" + traffic.received());
        }
    }
}
