package io.reactivecomm.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;

/** Which of the system's interfaces sockets are driven through. */
enum Sockets {
    /** Linux, through Netty's native library. */
    EPOLL,
    /** The JDK's channels, everywhere. */
    NIO;

    private static final byte[] RENO = "reno".getBytes(StandardCharsets.US_ASCII);

    /** Level IPPROTO_TCP, option TCP_CONGESTION. */
    private static final RawUnixChannelOption TCP_CONGESTION =
            new RawUnixChannelOption("TCP_CONGESTION", 6, 13, RENO.length);

    /** {@return epoll where there is, NIO elsewhere} */
    static Sockets best() {
        return Epoll.isAvailable() ? EPOLL : NIO;
    }

    IoHandlerFactory handlers() {
        return switch (this) {
            case EPOLL -> EpollIoHandler.newFactory();
            case NIO -> NioIoHandler.newFactory();
        };
    }

    /**
     * Asks for Reno's congestion control on a connection within this machine, where nothing is congested: the default of many systems,
     * BBR, paces loopback to a half or a quarter of its speed. A system that does not allow it keeps its own.
     */
    void preferReno(Channel channel) {
        boolean loopback = channel.remoteAddress() instanceof InetSocketAddress remote
                && remote.getAddress().isLoopbackAddress();
        if (this == EPOLL && loopback) {
            try {
                channel.config().setOption(TCP_CONGESTION, ByteBuffer.wrap(RENO));
            } catch (ChannelException e) {
                LoggerFactory.getLogger(Sockets.class).debug("keeps the system's congestion control", e);
            }
        }
    }

    Class<? extends SocketChannel> channelType() {
        return switch (this) {
            case EPOLL -> EpollSocketChannel.class;
            case NIO -> NioSocketChannel.class;
        };
    }

    Class<? extends ServerSocketChannel> listenerType() {
        return switch (this) {
            case EPOLL -> EpollServerSocketChannel.class;
            case NIO -> NioServerSocketChannel.class;
        };
    }
}
