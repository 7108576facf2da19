package io.reactivecomm.netty.internal.host;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The directories in which a user's processes on a machine find each other's small files. That is {@code /run/user/UID}, which the system
 * makes at login for that user alone, and else {@code /tmp/reactive-comm-UID}. Neither depends on a process's environment, so all look at
 * the same places.
 *
 * <p>Whether a directory belongs to this user and is safe is checked when it is opened.
 *
 * <p><b>Threads.</b> Any that may block.
 */
public final class UserDirectories {

    private static final Path RUNTIME = Path.of("/run/user");
    private static final Path TEMPORARY = Path.of("/tmp");
    private static final String NAME = "reactive-comm";
    private static final int UNKNOWN = -1;

    private final Path runtime;
    private final Path temporary;
    private int user = UNKNOWN;

    /** @param runtime holds a directory for each user that is logged in; may be missing */
    public UserDirectories(Path runtime, Path temporary) {
        this.runtime = runtime;
        this.temporary = temporary;
    }

    public static UserDirectories ofTheSystem() {
        return new UserDirectories(RUNTIME, TEMPORARY);
    }

    /** {@return whether this system can keep a directory open and tell whose a file is} */
    public static boolean areSafeHere() {
        if (!TEMPORARY.getFileSystem().supportedFileAttributeViews().contains("unix")
                || !Files.isDirectory(TEMPORARY)) {
            return false;
        }
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(TEMPORARY)) {
            return stream instanceof SecureDirectoryStream<Path>;
        } catch (IOException e) {
            // One that cannot be listed is refused by name where it is used.
            return true;
        }
    }

    /** {@return where the files may be, whether there or not, the best place first} */
    public synchronized List<Path> all() throws IOException {
        // The real path, as SafeDirectory demands: some systems have a link in its place.
        Path shared = temporary.toRealPath();
        if (user == UNKNOWN) {
            user = user(shared);
        }
        List<Path> all = new ArrayList<>();
        Path own = runtime.resolve(Integer.toString(user));
        if (isOfUser(own)) {
            all.add(own.toRealPath().resolve(NAME));
        }
        all.add(shared.resolve(NAME + "-" + user));
        return all;
    }

    /** {@return whose a file is that this process makes, which in a user namespace is all that counts} */
    private static int user(Path directory) throws IOException {
        Path probe = Files.createTempFile(directory, NAME, null);
        try {
            return (Integer) Files.getAttribute(probe, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        } finally {
            Files.delete(probe);
        }
    }

    private boolean isOfUser(Path directory) throws IOException {
        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                && Files.isWritable(directory)
                && Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                        .equals(user)
                && PosixFilePermissions.toString(
                                Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                                        .permissions())
                        .endsWith("------");
    }

    /** {@return the best place, which is there now} */
    public Path make() throws IOException {
        Path best = all().getFirst();
        try {
            Files.createDirectory(
                    best, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            // An earlier job's, or a stranger's, which is refused when it is opened.
        }
        return best;
    }
}
