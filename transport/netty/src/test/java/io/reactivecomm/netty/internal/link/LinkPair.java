package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.netty.internal.connection.Dialer;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.StrangerLog;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.store.Roster;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.testkit.ConnectedWorlds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Two {@link TcpLink}s over loopback connections, each on its own loop: rank 0 listened, rank 1 dialled. */
public final class LinkPair implements AutoCloseable {

    private static final String TOKEN = "a token of this test alone";

    private static final byte[] JOB = new byte[Handshake.JOB_BYTES];

    public final NettyLoop loop0;
    public final NettyLoop loop1;
    final TcpLink link0;
    public final TcpLink link1;
    public final Channel channel0;
    final Channel channel1;
    /** The connections of the lanes, in their order. */
    final List<Channel> lanes0;

    final List<Channel> lanes1;

    private LinkPair(Sockets sockets, Timers timers, int lanes, Encryption encryption) throws Exception {
        loop0 = NettyLoop.start("pair-0", sockets);
        loop1 = NettyLoop.start("pair-1", sockets);
        Side side0 = new Side(1, timers, LaneSet.besides(lanes), encryption);
        Side side1 = new Side(0, timers, LaneSet.besides(lanes), encryption);
        RankAcceptor acceptor = new RankAcceptor(
                Handshake.Purpose.DATA,
                FrameCodec.VERSION,
                0,
                LaneSet.besides(lanes),
                (_, lane, channel) -> side0.take(lane, channel),
                _ -> {});
        acceptor.open(new Roster(JOB, List.of(entry(0), entry(1))));
        TransportOptions options = TransportOptions.DEFAULT.withTimers(timers);
        StrangerLog strangers = new StrangerLog("the test", loop0.eventLoop(), timers);
        Channel listener = GuardedListener.bind(
                        loop0,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new GuardedListener.Terms(options, TOKEN, encryption),
                        strangers,
                        true,
                        acceptor)
                .sync()
                .channel();
        for (int lane = 0; lane <= LaneSet.besides(lanes); lane++) {
            dial((InetSocketAddress) listener.localAddress(), lane, options, encryption, side1);
        }
        link0 = side0.whole.get(10, TimeUnit.SECONDS);
        link1 = side1.whole.get(10, TimeUnit.SECONDS);
        channel0 = side0.channels.removeFirst();
        channel1 = side1.channels.removeFirst();
        lanes0 = side0.channels;
        lanes1 = side1.channels;
        listener.close().sync();
    }

    /** The side of one rank, which makes a link of its connections. */
    private static final class Side {

        private final int peer;
        private final Timers timers;
        private final int lanes;
        private final Encryption encryption;
        private final List<Channel> channels = new ArrayList<>();
        private final CompletableFuture<TcpLink> whole = new CompletableFuture<>();
        private TcpLink link;

        private Side(int peer, Timers timers, int lanes, Encryption encryption) {
            this.peer = peer;
            this.encryption = encryption;
            this.timers = timers;
            this.lanes = lanes;
        }

        private void take(int lane, Channel channel) {
            assertThat(Sockets.isEncrypted(channel)).isEqualTo(encryption.isEverywhere());
            channels.add(channel);
            if (lane == 0) {
                link = new TcpLink(peer, channel, GuardedListener.steeringOf(channel), timers, new LaneSet(lanes));
            } else {
                link.addLane(channel, GuardedListener.steeringOf(channel));
            }
            channel.pipeline().remove(PacketDecoder.class);
            if (link.isWhole()) {
                whole.complete(link);
            }
        }
    }

    private void dial(InetSocketAddress address, int lane, TransportOptions options, Encryption encryption, Side side)
            throws Exception {
        CompletableFuture<Channel> dialled = new CompletableFuture<>();
        Handshake.Claim claim = new Handshake.Claim(Handshake.Purpose.DATA, FrameCodec.VERSION, 1, lane, 0, JOB);
        Dialer.Target call = new Dialer.Target(address, encryption, Dialer.Token.of(TOKEN), claim);
        Dialer.dial(loop1, call, options, new Dialer.Outcome() {
            @Override
            public void connected(Channel channel) {
                side.take(lane, channel);
                dialled.complete(channel);
            }

            @Override
            public void failed(Throwable problem) {
                dialled.completeExceptionally(problem);
            }
        });
        dialled.get(10, TimeUnit.SECONDS);
    }

    private static Roster.Entry entry(int rank) {
        return new Roster.Entry(rank, 2, "127.0.0.1", 1, 1, 1);
    }

    static LinkPair connect(Sockets sockets) throws Exception {
        return connect(sockets, Timers.SYSTEM, 1);
    }

    public static LinkPair connect(Sockets sockets, Timers timers) throws Exception {
        return connect(sockets, timers, 1);
    }

    static LinkPair connect(Sockets sockets, Timers timers, int lanes) throws Exception {
        return connect(sockets, timers, lanes, ConnectedWorlds.ENCRYPTION);
    }

    static LinkPair connect(Sockets sockets, Timers timers, int lanes, Encryption encryption) throws Exception {
        return new LinkPair(sockets, timers, lanes, encryption);
    }

    /** Begins to deliver on both sides. */
    public void start(RecordedEvents events0, RecordedEvents events1) {
        on0(() -> link0.start(events0));
        on1(() -> link1.start(events1));
    }

    /** Runs a task on rank 0's loop and waits for its end. */
    void on0(Runnable task) {
        run(loop0, task);
    }

    public void on1(Runnable task) {
        run(loop1, task);
    }

    public static void run(NettyLoop loop, Runnable task) {
        CompletableFuture.runAsync(task, loop).orTimeout(20, TimeUnit.SECONDS).join();
    }

    /** {@return the address of this rank's end of a link over TCP} */
    public static InetSocketAddress localAddress(Link link) {
        return (InetSocketAddress) ((TcpLink) link).localAddress();
    }

    @Override
    public void close() {
        on0(() -> link0.fail("the test ends"));
        on1(() -> link1.fail("the test ends"));
        loop0.stop();
        loop1.stop();
    }
}
