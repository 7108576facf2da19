package io.reactivecomm.netty.internal.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SelectStrategy;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.RawUnixChannelOption;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.AttributeKey;
import io.reactivecomm.Tuning;
import io.reactivecomm.spi.NativeAccess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The system interface that sockets are driven through. */
public enum Sockets {
    /** Linux, through Netty's native library. */
    EPOLL,
    /** The JDK's channels, everywhere. */
    NIO;

    private static final Logger LOG = LoggerFactory.getLogger(Sockets.class);

    /** What tcp(7) calls TCP_CONGESTION, of level IPPROTO_TCP. */
    private static final int TCP_LEVEL = 6;

    private static final int CONGESTION = 13;

    /** What linux/tcp.h calls TCP_RTO_MAX_MS. */
    private static final int RTO_MAX_MILLIS = 44;

    private static final int LEAST_RETRY_MILLIS = 1000;
    private static final int MOST_RETRY_MILLIS = 120_000;

    /** {@return epoll where it can be used, NIO elsewhere} */
    public static Sockets best() {
        return best(Epoll::unavailabilityCause);
    }

    /** @param epoll why epoll cannot be used, or null if it can */
    static Sockets best(Supplier<@Nullable Throwable> epoll) {
        Throwable missing;
        try {
            missing = epoll.get();
        } catch (LinkageError e) {
            missing = e;
        }
        if (missing == null) {
            return EPOLL;
        }
        LOG.info("sockets are driven by the JDK's channels, not by epoll: cause={}", NativeAccess.reason(missing));
        return NIO;
    }

    /** {@return handlers for a loop that waits like that} */
    IoHandlerFactory handlers(SelectStrategy waiting) {
        return switch (this) {
            case EPOLL -> EpollIoHandler.newFactory(0, () -> waiting);
            case NIO -> NioIoHandler.newFactory(SelectorProvider.provider(), () -> waiting);
        };
    }

    /**
     * Asks for a congestion control on a connection {@link #isWithinMachine within this machine}. A system that does not allow it keeps its
     * own.
     *
     * @param congestion the system's name for it, or {@link Tuning#SYSTEM}
     * @return whether the system refused, as it will on every other connection
     */
    public boolean askFor(String congestion, Channel channel) {
        if (this != EPOLL || congestion.equals(Tuning.SYSTEM) || !isWithinMachine(channel)) {
            return false;
        }
        byte[] name = congestion.getBytes(StandardCharsets.US_ASCII);
        try {
            channel.config()
                    .setOption(
                            new RawUnixChannelOption("TCP_CONGESTION", TCP_LEVEL, CONGESTION, name.length),
                            ByteBuffer.wrap(name));
            return false;
        } catch (ChannelException e) {
            // Nobody need be told that the default, which is asked for without their doing, is not to be had.
            Level level = congestion.equals(Tuning.DEFAULT_CONGESTION) ? Level.DEBUG : Level.WARN;
            LOG.atLevel(level)
                    .setCause(e)
                    .log(
                            "the system keeps its own congestion control: asked={}; choose one of net.ipv4.tcp_allowed_congestion_control,"
                                    + " or RCOMM_CONGESTION={}",
                            congestion,
                            Tuning.SYSTEM);
            return true;
        }
    }

    /**
     * Has a connection send again at least that often what its peer has not acknowledged, where the system can (Linux 6.15). Otherwise it
     * waits twice as long after each attempt, up to two minutes.
     */
    public static void retryWithin(Channel channel, long nanos) {
        int millis = Math.clamp(TimeUnit.NANOSECONDS.toMillis(nanos), LEAST_RETRY_MILLIS, MOST_RETRY_MILLIS);
        if (channel instanceof UnixChannel) {
            try {
                ByteBuffer value = ByteBuffer.allocate(Integer.BYTES)
                        .order(ByteOrder.nativeOrder())
                        .putInt(millis)
                        .flip();
                channel.config()
                        .setOption(
                                new RawUnixChannelOption("TCP_RTO_MAX_MS", TCP_LEVEL, RTO_MAX_MILLIS, Integer.BYTES),
                                value);
            } catch (ChannelException e) {
                LOG.trace("the system keeps its own times for retransmission", e);
            }
        }
    }

    /** {@return whether both ends of a connection have one address, so that its bytes never leave the machine} */
    public static boolean isWithinMachine(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress remote
                && channel.localAddress() instanceof InetSocketAddress local
                && (remote.getAddress().isLoopbackAddress()
                        || remote.getAddress().equals(local.getAddress()));
    }

    /** Writes several buffers in one system call. */
    public interface GatheringWrite {

        /**
         * Writes what the socket takes, and moves the buffers' positions by it.
         *
         * @param target what Netty offers for writing
         * @return how many bytes that was; 0 if the socket is full
         */
        long write(WritableByteChannel target, ByteBuffer[] buffers) throws IOException;
    }

    /** The write of a channel whose bytes are encrypted on their way into the socket. */
    static final AttributeKey<GatheringWrite> ENCRYPTING = AttributeKey.valueOf("io.reactivecomm.encrypting");

    private static final AttributeKey<Boolean> LEAVES_HOST = AttributeKey.valueOf("io.reactivecomm.leaves-host");

    /** Notes that the ends of a connection are on two hosts, by their addresses or by their greeting. */
    static void noteLeavesHost(Channel channel) {
        channel.attr(LEAVES_HOST).set(true);
    }

    /** {@return whether the ends of an admitted connection are on two hosts} */
    public static boolean leavesHost(Channel channel) {
        return Boolean.TRUE.equals(channel.attr(LEAVES_HOST).get());
    }

    /** {@return whether the bytes of a channel are encrypted} */
    public static boolean isEncrypted(Channel channel) {
        return channel.attr(ENCRYPTING).get() != null;
    }

    /** {@return what gathers for a channel, whichever interface it is of} */
    public static GatheringWrite gather(Channel channel) {
        GatheringWrite encrypting = channel.attr(ENCRYPTING).get();
        if (encrypting != null) {
            return encrypting;
        }
        return channel instanceof UnixChannel unix
                ? (target, buffers) -> gather(unix.fd(), target, buffers)
                : (target, buffers) -> ((GatheringByteChannel) target).write(buffers);
    }

    /** Netty's channel over epoll gathers nothing itself, and its descriptor only memory outside the heap. */
    private static long gather(FileDescriptor descriptor, WritableByteChannel target, ByteBuffer[] buffers)
            throws IOException {
        int first = 0;
        boolean isDirect = true;
        for (int i = buffers.length - 1; i >= 0; i--) {
            if (buffers[i].hasRemaining()) {
                first = i;
                isDirect &= buffers[i].isDirect();
            }
        }
        if (!isDirect) {
            return target.write(buffers[first]);
        }
        long written = descriptor.writev(buffers, first, buffers.length - first, Long.MAX_VALUE);
        long left = written;
        for (ByteBuffer buffer : buffers) {
            int here = (int) Math.min(left, buffer.remaining());
            buffer.position(buffer.position() + here);
            left -= here;
        }
        return written;
    }

    Class<? extends SocketChannel> channelType() {
        return switch (this) {
            case EPOLL -> EpollSocketChannel.class;
            case NIO -> NioSocketChannel.class;
        };
    }

    public Class<? extends DatagramChannel> datagramType() {
        return switch (this) {
            case EPOLL -> EpollDatagramChannel.class;
            case NIO -> NioDatagramChannel.class;
        };
    }

    Class<? extends ServerSocketChannel> listenerType() {
        return switch (this) {
            case EPOLL -> EpollServerSocketChannel.class;
            case NIO -> NioServerSocketChannel.class;
        };
    }
}
