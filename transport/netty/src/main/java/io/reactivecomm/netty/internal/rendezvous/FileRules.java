package io.reactivecomm.netty.internal.rendezvous;

import io.reactivecomm.RendezvousException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Set;

/**
 * Conditions on a file that tells where a store is, so that nobody else has written it and nobody else reads it.
 *
 * <p><b>Errors.</b> {@link RendezvousException}.
 *
 * @param path for messages
 */
record FileRules(Path path) {

    private static final Set<PosixFilePermission> OWNERS = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

    static boolean isClosed(PosixFileAttributes file) {
        return OWNERS.containsAll(file.permissions());
    }

    /** Refuses what is no plain file, not that user's, or open to others. */
    void requirePlain(PosixFileAttributes there, UserPrincipal self) {
        if (there.isSymbolicLink()) {
            throw refused("it is a symbolic link", "remove the link, or name another file");
        }
        if (!there.isRegularFile()) {
            throw refused("it is no plain file", "name one that is not there yet");
        }
        if (!there.owner().equals(self)) {
            throw refused(
                    "it belongs to somebody else, owner=" + there.owner(), "name a file in a directory of your own");
        }
        if (!isClosed(there)) {
            throw refused(
                    "it is open to others, mode=" + PosixFilePermissions.toString(there.permissions()),
                    "remove it: rank 0 makes it with mode 0600");
        }
    }

    RendezvousException refused(String fact, String remedy) {
        return new RendezvousException("refuses the rendezvous file: file=" + path + ", " + fact + "; " + remedy);
    }
}
