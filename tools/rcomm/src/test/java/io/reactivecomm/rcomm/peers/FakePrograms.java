package io.reactivecomm.rcomm.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Shell scripts that stand for installed programs, so that tests depend on none. */
public final class FakePrograms {

    private static final Duration BATCH = Duration.ofMillis(10);

    private FakePrograms() {}

    /** Writes a script that may be run. {@return where} */
    public static Path script(Path folder, String name, String body) {
        try {
            Path file = Files.createDirectories(folder).resolve(name);
            Files.writeString(file, "#!/bin/sh\n" + body + "\n");
            if (!file.toFile().setExecutable(true)) {
                throw new IllegalStateException("cannot be made executable: " + file);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return a peer that is such a script} */
    public static PeerProgram peer(PeerKind peer, Path script) {
        return new PeerProgram(peer, "fake 1.0", request -> List.of(script.toString()), Map.of("FAKE", "yes"));
    }

    /** {@return a request for an all-reduce of two ranks} */
    public static PeerRequest request(Long... sizes) {
        return new PeerRequest("all-reduce", 2, List.of(sizes), null, 3, BATCH, Duration.ZERO);
    }
}
