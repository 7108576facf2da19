package io.reactivecomm.netty;

import io.netty.channel.Channel;
import io.reactivecomm.spi.FrameCodec;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Two {@link TcpLink}s over one loopback connection, each on its own loop: rank 0 listened, rank 1 dialled. */
final class LinkPair implements AutoCloseable {

    private static final byte[] JOB = new byte[Handshake.JOB_BYTES];

    final NettyLoop loop0;
    final NettyLoop loop1;
    final TcpLink link0;
    final TcpLink link1;
    final Channel channel0;
    final Channel channel1;

    private LinkPair(Sockets sockets, Timers timers) throws Exception {
        loop0 = NettyLoop.start("pair-0", sockets);
        loop1 = NettyLoop.start("pair-1", sockets);
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        CompletableFuture<Channel> dialled = new CompletableFuture<>();
        CompletableFuture<TcpLink> first = new CompletableFuture<>();
        CompletableFuture<TcpLink> second = new CompletableFuture<>();
        RankDoor door = new RankDoor(Handshake.Purpose.DATA, FrameCodec.VERSION, 0, (peer, channel) -> {
            first.complete(take(peer, channel, timers));
            accepted.complete(channel);
        });
        door.open(new Roster(JOB, List.of(entry(0), entry(1))));
        StrangerLog strangers = new StrangerLog("the test", loop0.eventLoop(), timers);
        Channel listener = GuardedListener.bind(
                        loop0,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        FrameCodec.VERSION,
                        null,
                        timers,
                        strangers,
                        true,
                        door)
                .sync()
                .channel();
        Handshake.Claim claim = new Handshake.Claim(Handshake.Purpose.DATA, FrameCodec.VERSION, 1, JOB);
        Dialer.Call call =
                new Dialer.Call((InetSocketAddress) listener.localAddress(), FrameCodec.VERSION, null, claim);
        Dialer.dial(loop1, call, timers, new Dialer.Outcome() {
            @Override
            public void connected(Channel channel) {
                second.complete(take(0, channel, timers));
                dialled.complete(channel);
            }

            @Override
            public void failed(Throwable problem) {
                second.completeExceptionally(problem);
            }
        });
        link0 = first.get(10, TimeUnit.SECONDS);
        link1 = second.get(10, TimeUnit.SECONDS);
        channel0 = accepted.get(10, TimeUnit.SECONDS);
        channel1 = dialled.get(10, TimeUnit.SECONDS);
        listener.close().sync();
    }

    private static Roster.Entry entry(int rank) {
        return new Roster.Entry(rank, 2, "127.0.0.1", 1, 1, 1);
    }

    private static TcpLink take(int peer, Channel channel, Timers timers) {
        TcpLink link = new TcpLink(peer, channel, GuardedListener.steeringOf(channel), timers);
        channel.pipeline().remove(PacketDecoder.class);
        return link;
    }

    static LinkPair connect(Sockets sockets) throws Exception {
        return new LinkPair(sockets, Timers.SYSTEM);
    }

    static LinkPair connect(Sockets sockets, Timers timers) throws Exception {
        return new LinkPair(sockets, timers);
    }

    /** Begins to deliver on both sides. */
    void start(RecordedEvents events0, RecordedEvents events1) {
        on0(() -> link0.start(events0));
        on1(() -> link1.start(events1));
    }

    /** Runs a task on rank 0's loop and waits for its end. */
    void on0(Runnable task) {
        run(loop0, task);
    }

    void on1(Runnable task) {
        run(loop1, task);
    }

    static void run(NettyLoop loop, Runnable task) {
        CompletableFuture.runAsync(task, loop).orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        on0(() -> link0.fail("the test ends"));
        on1(() -> link1.fail("the test ends"));
        loop0.stop();
        loop1.stop();
    }
}
