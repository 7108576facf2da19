package io.reactivecomm.netty.internal.store;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;

/** Strangers who connect to a port from several addresses of this machine and say nothing; those that are closed come again. */
final class IdleCrowd implements AutoCloseable {

    private final InetSocketAddress to;
    private final int sources;
    /** In the order of their arrival: who came first is closed first. */
    private final Deque<SocketChannel> idle = new ArrayDeque<>();

    private int dialled;

    /** @param sources how many of 127.0.0.1, 127.0.0.2, … they come from */
    IdleCrowd(int port, int sources) {
        this.to = new InetSocketAddress("127.0.0.1", port);
        this.sources = sources;
    }

    /** Lets so many connect. */
    void grow(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            SocketChannel channel = SocketChannel.open();
            // A reset at the end: nothing is left of thousands of connections.
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.bind(new InetSocketAddress(InetAddress.getByName("127.0.0." + (1 + dialled++ % sources)), 0));
            channel.connect(to);
            channel.configureBlocking(false);
            idle.add(channel);
        }
    }

    /** Lets those that have been closed come again; {@return how many} */
    int comeAgain() throws IOException {
        int closed = 0;
        for (int left = idle.size(); left > 0; left--) {
            SocketChannel channel = idle.remove();
            if (isClosed(channel)) {
                channel.close();
                closed++;
            } else {
                idle.add(channel);
            }
        }
        grow(closed);
        return closed;
    }

    private static boolean isClosed(SocketChannel channel) {
        try {
            return channel.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            // A reset.
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : idle) {
            channel.close();
        }
    }
}
