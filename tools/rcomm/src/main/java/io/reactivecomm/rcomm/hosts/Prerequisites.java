package io.reactivecomm.rcomm.hosts;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/**
 * The needs of namespaces: root, and the system's commands.
 *
 * @param user the effective user's number
 * @param isInstalled whether there is a program of that name
 */
record Prerequisites(int user, Predicate<String> isInstalled) {

    private static final int ROOT = 0;
    private static final int NOBODY_KNOWN = -1;
    private static final List<String> PROGRAMS = List.of("ip", "tc", "unshare", "nsenter", "setsid");

    /** {@return those of this process} */
    static Prerequisites ofThisProcess() {
        String path = System.getenv("PATH");
        List<String> folders = List.of((path == null ? "" : path).split(File.pathSeparator));
        return new Prerequisites(
                currentUser(), name -> folders.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, name))));
    }

    private static int currentUser() {
        try {
            return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        } catch (IOException | UnsupportedOperationException e) {
            return NOBODY_KNOWN;
        }
    }

    /** @throws HostsException if something is missing */
    void require() {
        if (user == NOBODY_KNOWN) {
            throw new HostsException("network namespaces are Linux's: /proc is not there; run it on Linux");
        }
        if (user != ROOT) {
            throw new HostsException("network namespaces need root: uid=" + user
                    + "; run it with sudo, or in a container that is privileged");
        }
        List<String> missing = PROGRAMS.stream().filter(isInstalled.negate()).toList();
        if (!missing.isEmpty()) {
            throw new HostsException("programs are missing: missing=" + missing
                    + "; install iproute2, which has ip and tc, and util-linux, which has unshare, nsenter and setsid,"
                    + " and have /usr/sbin on the PATH");
        }
    }
}
