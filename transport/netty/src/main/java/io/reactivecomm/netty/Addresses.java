package io.reactivecomm.netty;

import io.reactivecomm.RendezvousException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** Addresses as configurations and messages write them, and the rule about which may be used. */
final class Addresses {

    private Addresses() {}

    /** {@return the address of that host, looked up} */
    static InetSocketAddress resolve(String host, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new RendezvousException(
                    "cannot find the store's host: MASTER_ADDR=" + host + "; give a name or address that this"
                            + " machine can resolve",
                    e);
        }
    }

    /** {@return {@code host:port}} */
    static String text(InetSocketAddress address) {
        InetAddress resolved = address.getAddress();
        return (resolved == null ? address.getHostString() : resolved.getHostAddress()) + ":" + address.getPort();
    }

    /** {@return whether this machine has that address; true where the system does not tell} */
    static boolean isOwn(InetAddress address) {
        try {
            return address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true;
        }
    }

    /**
     * Refuses an address that others than this machine's programs can reach, unless a token is set and the user has accepted that bytes
     * travel unencrypted.
     */
    static void requireAllowed(InetSocketAddress address, @Nullable String token, boolean plaintext) {
        InetAddress resolved = address.getAddress();
        if (resolved != null && resolved.isLoopbackAddress()) {
            return;
        }
        if (token == null || token.isEmpty()) {
            throw new RendezvousException("refuses an address beyond loopback without a token: address=" + text(address)
                    + ", token=none; set RCOMM_TOKEN to the same secret on all ranks, or use 127.0.0.1");
        }
        if (!plaintext) {
            throw new RendezvousException(
                    "refuses an address beyond loopback without encryption: address=" + text(address)
                            + ", plaintext=false; TLS is not available yet: set RCOMM_PLAINTEXT=1 if the network is trusted, or use 127.0.0.1");
        }
    }
}
