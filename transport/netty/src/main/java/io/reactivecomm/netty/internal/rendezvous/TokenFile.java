package io.reactivecomm.netty.internal.rendezvous;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.host.Addresses;
import io.reactivecomm.netty.internal.host.ThisHost;
import io.reactivecomm.netty.internal.host.UserDirectories;
import io.reactivecomm.spi.WarningLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The file through which ranks of one user on one machine share the token of a store that nobody gave them one for. Without it every local
 * user's process could enter a store on loopback.
 *
 * <p>Rank 0 makes a token up, takes the store's port, writes the file, and only then lets anybody in. So what stands under this address
 * belongs to no store that runs, and is replaced; and who is refused twice with what stands there has no claim to it. The file is removed
 * when the store is closed: a latecomer is to hear that the world is complete, and not that there is no token.
 *
 * <p>It is named by the store's address and by the space of addresses that this is one of, since containers may have a loopback each and
 * their files in common. It lies in a {@link SafeDirectory} of this user's, and is treated as an {@link AddressFile}.
 *
 * <p><b>Errors.</b> {@link RendezvousException}, which names the settings that do without the file.
 *
 * <p><b>Threads.</b> Any that may block; {@link #remove} on any.
 */
public final class TokenFile {

    private static final Logger LOG = WarningLog.of(TokenFile.class);

    /** What to do where the ranks cannot share a file. */
    static final String REMEDY =
            "ranks of several users, or of containers that share loopback and no files, need the same RCOMM_TOKEN, or"
                    + " RCOMM_TOKEN_FILE=0 on all of them, which admits every local process";

    /** 256 bits, which cannot be guessed. */
    private static final int TOKEN_BYTES = 32;

    private static final String PREFIX = "store-";

    /** Files beside one that is being written have dots in front. */
    private static final Pattern OURS = Pattern.compile("\\.*" + PREFIX + ".*");

    /** No job is kept waiting because of more that others have left: the next one goes on. */
    private static final int MOST_SWEPT = 256;

    /** More jobs than a user runs on one machine; what killed ones have left does not count. */
    private static final int MOST_LISTED = 256;

    private static final Pattern UNFIT = Pattern.compile("[^0-9A-Za-z.]+");

    private final InetSocketAddress store;
    private final UserDirectories directories;
    private final String name;
    private @Nullable AddressFile made;
    private boolean over;
    private volatile boolean saidUnusable;

    public TokenFile(InetSocketAddress store, UserDirectories directories) {
        this.store = store;
        this.directories = directories;
        this.name = fit(PREFIX + Addresses.text(store) + "-" + ThisHost.network());
    }

    private static String fit(String name) {
        return UNFIT.matcher(name).replaceAll("-");
    }

    /** {@return whether a store there is to be guarded so} */
    public static boolean guards(InetSocketAddress store, CommConfig config) {
        String token = config.token();
        return (token == null || token.isEmpty())
                && config.admission().tokenFile()
                && config.file() == null
                && !config.storeHosted()
                && store.getAddress().isLoopbackAddress()
                && UserDirectories.areSafeHere();
    }

    public static String newToken() {
        return HexFormat.of().formatHex(Handshake.newNonce(TOKEN_BYTES));
    }

    /** Writes the token, for a store that has its port and admits nobody yet. */
    public synchronized void publish(String token) {
        if (over) {
            throw new RendezvousException(
                    "the attempt to connect is over: store=" + Addresses.text(store) + "; connect again");
        }
        try {
            Path directory = directories.make();
            AddressFile file = new AddressFile(directory.resolve(name));
            made = file;
            file.replace(PublishedAddress.ofThisProcess(store.getAddress().getHostAddress(), store.getPort(), token));
            sweep(directory);
        } catch (IOException | RendezvousException e) {
            throw unusable(e);
        }
    }

    /** {@return what stores of this user have written that run here, as far as this user may tell} */
    public static List<PublishedAddress> all(UserDirectories directories) throws IOException {
        List<PublishedAddress> all = new ArrayList<>();
        for (Path directory : directories.all()) {
            if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                names(directory).stream()
                        .filter(each -> each.startsWith(PREFIX) && each.endsWith(fit(ThisHost.network())))
                        .sorted()
                        .flatMap(each -> readIfOurs(directory.resolve(each)).stream())
                        .limit(MOST_LISTED)
                        .forEach(all::add);
            }
        }
        return all;
    }

    private static List<String> names(Path directory) throws IOException {
        try (SafeDirectory open = SafeDirectory.open(directory)) {
            return open.names().stream().map(Path::toString).toList();
        } catch (RendezvousException e) {
            LOG.debug("looks for no jobs in a directory that is not this user's alone: directory={}", directory, e);
            return List.of();
        }
    }

    private static Optional<PublishedAddress> readIfOurs(Path file) {
        try {
            return new AddressFile(file).readUnlessLeft();
        } catch (RendezvousException e) {
            LOG.debug("takes a file for no job's: file={}", file, e);
            return Optional.empty();
        }
    }

    /** Stores that were killed leave their files, under addresses that nobody may ever use again. */
    private void sweep(Path directory) throws IOException {
        List<Path> names;
        try (SafeDirectory open = SafeDirectory.open(directory)) {
            names = open.names();
        }
        // Some may never go, such as those of other containers: they must not be the only ones that are ever looked at.
        Collections.shuffle(names);
        names.stream()
                .filter(each -> !each.toString().equals(name)
                        && OURS.matcher(each.toString()).matches())
                .limit(MOST_SWEPT)
                .forEach(each -> removeIfLeft(directory.resolve(each)));
    }

    private static void removeIfLeft(Path other) {
        try {
            new AddressFile(other).removeIfLeft();
        } catch (RendezvousException e) {
            LOG.debug("leaves a file alone that it cannot tell the owner of: file={}", other, e);
        }
    }

    /** {@return the token of a store that may run, or empty if there is none yet} */
    public Optional<String> read() {
        try {
            List<Path> places = directories.all();
            Optional<PublishedAddress> found = read(places.getFirst());
            for (int i = 1; i < places.size() && found.isEmpty(); i++) {
                found = readElsewhere(places.get(i));
            }
            return found.map(PublishedAddress::token);
        } catch (IOException | RendezvousException e) {
            throw unusable(e);
        }
    }

    private Optional<PublishedAddress> read(Path directory) throws IOException {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                ? new AddressFile(directory.resolve(name)).readUnlessLeft()
                : Optional.empty();
    }

    /** Anybody may make a directory of that name where all may write: whoever has a better place must not fail because of it. */
    private Optional<PublishedAddress> readElsewhere(Path directory) {
        try {
            return read(directory);
        } catch (IOException | RendezvousException e) {
            if (!saidUnusable) {
                saidUnusable = true;
                LOG.warn(
                        "looks for no token in a directory that is not this user's alone: directory={}, cause={}",
                        directory,
                        CommException.textOf(e));
            }
            return Optional.empty();
        }
    }

    private RendezvousException unusable(Exception cause) {
        return new RendezvousException(
                "cannot share the store's token: store=" + Addresses.text(store) + ", cause="
                        + CommException.textOf(cause) + "; else " + REMEDY,
                cause);
    }

    /** {@return where the file is to be, for messages} */
    String place() {
        try {
            return directories.all().getFirst().resolve(name).toString();
        } catch (IOException e) {
            return name;
        }
    }

    /** Removes the file that this has written, if it is there still. Idempotent. */
    public synchronized void remove() {
        over = true;
        if (made != null) {
            made.remove();
        }
    }
}
