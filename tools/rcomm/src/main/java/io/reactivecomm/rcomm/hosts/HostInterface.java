package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.rcomm.latency.Rate;
import java.nio.file.Files;
import java.nio.file.Path;

/** The network interface of a host: its addresses, and the token bucket of what it sends. */
final class HostInterface {

    static final String NAME = "eth0";

    private static final Path IPV6 = Path.of("/proc/sys/net/ipv6");

    private HostInterface() {}

    /** Makes an interface that is there ready for use. */
    static void configure(NetworkNamespace namespace, int host, Rate rate) {
        namespace.run("ip link set lo up");
        namespace.run("ip addr add " + HostAddress.v4(host) + "/24 dev " + NAME);
        if (Files.exists(IPV6)) {
            // No wait of a second until somebody might have said that the address is theirs.
            namespace.run("ip -6 addr add " + HostAddress.v6(host) + "/64 dev " + NAME + " nodad");
        }
        // As our links within a host ask for: bbr, a common default, takes half as long again.
        namespace.run("sh", "-c", "echo reno >/proc/sys/net/ipv4/tcp_congestion_control");
        shape(namespace, NAME, rate);
        namespace.run("ip link set " + NAME + " up");
    }

    /** Holds what leaves an interface to a rate. Its queue is so long that it does not drop what links have under way. */
    static void shape(NetworkNamespace namespace, String device, Rate rate) {
        if (rate.isLimited()) {
            String bucket =
                    " root tbf rate " + rate.bitsPerSecond() + "bit burst " + LinkShape.BURST_BYTES + "b latency 400ms";
            namespace.run("tc qdisc add dev " + device + bucket);
        }
    }
}
