package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.rcomm.latency.Rate;
import java.util.ArrayList;
import java.util.List;

/** A network with a latency: hosts whose interfaces end in this process, at a {@link PacketRelay}. */
final class RelayedNetwork implements HostNetwork {

    /** Less than the bucket's burst, so that one passes; more saves little. */
    private static final int MOST_MTU = 60 << 10;

    /** Ethernet's. */
    private static final int LEAST_MTU = 1500;

    /** No packet keeps another waiting for longer than half a millisecond, if it can be helped. */
    private static final int PACKETS_A_SECOND = 2000;

    private final List<NetworkNamespace> hosts = new ArrayList<>();
    private final PacketRelay relay;

    private RelayedNetwork(List<NetworkNamespace> hosts, PacketRelay relay) {
        this.hosts.addAll(hosts);
        this.relay = relay;
    }

    /** {@return one that works} */
    static RelayedNetwork make(HostsOptions options) {
        List<NetworkNamespace> hosts = new ArrayList<>();
        List<Tun> tuns = new ArrayList<>();
        try {
            for (int host = 0; host < options.placement().hosts(); host++) {
                NetworkNamespace namespace = NetworkNamespace.make();
                hosts.add(namespace);
                tuns.add(Tun.make(namespace, HostInterface.NAME));
                namespace.run("ip link set " + HostInterface.NAME + " mtu " + mtu(options.rate()) + " txqueuelen 1000");
                HostInterface.configure(namespace, host, options.rate());
            }
        } catch (RuntimeException e) {
            Endings endings = new Endings(e);
            tuns.forEach(tun -> endings.attempt(tun::close));
            hosts.forEach(host -> endings.attempt(host::close));
            throw e;
        }
        RelayedNetwork network =
                new RelayedNetwork(hosts, new PacketRelay(tuns, LinkShape.of(options.latency(), options.rate())));
        network.relay.start();
        return network;
    }

    /** {@return the longest packet of a link of that rate} */
    static int mtu(Rate rate) {
        return rate.isLimited()
                ? (int) Math.clamp(rate.bitsPerSecond() / 8 / PACKETS_A_SECOND, LEAST_MTU, MOST_MTU)
                : MOST_MTU;
    }

    @Override
    public List<NetworkNamespace> hosts() {
        return List.copyOf(hosts);
    }

    @Override
    public void begin() {
        relay.begin();
    }

    @Override
    public List<String> report() {
        return List.of(relay.report());
    }

    /** The interfaces go first: a thread that waits for a packet of one hears of its end only so. */
    @Override
    public void close() {
        Endings endings = new Endings();
        hosts.forEach(host -> endings.attempt(() -> host.run("ip link del " + HostInterface.NAME)));
        endings.attempt(relay::close);
        hosts.forEach(host -> endings.attempt(host::close));
        endings.rethrow();
    }
}
