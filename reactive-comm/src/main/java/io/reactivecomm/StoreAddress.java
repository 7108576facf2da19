package io.reactivecomm;

import java.net.InetAddress;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The place where the ranks of a world find its rendezvous store: an address that all are given, or one that rank 0 publishes in a file or tells by an
 * all-gather.
 *
 * @param host where the store listens, an address of IPv6 without the brackets that it may be given in; with a file or a meeting only rank 0 looks
 *     at it, and with a meeting it may be {@link #CHOSEN}
 * @param port where the store listens, 1 to 65535; with a file or a meeting also 0, for one that the system picks
 * @param hosted whether somebody else, such as the launcher, runs the store; otherwise rank 0 does
 * @param file an absolute path on a file system that all ranks see, under which rank 0 publishes the address, or null if it does not
 * @param meeting the all-gather by which rank 0 tells the address, or null if it does not
 */
public record StoreAddress(
        String host,
        int port,
        boolean hosted,
        @Nullable Path file,
        @Nullable Meeting meeting) {

    /** The host of a store that nobody has told where to listen: this machine, and nobody else. */
    public static final String LOOPBACK = "127.0.0.1";

    /** The host of a store whose address rank 0 chooses when it knows where the others are. */
    public static final String CHOSEN = "";

    /** Not as a {@link URI}, which takes no host with an underscore: clusters and containers have such names. */
    private static final Pattern TCP = Pattern.compile("tcp://(\\[[^]/]+]|[^]\\[:/?#@%\\s]+):(\\d{1,9})/?");

    /** Any letters and digits, because users may define names in a hosts file. */
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}._-]+");

    /** No host name consists of these only, so the text is an address, which may be invalid. */
    private static final Pattern NUMBERS = Pattern.compile("[0-9.]+");

    private static final String FORMS =
            "; write tcp://host:port with an address of IPv6 in brackets, file:///absolute/path or env://";

    public StoreAddress {
        Objects.requireNonNull(host, "host");
        host = host.strip();
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        requireHost(host, file != null || meeting != null);
        if (port < (file == null && meeting == null ? 1 : 0) || port > 65535) {
            throw new RendezvousException("port is out of range: MASTER_PORT=" + port + "; choose one from 1 to 65535");
        }
        if (file != null && hosted) {
            throw new RendezvousException("a store that somebody else runs publishes no address: file=" + file
                    + ", storeHosted=true; give its address with tcp://host:port");
        }
        if (meeting != null && (hosted || file != null)) {
            throw new RendezvousException(
                    "ranks that meet by an all-gather have no other way to the store: storeHosted=" + hosted + ", file="
                            + file + "; leave RCOMM_STORE_HOSTED out, or give the store's address and no all-gather");
        }
        if (file != null) {
            requirePlain(file);
        }
    }

    /** Rejects invalid addresses at once. Valid names may still be unknown, and are looked up until the rendezvous timeout. */
    private static void requireHost(String host, boolean mayBeChosen) {
        boolean isHost = host.equals(CHOSEN)
                ? mayBeChosen
                : host.indexOf(':') >= 0 || NUMBERS.matcher(host).matches()
                        ? isLiteral(host)
                        : NAME.matcher(host).matches();
        if (!isHost) {
            throw new RendezvousException(
                    "not the name or the address of a host: MASTER_ADDR=" + host
                            + "; write it alone, such as node1, 10.1.0.7 or fd77::7, without a scheme, and the port as MASTER_PORT");
        }
    }

    /** The zone of an address is an interface of the machine that it is used on. */
    private static boolean isLiteral(String host) {
        int zone = host.indexOf('%');
        try {
            InetAddress.ofLiteral(zone < 0 ? host : host.substring(0, zone));
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** An address that all are given. */
    public StoreAddress(String host, int port, boolean hosted) {
        this(host, port, hosted, null, null);
    }

    /**
     * {@return the address in {@code tcp://host:port} or {@code file:///absolute/path}, run by rank 0}
     *
     * @throws RendezvousException if it is of another form
     */
    static StoreAddress parse(String initMethod) {
        Matcher tcp = TCP.matcher(initMethod);
        if (tcp.matches()) {
            return new StoreAddress(tcp.group(1), Integer.parseInt(tcp.group(2)), false);
        }
        URI address;
        try {
            address = URI.create(initMethod);
        } catch (IllegalArgumentException e) {
            throw new RendezvousException("cannot read the rendezvous address: initMethod=" + initMethod + FORMS, e);
        }
        boolean plain = address.getQuery() == null && address.getFragment() == null;
        if (plain && "file".equals(address.getScheme()) && address.getPath() != null) {
            return new StoreAddress(LOOPBACK, 0, false, pathOf(address, initMethod), null);
        }
        throw new RendezvousException("cannot read the rendezvous address: initMethod=" + initMethod + FORMS);
    }

    private static Path pathOf(URI address, String initMethod) {
        if (address.getRawAuthority() != null || !address.getPath().startsWith("/")) {
            throw new RendezvousException("the rendezvous file is no absolute path: initMethod=" + initMethod
                    + "; write file:///absolute/path, with three slashes");
        }
        try {
            return FileSystems.getDefault().getPath(address.getPath());
        } catch (InvalidPathException e) {
            throw new RendezvousException(
                    "cannot read the rendezvous file's path: initMethod=" + initMethod + FORMS, e);
        }
    }

    /** What a path could mean besides the file that it names is refused before anything is opened. */
    private static void requirePlain(Path file) {
        if (!file.isAbsolute() || file.getFileName() == null) {
            throw new RendezvousException("the rendezvous file is no absolute path to a file: file=" + file
                    + "; name a file that is not there yet, in a directory of your own");
        }
        for (Path part : file) {
            if (part.toString().equals("..") || part.toString().equals(".")) {
                throw new RendezvousException(
                        "the rendezvous file's path goes up: file=" + file + "; write it without . and ..");
            }
        }
    }

    StoreAddress withHosted(boolean hosted) {
        return new StoreAddress(host, port, hosted, file, meeting);
    }

    StoreAddress withListener(String host, int port) {
        return new StoreAddress(host, port, hosted, file, meeting);
    }

    /** Whoever is told the address by it needs no file; that somebody else runs the store contradicts it. */
    StoreAddress withMeeting(Meeting meeting) {
        return new StoreAddress(CHOSEN, 0, hosted, null, meeting);
    }

    /** {@return {@code host:port}, with brackets around an address of IPv6} */
    public static String hostAndPort(String host, int port) {
        Objects.requireNonNull(host, "host");
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** {@return the address in the form that it is given in} */
    @Override
    public String toString() {
        if (meeting != null) {
            return "all-gather" + (host.equals(CHOSEN) ? "" : " to " + hostAndPort(host, port));
        }
        return file == null ? "tcp://" + hostAndPort(host, port) : "file://" + file;
    }
}
