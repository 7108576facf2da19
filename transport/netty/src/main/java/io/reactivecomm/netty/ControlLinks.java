package io.reactivecomm.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.EventExecutor;
import io.reactivecomm.spi.LoopWatchdog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Second connections to all peers, over which ranks tell each other every 100 ms that they live. They are served by a thread that runs
 * no callback, so a rank whose loop is held up stays alive, and one that is stopped or cut off is found out.
 *
 * <p>A connection carries single bytes: {@link #BEAT}, and at last {@link #GOODBYE}. Its end without the latter is the peer's end.
 *
 * <p><b>Threads.</b> The control thread, but for {@link #leave} and {@link #close}, which any may call.
 */
final class ControlLinks {

    private static final Logger LOG = LoggerFactory.getLogger(ControlLinks.class);

    static final byte BEAT = 1;
    static final byte GOODBYE = 2;

    /** A tick that comes later than this after the last means that the process itself did not run. */
    private static final long OWN_STALL_NANOS = Pulse.WARN_NANOS;

    /** Is told of losses, on the control thread. */
    interface Listener {

        /** The peer's connection ended without a goodbye. */
        void vanished(int peer, String cause);

        /** The peer has been silent for too long. */
        void silent(int peer, String cause);
    }

    private final EventExecutor executor;
    private final Timers timers;
    private final LoopWatchdog watchdog;
    private final Listener listener;
    private final int rank;
    private final Map<Integer, Peer> peers = new HashMap<>();
    private long tickedAt;
    private boolean closed;

    ControlLinks(NettyLoop control, Timers timers, LoopWatchdog watchdog, int rank, Listener listener) {
        this.executor = control.eventLoop();
        this.timers = timers;
        this.watchdog = watchdog;
        this.rank = rank;
        this.listener = listener;
        this.tickedAt = timers.nanoTime();
        timers.schedule(executor, this::tick, Pulse.BEAT_NANOS);
    }

    /** Takes over an admitted connection and begins to watch the peer. */
    void add(int number, Channel channel) {
        Peer peer = new Peer(number, channel);
        peers.put(number, peer);
        channel.pipeline().addLast(peer);
        channel.pipeline().remove(PacketDecoder.class);
        channel.config().setAutoRead(true);
    }

    private void tick() {
        if (closed) {
            return;
        }
        timers.schedule(executor, this::tick, Pulse.BEAT_NANOS);
        long now = timers.nanoTime();
        long since = now - tickedAt;
        tickedAt = now;
        for (Peer peer : List.copyOf(peers.values())) {
            if (since >= OWN_STALL_NANOS) {
                peer.pulse.forgive(since, now);
            }
            peer.send(BEAT);
            look(peer, now);
        }
        watchdog.look(now);
    }

    private void look(Peer peer, long now) {
        double silentSeconds = TimeUnit.NANOSECONDS.toMillis(peer.pulse.silentNanos(now)) / 1000.0;
        switch (peer.pulse.look(now)) {
            case ALIVE -> {}
            case SILENT ->
                LOG.warn("a rank is silent: rank={}, peer={}, silent={} s", rank, peer.number, silentSeconds);
            case DEAD -> {
                forget(peer);
                listener.silent(
                        peer.number, "silent for " + silentSeconds + " s; it is stopped, unreachable or out of time");
            }
        }
    }

    private void forget(Peer peer) {
        peers.remove(peer.number, peer);
        peer.channel.close();
    }

    /** Ends the watch over a peer in good order: it or this rank leaves. */
    void leave(int number) {
        onControlThread(() -> {
            Peer peer = peers.remove(number);
            if (peer != null) {
                peer.farewell();
            }
        });
    }

    /** Leaves all. */
    void close() {
        onControlThread(() -> {
            closed = true;
            List.copyOf(peers.values()).forEach(Peer::farewell);
            peers.clear();
        });
    }

    private void onControlThread(Runnable task) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.trace("the control thread has ended", e);
        }
    }

    /** One peer's connection. */
    private final class Peer extends SimpleChannelInboundHandler<ByteBuf> {

        private final int number;
        private final Channel channel;
        private final Pulse pulse = new Pulse(timers.nanoTime());

        Peer(int number, Channel channel) {
            this.number = number;
            this.channel = channel;
        }

        void send(byte what) {
            // A peer that takes nothing is not sent more: its silence decides.
            if (channel.isWritable()) {
                channel.writeAndFlush(channel.alloc().buffer(1, 1).writeByte(what), channel.voidPromise());
            }
        }

        void farewell() {
            send(GOODBYE);
            channel.close();
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
            pulse.heard(timers.nanoTime());
            while (bytes.isReadable()) {
                byte what = bytes.readByte();
                if (what == GOODBYE) {
                    forget(this);
                } else if (what != BEAT) {
                    vanish("broke the protocol of heartbeats: byte=" + what);
                }
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            vanish("its control connection was closed without a goodbye");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
            vanish("its control connection failed: " + problem.getMessage());
        }

        private void vanish(String cause) {
            if (peers.get(number) == this) {
                forget(this);
                listener.vanished(number, cause);
            }
        }
    }
}
