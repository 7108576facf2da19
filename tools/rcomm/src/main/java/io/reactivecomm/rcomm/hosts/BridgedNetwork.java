package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.rcomm.latency.LinkShape;
import java.util.ArrayList;
import java.util.List;

/**
 * A network of cables to a bridge, which is in a namespace of its own.
 *
 * <pre>
 *   host 0  eth0 ═══ port0 ┐
 *   host 1  eth0 ═══ port1 ┼ bridge
 *   host 2  eth0 ═══ port2 ┘
 *             ↑        ↑ a token bucket on what the host receives
 *             a token bucket on what it sends
 * </pre>
 */
final class BridgedNetwork implements HostNetwork {

    /**
     * The most bytes of frames that the kernel carries as one: less than a bucket holds, so that it passes them together, as an interface's offload
     * has them. What is longer a bucket cuts into frames; to carry each for itself took half of two cores.
     */
    private static final int TOGETHER_BYTES = LinkShape.BURST_BYTES / 2;

    private final List<NetworkNamespace> hosts = new ArrayList<>();
    private final NetworkNamespace hub;

    private BridgedNetwork(NetworkNamespace hub) {
        this.hub = hub;
    }

    /** {@return one that works} */
    static BridgedNetwork make(HostsOptions options) {
        BridgedNetwork network = new BridgedNetwork(NetworkNamespace.make());
        try {
            network.hub.run("ip link add bridge type bridge");
            network.hub.run("ip link set bridge up");
            for (int host = 0; host < options.placement().hosts(); host++) {
                network.connect(host, options);
            }
            return network;
        } catch (RuntimeException e) {
            new Endings(e).attempt(network::close);
            throw e;
        }
    }

    private void connect(int host, HostsOptions options) {
        NetworkNamespace namespace = NetworkNamespace.make();
        hosts.add(namespace);
        String port = "port" + host;
        hub.run("ip link add " + port + " type veth peer name " + HostInterface.NAME + " netns " + namespace.holder());
        hub.run("ip link set " + port + " master bridge up");
        HostInterface.shape(hub, port, options.rate());
        HostInterface.configure(namespace, host, options.rate());
        if (options.rate().isLimited()) {
            namespace.run("ip link set " + HostInterface.NAME + " gso_max_size " + TOGETHER_BYTES);
        }
    }

    @Override
    public List<NetworkNamespace> hosts() {
        return List.copyOf(hosts);
    }

    @Override
    public void begin() {
        // The kernel carries the packets: there is nothing to count.
    }

    @Override
    public List<String> report() {
        return List.of();
    }

    @Override
    public void close() {
        Endings endings = new Endings();
        hosts.forEach(host -> endings.attempt(host::close));
        endings.attempt(hub::close);
        endings.rethrow();
    }
}
