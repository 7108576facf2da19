package io.reactivecomm.testkit.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Connections to the store that say nothing. */
final class ConnectionFlood implements AutoCloseable {

    /** More than the store admits at a time without a token. */
    static final int CONNECTIONS = 1_500;

    private final InetSocketAddress target;
    private final List<SocketChannel> open = new ArrayList<>();

    ConnectionFlood(int port) throws IOException {
        target = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try {
            while (open.size() < CONNECTIONS) {
                SocketChannel one = SocketChannel.open();
                open.add(one);
                one.configureBlocking(false);
                one.connect(target);
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    @Override
    public void close() {
        for (SocketChannel each : open) {
            try {
                each.close();
            } catch (IOException e) {
                // Nothing was to be said.
            }
        }
        open.clear();
    }
}
