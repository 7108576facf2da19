package io.reactivecomm;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The network by which ranks reach each other, of several that a host may have: the name of an interface ({@code ib0}), an address
 * ({@code 10.1.0.7}, {@code fd77::7}), or a network ({@code 10.1.0.0/16}, {@code fd77::/64}), of which bits beyond the prefix are of no account.
 *
 * <p>A zone, as in {@code fe80::/64%eth0}, is the name of an interface to which addresses belong.
 *
 * <p><b>Errors.</b> {@link RendezvousException} for a text that can be none of these.
 *
 * @param text as the user wrote it, without blanks around it
 */
public record NetworkChoice(String text) {

    /** The environment variable of this choice. */
    static final String VARIABLE = "RCOMM_INTERFACE";

    /** Longer than any system's names: Linux has 15 characters. */
    private static final int MOST_NAME_CHARS = 64;

    private static final Pattern NAME = Pattern.compile("[^\\s/:%\\[\\]]{1," + MOST_NAME_CHARS + "}");

    /** What looks like one of these is no interface, even if it is broken. */
    private static final Pattern IPV4_LIKE = Pattern.compile("[0-9]+(\\.[0-9]*)+");

    private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

    public NetworkChoice {
        text = Objects.requireNonNull(text, "a network got no name: " + VARIABLE + "=null; give one, or leave it out")
                .strip();
        Form.parse(text);
    }

    /** {@return whether that address is of this network} */
    public boolean matches(String interfaceName, InetAddress address) {
        Objects.requireNonNull(interfaceName, "interfaceName");
        Objects.requireNonNull(address, "address");
        return Form.parse(text).matches(interfaceName, address);
    }

    /** {@return the one address that this is, or empty if it is an interface or a network of several} */
    public Optional<InetAddress> address() {
        return Form.parse(text) instanceof Network network && network.isOneAddress()
                ? Optional.of(network.address)
                : Optional.empty();
    }

    @Override
    public String toString() {
        return text;
    }

    private static RendezvousException bad(String text, String fact, @Nullable Exception cause) {
        return new RendezvousException(
                "names no interface, address or network: " + VARIABLE + "=" + text + ", " + fact
                        + "; write an interface such as ib0, an address such as 10.1.0.7 or fd77::7, or a network such as 10.1.0.0/16 or fd77::/64",
                cause);
    }

    /** The meaning of a text. */
    private sealed interface Form {

        boolean matches(String interfaceName, InetAddress address);

        static Form parse(String text) {
            return text.indexOf('/') >= 0
                            || text.indexOf(':') >= 0
                            || IPV4_LIKE.matcher(text).matches()
                    ? network(text)
                    : named(text);
        }

        private static Form named(String text) {
            if (!NAME.matcher(text).matches()) {
                throw bad(text, text.isEmpty() ? "it is empty" : "no interface has such a name", null);
            }
            return new Named(text);
        }

        /** The zone may stand before the length or behind it. */
        private static Form network(String text) {
            String zone = "";
            String rest = text;
            int percent = text.indexOf('%');
            if (percent >= 0) {
                int slash = text.indexOf('/', percent);
                zone = text.substring(percent + 1, slash < 0 ? text.length() : slash);
                rest = text.substring(0, percent) + (slash < 0 ? "" : text.substring(slash));
                if (!NAME.matcher(zone).matches()) {
                    throw bad(text, "its zone is no interface", null);
                }
            }
            int slash = rest.indexOf('/');
            InetAddress address = address(text, slash < 0 ? rest : rest.substring(0, slash));
            if (!zone.isEmpty() && !(address instanceof Inet6Address)) {
                throw bad(text, "an address of IPv4 has no zone", null);
            }
            int most = address.getAddress().length * Byte.SIZE;
            return new Network(address, slash < 0 ? most : prefixLength(text, rest.substring(slash + 1), most), zone);
        }

        private static InetAddress address(String text, String literal) {
            boolean isPlain = literal.indexOf(':') >= 0 || IPV4.matcher(literal).matches();
            try {
                if (isPlain) {
                    return InetAddress.ofLiteral(literal);
                }
            } catch (IllegalArgumentException e) {
                throw bad(text, "that is no address", e);
            }
            throw bad(text, "that is no address", null);
        }

        private static int prefixLength(String text, String digits, int most) {
            if (digits.matches("[0-9]{1,3}") && Integer.parseInt(digits) <= most) {
                return Integer.parseInt(digits);
            }
            throw bad(text, "its prefix is not 0 to " + most + " bits long", null);
        }
    }

    /** All addresses of one interface. */
    private record Named(String name) implements Form {

        @Override
        public boolean matches(String interfaceName, InetAddress address) {
            return interfaceName.equals(name);
        }
    }

    /**
     * The addresses that begin as that one.
     *
     * @param zone the interface that they are of, or empty for any
     */
    private record Network(InetAddress address, int prefixLength, String zone) implements Form {

        boolean isOneAddress() {
            return prefixLength == address.getAddress().length * Byte.SIZE;
        }

        @Override
        public boolean matches(String interfaceName, InetAddress other) {
            byte[] own = address.getAddress();
            byte[] its = other.getAddress();
            if (own.length != its.length || !zone.isEmpty() && !zone.equals(interfaceName)) {
                return false;
            }
            int whole = prefixLength / Byte.SIZE;
            for (int i = 0; i < whole; i++) {
                if (own[i] != its[i]) {
                    return false;
                }
            }
            int left = prefixLength % Byte.SIZE;
            return left == 0 || ((own[whole] ^ its[whole]) & 0xFF) >>> (Byte.SIZE - left) == 0;
        }
    }
}
