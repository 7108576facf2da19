package io.reactivecomm.netty.internal.host;

import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.StoreAddress;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** Addresses as configurations and messages write them, and the rule about which may be used. */
public final class Addresses {

    private Addresses() {}

    /** {@return the address of that host, looked up} */
    public static InetSocketAddress resolve(String host, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw unknown(host, e);
        }
    }

    static RendezvousException unknown(String host, UnknownHostException cause) {
        return new RendezvousException(
                "cannot find the store's host: MASTER_ADDR=" + host
                        + "; give a name or address that this machine can resolve",
                cause);
    }

    /** {@return {@code host:port}, with brackets around an address of IPv6} */
    public static String text(InetSocketAddress address) {
        InetAddress resolved = address.getAddress();
        return StoreAddress.hostAndPort(
                resolved == null ? address.getHostString() : resolved.getHostAddress(), address.getPort());
    }

    /** {@return the address without a zone, which this machine's are told with, unless it is of one link alone and means nothing without} */
    static InetAddress portable(InetAddress address) {
        return address instanceof Inet6Address && !address.isLinkLocalAddress() ? withoutZone(address) : address;
    }

    private static InetAddress withoutZone(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has as many bytes as an address", e);
        }
    }

    /** {@return how far an address is known: 0 beyond this machine's links, 1 on one link, 2 in this machine} */
    static int scope(InetAddress address) {
        return address.isLoopbackAddress() ? 2 : address.isLinkLocalAddress() ? 1 : 0;
    }

    /**
     * {@return where another rank listens, for a rank that listens there}
     *
     * <p>An address of one link alone is told with the zone of its own machine. Seen from here it is on the link that this rank's own is on.
     */
    static InetSocketAddress ofPeer(String host, int port, InetAddress own) {
        int zone = host.indexOf('%');
        if (zone < 0 || !(own instanceof Inet6Address here) || !here.isLinkLocalAddress()) {
            return new InetSocketAddress(host, port);
        }
        byte[] there = InetAddress.ofLiteral(host.substring(0, zone)).getAddress();
        try {
            return new InetSocketAddress(Inet6Address.getByAddress(null, there, here.getScopeId()), port);
        } catch (UnknownHostException e) {
            return InetSocketAddress.createUnresolved(host, port);
        }
    }

    /** {@return whether this machine has that address; true where the system does not tell} */
    public static boolean isOwn(InetAddress address) {
        try {
            return address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true;
        }
    }

    /**
     * Refuses an address that others than this machine's programs can reach, unless a token is set that is good enough for TLS, or for plaintext if the user has
     * accepted that. Where TLS is used on loopback, too, the token must be good enough there.
     */
    public static void requireAllowed(InetSocketAddress address, @Nullable String token, Encryption encryption) {
        requireAllowed(address.getAddress(), text(address), token, encryption);
    }

    /** @param text the address as messages write it */
    public static void requireAllowed(
            @Nullable InetAddress address, String text, @Nullable String token, Encryption encryption) {
        boolean isLoopback = address != null && address.isLoopbackAddress();
        if (isLoopback && !encryption.isEverywhere()) {
            return;
        }
        if (!isLoopback && (token == null || token.isEmpty())) {
            throw new RendezvousException("refuses an address beyond loopback without a token: address=" + text
                    + ", token=none; set RCOMM_TOKEN to the same secret on all ranks, or use 127.0.0.1");
        }
        String problem = encryption == Encryption.OFF ? null : Tokens.problem(token);
        if (problem != null) {
            throw new RendezvousException(problem + "; address=" + text);
        }
    }
}
