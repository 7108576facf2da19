package io.reactivecomm.launch;

import java.io.IOException;
import java.net.ServerSocket;

/** A port of this machine on which no process listens, for a store that the program of the ranks runs, such as torch.distributed's. */
final class FreePort {

    private static final int ANY_PORT = 0;

    private FreePort() {}

    /**
     * {@return one that is free on all addresses} It is not held: the program binds it. Linux chooses other ports for outgoing connections first.
     *
     * @throws LaunchException if there is none
     */
    static int find() {
        try (ServerSocket probe = new ServerSocket(ANY_PORT)) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new LaunchException(
                    LaunchException.FAILED,
                    "no port is free for the program's own store: reason=" + e.getMessage() + "; end programs that hold ports, or raise their range",
                    e);
        }
    }
}
