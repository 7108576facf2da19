package io.reactivecomm.launch;

import java.io.IOException;
import java.net.ServerSocket;

/** A free port for a store that the ranks' program runs itself, such as torch.distributed's. */
final class FreePort {

    private static final int ANY_PORT = 0;

    private FreePort() {}

    /**
     * {@return a port that is free on all addresses} It is not held, so that the program can bind it. Linux prefers other ports for outgoing connections.
     *
     * @throws LaunchException if no port is free
     */
    static int find() {
        try (ServerSocket probe = new ServerSocket(ANY_PORT)) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new LaunchException(
                    LaunchException.FAILED,
                    "no port is free for the program's own store: reason=" + e.getMessage()
                            + "; end programs that hold ports, or raise their range",
                    e);
        }
    }
}
