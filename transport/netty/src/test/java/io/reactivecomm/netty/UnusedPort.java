package io.reactivecomm.netty;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of 127.0.0.1 that nobody listens on, for the cases that must know a port before its store listens, or that want nobody there.
 *
 * <p>A port that the system picked and that was closed again may be picked at once for any connection of this machine, so these lie below
 * what the system picks from. Test JVMs that run side by side keep from each other's by a block of ports each, held by a socket on an
 * address that no test uses.
 */
public final class UnusedPort {

    private static final int FIRST = 12_000;
    private static final int BLOCK = 200;
    private static final int BLOCKS = 100;
    private static final String CLAIMS = "127.83.1.1";

    /** Open until the JVM ends: it says that this JVM has the block that begins at its port. */
    private static final ServerSocket CLAIM = claim();

    private static int taken;

    private UnusedPort() {}

    /** {@return a port that this JVM has not been given lately, and that nobody listens on} */
    public static synchronized int take() {
        for (int tries = 0; tries < BLOCK; tries++) {
            int port = CLAIM.getLocalPort() + 1 + taken++ % (BLOCK - 1);
            if (canListen(port)) {
                return port;
            }
        }
        throw new IllegalStateException("every port is taken: first=" + CLAIM.getLocalPort() + ", count=" + BLOCK);
    }

    private static boolean canListen(int port) {
        try (ServerSocket _ = listen("127.0.0.1", port)) {
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private static ServerSocket claim() {
        int first = ThreadLocalRandom.current().nextInt(BLOCKS);
        for (int i = 0; i < BLOCKS; i++) {
            try {
                return listen(CLAIMS, FIRST + (first + i) % BLOCKS * BLOCK);
            } catch (IOException _) {
                // Another JVM has this block, or somebody else this port.
            }
        }
        throw new IllegalStateException("every block of ports is taken: first=" + FIRST + ", blocks=" + BLOCKS);
    }

    private static ServerSocket listen(String address, int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getByName(address));
    }
}
