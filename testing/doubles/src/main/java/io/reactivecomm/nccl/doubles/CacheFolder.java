package io.reactivecomm.nccl.doubles;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder in which built doubles stay: the user's own, since what is in it is loaded into this process. */
final class CacheFolder {

    static final Path PATH = path();

    private CacheFolder() {}

    /** Where the user has none that can be written to, this process has one for itself. */
    private static Path path() {
        try {
            Path wanted = wanted();
            try {
                return Files.createDirectories(wanted.resolve("reactive-comm").resolve("doubles"));
            } catch (IOException e) {
                return Files.createTempDirectory("reactive-comm-doubles");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("there is no folder to build the doubles in", e);
        }
    }

    private static Path wanted() throws IOException {
        String caches = System.getenv("XDG_CACHE_HOME");
        String home = System.getenv("HOME");
        if (caches != null && Path.of(caches).isAbsolute()) {
            return Path.of(caches);
        }
        return home != null && Path.of(home).isAbsolute()
                ? Path.of(home, ".cache")
                : Files.createTempDirectory("reactive-comm-doubles");
    }
}
