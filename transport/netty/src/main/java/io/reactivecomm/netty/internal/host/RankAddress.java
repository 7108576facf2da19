package io.reactivecomm.netty.internal.host;

import io.reactivecomm.NetworkChoice;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The address of this rank, at which it listens for the others and from which it dials them.
 *
 * @param asked the network that the user names, or null
 */
public record RankAddress(InetAddress address, @Nullable NetworkChoice asked) {

    /** {@return an address that nobody named: from there the rank reached the store} */
    public static RankAddress reached(InetAddress address) {
        return new RankAddress(address, null);
    }

    /**
     * {@return where another rank listens, seen from here}
     *
     * @param host the address in the other rank's roster entry
     */
    public InetSocketAddress peer(String host, int port) {
        return Addresses.ofPeer(host, port, address);
    }

    /**
     * {@return the address that a connection is to come from, or null for the system's choice}
     *
     * <p>Where routes go by a packet's source, as those of hosts with several adapters of one network do, only that takes the network that was named.
     * To an address of another kind nothing leads from there.
     */
    public @Nullable InetAddress source(InetSocketAddress peer) {
        InetAddress there = peer.getAddress();
        boolean isOfOneKind = there != null
                && there.getClass() == address.getClass()
                && Addresses.scope(there) == Addresses.scope(address);
        return asked != null && isOfOneKind ? address : null;
    }
}
