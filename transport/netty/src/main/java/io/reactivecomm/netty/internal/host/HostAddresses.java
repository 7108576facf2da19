package io.reactivecomm.netty.internal.host;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The addresses of the store's host, of which rank 0 listens at one and the others dial one. They cannot ask each other which: each takes the first
 * that serves, in an order that is the same everywhere.
 *
 * @param all as the system gives them: those of the family that it prefers first, and otherwise in an order that may change
 */
public record HostAddresses(List<InetAddress> all) {

    /** {@return those of that host, looked up} */
    public static HostAddresses of(String host) throws UnknownHostException {
        return new HostAddresses(List.of(InetAddress.getAllByName(host)));
    }

    /** {@return the address of that host that packets leave to, looked up} */
    public static InetSocketAddress reachable(String host, int port) {
        try {
            return new InetSocketAddress(
                    of(host).towards(RankAddressChoice.AS_REACHED, OwnAddresses::sourceTowards), port);
        } catch (UnknownHostException e) {
            throw Addresses.unknown(host, e);
        }
    }

    /** {@return where to listen: an address of the network that is named, else one of this machine's, else the first} */
    public InetAddress own(RankAddressChoice named) {
        return first(named::has).or(() -> first(Addresses::isOwn)).orElseGet(all::getFirst);
    }

    /** {@return what to dial: an address that packets leave to by the network that is named, else one that they leave to at all, else the first} */
    public InetAddress towards(RankAddressChoice named, ListenerChoice.Routes routes) {
        return first(there -> {
                    InetAddress source = routes.sourceTowards(there);
                    return source != null && named.has(source);
                })
                .or(() -> first(there -> routes.sourceTowards(there) != null))
                .orElseGet(all::getFirst);
    }

    private Optional<InetAddress> first(Predicate<InetAddress> condition) {
        Class<?> preferred = all.getFirst().getClass();
        return all.stream()
                .sorted(Comparator.comparing((InetAddress each) -> each.getClass() != preferred)
                        .thenComparing(InetAddress::getAddress, Arrays::compareUnsigned))
                .filter(condition)
                .findFirst();
    }
}
