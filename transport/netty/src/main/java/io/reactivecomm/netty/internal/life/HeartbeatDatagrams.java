package io.reactivecomm.netty.internal.life;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.StrangerLog;
import io.reactivecomm.netty.internal.host.RankAddress;
import io.reactivecomm.netty.internal.store.Roster;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.WarningLog;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Beats as datagrams: none waits for one that was lost before it, as those on a connection do. They may be blocked; then the connection's
 * remain.
 *
 * <p>Datagrams that are not sealed by this job are counted and forgotten, as are those that are no newer than the last of their sender.
 *
 * <p><b>Threads.</b> The control thread.
 */
public final class HeartbeatDatagrams extends SimpleChannelInboundHandler<DatagramPacket> {

    /** What passes every network in one piece. A beat that is longer goes by the connection alone. */
    static final int MAX_BYTES = 1200;

    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatDatagrams.class);

    private final StrangerLog strangers;
    private final int rank;
    private @Nullable Channel channel;
    private @Nullable HeartbeatMac seal;
    private Consumer<Heartbeat> listener = _ -> {};
    private InetSocketAddress[] addresses = {};
    private long[] latest = {};

    public HeartbeatDatagrams(int rank, StrangerLog strangers) {
        this.rank = rank;
        this.strangers = strangers;
    }

    /** Binds a socket of the system's choice there; nothing is read from it before there is a roster. */
    public ChannelFuture bind(NettyLoop on, InetAddress host) {
        ChannelFuture bound = new Bootstrap()
                .group(on.group())
                .channel(on.sockets().datagramType())
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(2048))
                .handler(this)
                .bind(new InetSocketAddress(host, 0));
        on.own(bound.channel());
        return bound;
    }

    /** Begins to read: who the others are is known. On the control thread. */
    public void open(Roster roster, RankAddress own, HeartbeatMac seal, Channel bound, Consumer<Heartbeat> listener) {
        this.channel = bound;
        this.seal = seal;
        this.listener = listener;
        this.addresses = roster.entries().stream()
                .map(entry -> own.peer(entry.host(), entry.beatPort()))
                .toArray(InetSocketAddress[]::new);
        this.latest = new long[addresses.length];
        bound.config().setAutoRead(true);
    }

    /** Sends the numbers of a beat, unless they are too long. Datagrams are not encrypted, so text never goes in them. One that cannot be sent is lost, as others are. */
    void send(Heartbeat beat) {
        Channel to = channel;
        HeartbeatMac with = seal;
        if (to != null && with != null && to.isWritable() && addresses[beat.receiver()].getPort() > 0) {
            var bytes = with.seal(beat.withoutText(), to.alloc().buffer(128, Heartbeat.MAX_BYTES + 64));
            if (bytes.readableBytes() <= MAX_BYTES) {
                to.writeAndFlush(new DatagramPacket(bytes, addresses[beat.receiver()]));
            } else {
                bytes.release();
            }
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramPacket datagram) {
        HeartbeatMac with = seal;
        var opened = with == null ? null : with.open(datagram.content());
        try {
            if (opened == null || !isTaken(Heartbeat.read(opened))) {
                strangers.count(String.valueOf(datagram.sender()), "a datagram that is no heartbeat of this job");
            }
        } catch (ProtocolException e) {
            LOG.debug("a heartbeat of this job cannot be read: rank={}, from={}", rank, datagram.sender(), e);
        }
    }

    /** {@return whether a rank sent that to this one; if it is news it has been told} */
    private boolean isTaken(Heartbeat beat) {
        boolean isForUs = beat.receiver() == rank && beat.sender() >= 0 && beat.sender() < latest.length;
        if (isForUs && beat.sequence() > latest[beat.sender()]) {
            latest[beat.sender()] = beat.sequence();
            listener.accept(beat);
        }
        return isForUs;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
        // Such as a network that is down: silence tells.
        LOG.debug("datagrams: rank={}", rank, WarningLog.printable(problem));
    }
}
