package io.reactivecomm.netty.internal.rendezvous;

import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.spi.WarningLog;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The file through which ranks find the store's address: rank 0 claims the name, publishes under it, and removes it once all have come.
 *
 * <p>Rank 0 makes the file empty, and only if there is none: of two that want the name one is told. Then it renames a written file to
 * that name, so that others see nothing or all of it. Everybody checks that the file is a plain one, belongs to this user and is closed
 * to others, in a {@link SafeDirectory}. Nobody takes over what is there already: a leftover is told and left alone.
 *
 * <p><b>Errors.</b> {@link RendezvousException}.
 *
 * <p><b>Threads.</b> One at a time, which may block; {@link #remove} from any.
 */
final class AddressFile {

    private static final Logger LOG = WarningLog.of(AddressFile.class);

    private static final int NONCE_BYTES = 8;

    private final Path path;
    private final Path directory;
    private final Path name;
    private final FileRules rules;
    /** What identifies the file that this rank has made, or null if there is none. */
    private @Nullable Object key;

    private boolean over;

    /** @param path absolute */
    AddressFile(Path path) {
        this.path = path;
        this.rules = new FileRules(path);
        this.name = path.getFileName();
        Path parent = path.getParent();
        this.directory = parent == null ? path.getRoot() : parent;
    }

    /** An action in the open directory. */
    private interface Task<T extends @Nullable Object> {

        T in(SafeDirectory directory) throws IOException;
    }

    private <T extends @Nullable Object> T open(Task<T> task) {
        try (SafeDirectory open = SafeDirectory.open(directory)) {
            return task.in(open);
        } catch (IOException e) {
            throw new RendezvousException(
                    "cannot use the rendezvous file: file=" + path + ", cause=" + e
                            + "; its directory must be there and be yours to write to",
                    e);
        }
    }

    /** Makes the file, empty, so that the name is this rank's. */
    synchronized void claim() {
        requireNotOver();
        key = open(open -> {
            try {
                open.create(name);
            } catch (FileAlreadyExistsException e) {
                throw taken(open);
            }
            return orDelete(open, name, () -> {
                PosixFileAttributes made = made(open, name);
                if (!FileRules.isClosed(made)) {
                    throw rules.refused(
                            "this file system keeps it open to others", "use another one, or tcp://host:port");
                }
                open.requireOwner(made.owner());
                return made.fileKey();
            });
        });
    }

    /** An action on a file that this rank has just made. */
    private interface FileAction<T> {

        T take() throws IOException;
    }

    /** A file that cannot be used is not left behind. */
    private static <T> T orDelete(SafeDirectory open, Path made, FileAction<T> step) throws IOException {
        try {
            return step.take();
        } catch (IOException | RendezvousException e) {
            open.delete(made);
            throw e;
        }
    }

    private void requireNotOver() {
        if (over) {
            throw rules.refused("the attempt to connect is over", "connect again");
        }
    }

    /** {@return why the name cannot be had, with what is to be done} */
    private RendezvousException taken(SafeDirectory open) throws IOException {
        PosixFileAttributes there = open.attributes(name);
        if (there == null) {
            return new RendezvousException("the rendezvous file was removed while it was looked at: file=" + path
                    + "; two jobs use its name, choose another");
        }
        rules.requirePlain(there, self(open));
        Optional<PublishedAddress> published = content(open, there);
        if (published.isPresent() && published.get().isOfEndedProcess()) {
            return leftover(published.get());
        }
        String writer = published
                .map(address -> ", pid=" + address.pid() + " on " + address.machine())
                .orElse("");
        return new RendezvousException("the rendezvous file is there already: file=" + path + ", written="
                + there.lastModifiedTime() + writer
                + "; remove it if it is the leftover of an earlier run, or choose another name if a job uses it");
    }

    private RendezvousException leftover(PublishedAddress published) {
        return new RendezvousException("the rendezvous file is a leftover of an earlier run: file=" + path + ", pid="
                + published.pid() + " has ended, started=" + published.started()
                + "; remove it, or choose a new name for each run");
    }

    /** Writes the address under the claimed name. */
    synchronized void publish(PublishedAddress address) {
        requireNotOver();
        key = open(open -> {
            PosixFileAttributes claimed = open.attributes(name);
            if (claimed == null || !claimed.fileKey().equals(key)) {
                throw rules.refused(
                        "it was exchanged since this rank made it", "two jobs use its name: choose another");
            }
            return write(open, address);
        });
    }

    /** Writes the address under a name that belongs to nobody else who runs: what is there is left of one who does not. */
    synchronized void replace(PublishedAddress address) {
        requireNotOver();
        key = open(open -> {
            UserPrincipal self = self(open);
            open.requireOwner(self);
            PosixFileAttributes there = open.attributes(name);
            if (there != null) {
                rules.requirePlain(there, self);
            }
            return write(open, address);
        });
    }

    /** {@return what identifies the file that is there now} */
    private Object write(SafeDirectory open, PublishedAddress address) throws IOException {
        Path written = temporary();
        open.create(written);
        return orDelete(open, written, () -> {
            open.write(written, address.encode());
            Object writtenKey = made(open, written).fileKey();
            open.rename(written, name);
            return writtenKey;
        });
    }

    private PosixFileAttributes made(SafeDirectory open, Path file) throws IOException {
        PosixFileAttributes attributes = open.attributes(file);
        if (attributes == null) {
            throw rules.refused("a file beside it vanished", "use a directory of your own");
        }
        return attributes;
    }

    /**
     * {@return the address, or empty if it is not there yet}
     *
     * <p>A file of a process that has ended is an error: its store has ended too.
     */
    synchronized Optional<PublishedAddress> read() {
        Optional<PublishedAddress> published = look();
        if (published.isPresent() && published.get().isOfEndedProcess()) {
            throw leftover(published.get());
        }
        return published;
    }

    /** {@return the address, or empty if it is not there yet or its process has ended} */
    synchronized Optional<PublishedAddress> readUnlessLeft() {
        return look().filter(published -> !published.isOfEndedProcess());
    }

    private Optional<PublishedAddress> look() {
        return open(open -> {
            PosixFileAttributes there = open.attributes(name);
            if (there == null) {
                return Optional.empty();
            }
            UserPrincipal self = self(open);
            open.requireOwner(self);
            rules.requirePlain(there, self);
            return content(open, there);
        });
    }

    /** Removes the file if it is this user's, and the process that wrote it has certainly ended. */
    synchronized void removeIfLeft() {
        open(open -> {
            PosixFileAttributes there = open.attributes(name);
            if (there != null) {
                rules.requirePlain(there, self(open));
                if (content(open, there).filter(PublishedAddress::isOfNoProcess).isPresent()) {
                    open.delete(name, temporary(), there.fileKey());
                }
            }
            return null;
        });
    }

    private Optional<PublishedAddress> content(SafeDirectory open, PosixFileAttributes checked) throws IOException {
        byte[] bytes;
        try {
            bytes = open.read(name, PublishedAddress.MAX_BYTES + 1);
        } catch (NoSuchFileException e) {
            // The job that made it has removed it in between.
            return Optional.empty();
        }
        PosixFileAttributes after = open.attributes(name);
        if (bytes.length == 0 || after == null || !after.fileKey().equals(checked.fileKey())) {
            // Claimed and not yet published, or published while it was read.
            return Optional.empty();
        }
        return Optional.of(PublishedAddress.decode(path, bytes));
    }

    /** {@return whose a file is that this process makes here, which on network file systems need not be this process's user} */
    private UserPrincipal self(SafeDirectory open) throws IOException {
        Path probe = temporary();
        open.create(probe);
        UserPrincipal owner = orDelete(open, probe, () -> made(open, probe).owner());
        open.delete(probe);
        return owner;
    }

    private Path temporary() {
        String nonce = HexFormat.of().formatHex(Handshake.newNonce(NONCE_BYTES));
        return path.getFileSystem().getPath("." + name + "." + nonce);
    }

    /** Removes the file if it is the one that this rank made. Idempotent. */
    synchronized void remove() {
        over = true;
        Object made = key;
        key = null;
        if (made == null) {
            return;
        }
        try (SafeDirectory open = SafeDirectory.open(directory)) {
            open.delete(name, temporary(), made);
        } catch (IOException | RendezvousException e) {
            LOG.warn(
                    "cannot remove the rendezvous file: file={}; remove it before the next run",
                    path,
                    WarningLog.printable(e));
        }
    }
}
