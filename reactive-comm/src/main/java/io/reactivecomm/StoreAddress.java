package io.reactivecomm;

import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The place where the ranks of a world find its rendezvous store: an address that all are given, or at one that rank 0 publishes in a file.
 *
 * @param host where the store listens; with a file only rank 0 looks at it
 * @param port where the store listens, 1 to 65535; with a file also 0, for one that the system picks
 * @param hosted whether somebody else, such as the launcher, runs the store; otherwise rank 0 does
 * @param file an absolute path on a file system that all ranks see, under which rank 0 publishes the address, or null if all are given it
 */
public record StoreAddress(
        String host, int port, boolean hosted, @Nullable Path file) {

    /** The host of a store that nobody has told where to listen: this machine, and nobody else. */
    public static final String LOOPBACK = "127.0.0.1";

    /** Not as a {@link URI}, which takes no host with an underscore: clusters and containers have such names. */
    private static final Pattern TCP = Pattern.compile("tcp://(\\[[^]/]+]|[^]\\[:/?#@%\\s]+):(\\d{1,9})/?");

    private static final String FORMS = "; write tcp://host:port, file:///absolute/path or env://";

    public StoreAddress {
        if (port < (file == null ? 1 : 0) || port > 65535) {
            throw new RendezvousException("port is out of range: MASTER_PORT=" + port + "; choose one from 1 to 65535");
        }
        if (file != null && hosted) {
            throw new RendezvousException("a store that somebody else runs publishes no address: file=" + file
                    + ", storeHosted=true; give its address with tcp://host:port");
        }
        if (file != null) {
            requirePlain(file);
        }
    }

    /**
     * {@return the address in {@code tcp://host:port} or {@code file:///absolute/path}, run by rank 0}
     *
     * @throws RendezvousException if it is of another form
     */
    static StoreAddress parse(String initMethod) {
        Matcher tcp = TCP.matcher(initMethod);
        if (tcp.matches()) {
            return new StoreAddress(tcp.group(1), Integer.parseInt(tcp.group(2)), false, null);
        }
        URI address;
        try {
            address = URI.create(initMethod);
        } catch (IllegalArgumentException e) {
            throw new RendezvousException("cannot read the rendezvous address: initMethod=" + initMethod + FORMS, e);
        }
        boolean plain = address.getQuery() == null && address.getFragment() == null;
        if (plain && "file".equals(address.getScheme()) && address.getPath() != null) {
            return new StoreAddress(LOOPBACK, 0, false, pathOf(address, initMethod));
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
        return new StoreAddress(host, port, hosted, file);
    }

    StoreAddress withListener(String host, int port) {
        return new StoreAddress(host, port, hosted, file);
    }

    /** {@return the address in the form that it is given in} */
    @Override
    public String toString() {
        return file == null ? "tcp://" + host + ":" + port : "file://" + file;
    }
}
