package io.reactivecomm.netty.internal.host;

import io.reactivecomm.RendezvousException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses of this machine, as others may reach it.
 *
 * <p><b>Threads.</b> Any that may block.
 */
public final class OwnAddresses {

    private static final Logger LOG = LoggerFactory.getLogger(OwnAddresses.class);

    /** Discard. No packet goes there: a socket that is only connected asks for a route. */
    private static final int ANY_PORT = 9;

    private OwnAddresses() {}

    /** {@return those beyond loopback, by interface as the system counts them, IPv4 first; none if the system does not tell} */
    public static List<InetAddress> all() {
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(OwnAddresses::isUp)
                    .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
                    .flatMap(each -> usable(each).stream())
                    .filter(address -> !address.isLoopbackAddress())
                    .toList();
        } catch (SocketException e) {
            LOG.debug("this machine does not tell its addresses", e);
            return List.of();
        }
    }

    /** {@return every one, with the interface that has it; none if the system does not tell} */
    public static List<OwnAddress> ofInterfaces() {
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(OwnAddresses::isUp)
                    .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
                    .flatMap(each -> each.inetAddresses()
                            .map(address -> new OwnAddress(each.getName(), each.getIndex(), address)))
                    .filter(each -> !each.address().isAnyLocalAddress()
                            && !each.address().isMulticastAddress())
                    .toList();
        } catch (SocketException e) {
            LOG.debug("this machine does not tell its addresses", e);
            return List.of();
        }
    }

    private static boolean isUp(NetworkInterface each) {
        try {
            return each.isUp();
        } catch (SocketException e) {
            LOG.debug("an interface does not tell whether it is up: interface={}", each.getName(), e);
            return false;
        }
    }

    /** {@return those that mean the same to other machines}: an address of one link alone needs the name of the interface there. */
    private static List<InetAddress> usable(NetworkInterface each) {
        return each.inetAddresses()
                .filter(address ->
                        !address.isLinkLocalAddress() && !address.isAnyLocalAddress() && !address.isMulticastAddress())
                .sorted(Comparator.comparing(address -> !(address instanceof Inet4Address)))
                .toList();
    }

    /** {@return whether this JVM can use IPv6 on this machine; true if that is unknown} */
    public static boolean haveIpv6() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .anyMatch(Inet6Address.class::isInstance);
        } catch (SocketException e) {
            LOG.debug("the system does not tell its addresses", e);
            return true;
        }
    }

    /** {@return the address from which a packet to that one would leave, or null if none would} */
    public static @Nullable InetAddress sourceTowards(InetAddress there) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(there, ANY_PORT));
            return socket.getLocalAddress();
        } catch (SocketException | UncheckedIOException e) {
            LOG.debug("no route leads there: address={}", there.getHostAddress(), e);
            return null;
        }
    }

    /**
     * {@return this machine's address of that name}
     *
     * @param name a network interface, else a host or an address
     */
    public static InetAddress named(String name) {
        try {
            NetworkInterface named = NetworkInterface.getByName(name);
            if (named != null) {
                return usable(named).stream()
                        .findFirst()
                        .orElseThrow(() -> refused(name, "that interface has no address for others", null));
            }
            InetAddress address = InetAddress.getByName(name);
            if (address.isAnyLocalAddress() || !Addresses.isOwn(address)) {
                throw refused(
                        name,
                        "rank 0's machine has no address " + address.getHostAddress() + " that others can dial",
                        null);
            }
            return address;
        } catch (UnknownHostException | SocketException e) {
            throw refused(name, "there is no such interface and no such host", e);
        }
    }

    private static RendezvousException refused(String name, String fact, @Nullable Exception cause) {
        return new RendezvousException(
                "rank 0 cannot listen where it is told to: RCOMM_LISTEN=" + name + ", " + fact
                        + "; name an address or a network interface of rank 0's machine, or leave it out",
                cause);
    }
}
