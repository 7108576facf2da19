package io.reactivecomm.netty.internal.host;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;

import io.reactivecomm.NetworkChoice;
import io.reactivecomm.RendezvousException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the address at which a rank listens for the others.
 *
 * <p>It is the one by which the rank reached the store, if no network is named or if that is of the one that is. Otherwise it is the first of that
 * network's in this order: those that other machines reach before those of one link alone and these before loopback; those of the family by which the
 * store was reached; by interface, as the system counts them; by number.
 *
 * @param asked the network that the user names, or null
 * @param matching this machine's addresses of it
 */
public record RankAddressChoice(@Nullable NetworkChoice asked, List<OwnAddress> matching) {

    /** Listens where the store was reached. */
    public static final RankAddressChoice AS_REACHED = new RankAddressChoice(null, List.of());

    /**
     * {@return the choice among those addresses}
     *
     * @throws RendezvousException if none is of that network
     */
    public static RankAddressChoice among(List<OwnAddress> own, NetworkChoice asked) {
        List<OwnAddress> matching = own.stream()
                .filter(each -> asked.matches(each.interfaceName(), each.address()))
                .toList();
        return new RankAddressChoice(asked, matching.isEmpty() ? List.of(unlisted(own, asked)) : matching);
    }

    /** All of 127.0.0.0/8 is this machine's on some systems, which list but one. */
    private static OwnAddress unlisted(List<OwnAddress> own, NetworkChoice asked) {
        return asked.address()
                .filter(InetAddress::isLoopbackAddress)
                .map(address -> new OwnAddress("", 0, address))
                .orElseThrow(
                        () -> new RendezvousException(
                                "this machine has no such address: RCOMM_INTERFACE=" + asked + ", there are: "
                                        + text(own)
                                        + "; name one of these, an interface, or a network that each rank's machine has an address of"));
    }

    private static String text(List<OwnAddress> own) {
        return own.stream()
                .collect(groupingBy(
                        OwnAddress::interfaceName,
                        LinkedHashMap::new,
                        mapping(each -> Addresses.portable(each.address()).getHostAddress(), joining(" "))))
                .entrySet()
                .stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(joining(", "));
    }

    /** {@return whether that is this machine's and of the network that the user names} */
    boolean has(InetAddress address) {
        return matching.stream().anyMatch(each -> each.address().equals(address));
    }

    /** {@return where to listen, having reached the store from that address} */
    public RankAddress choose(InetAddress reached) {
        InetAddress first = asked == null || has(reached)
                ? Addresses.portable(reached)
                : inOrder(reached instanceof Inet4Address).findFirst().orElseThrow();
        return new RankAddress(first, asked);
    }

    /** {@return where rank 0 is to listen for those of other machines, or empty if that is not named} */
    public Optional<InetAddress> forStore() {
        // Whoever is told an address of one link alone does not know which link.
        return inOrder(true).filter(address -> !address.isLinkLocalAddress()).findFirst();
    }

    private Stream<InetAddress> inOrder(boolean isIpv4First) {
        return matching.stream()
                .sorted(Comparator.comparingInt((OwnAddress each) -> Addresses.scope(each.address()))
                        .thenComparing(each -> each.address() instanceof Inet4Address != isIpv4First)
                        .thenComparingInt(OwnAddress::interfaceIndex)
                        .thenComparing(each -> each.address().getAddress(), Arrays::compareUnsigned))
                .map(each -> Addresses.portable(each.address()));
    }
}
