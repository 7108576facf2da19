package io.reactivecomm.netty.internal.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.reactivecomm.CommException;
import io.reactivecomm.Traffic;
import io.reactivecomm.netty.internal.connection.LoopThread;
import io.reactivecomm.netty.internal.connection.ReceiveSteering;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.WarningLog;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import io.reactivecomm.spi.link.LinkEvents;
import io.reactivecomm.spi.link.LinkTraits;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A link over a TCP connection, and {@linkplain LaneSet lanes} where they are asked for.
 *
 * <p><b>Life.</b> Made over a connection whose ends have admitted each other, and reading nothing ({@code NEW}); lanes are added then.
 * {@link #start} makes it {@code OPEN}. {@link #close} makes it {@code CLOSING}: what was written leaves, the peer sees the end of the
 * stream. What still comes is read and forgotten until the peer ends too, for at most {@value #CLOSE_SECONDS} s. Then, or when a
 * connection breaks, it is {@code DOWN}, and the engine is told once. Only then are lanes closed: their end before a goodbye is the link's.
 *
 * <p><b>Events.</b> What arrives is handed on as it is read, the rest by {@link DeferredLinkEvents}.
 *
 * <p><b>Threads.</b> The loop.
 */
final class TcpLink implements Link {

    private static final Logger LOG = WarningLog.of(TcpLink.class);

    /** How long a good end may take; contract 5 gives close one second. */
    private static final long CLOSE_SECONDS = 1;

    /** Another connection to a peer may end a moment before the goodbye has been read. */
    static final long GOODBYE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * Within a machine: a piece that is being copied and the next, since more of them leave the caches before the peer has folded them; and
     * in bulk pieces that are long enough for writing and reading to go on side by side inside two system calls.
     */
    private static final LinkTraits LOOPBACK = new LinkTraits(512 << 10, 1 << 20, false);

    private enum State {
        NEW,
        OPEN,
        CLOSING,
        DOWN
    }

    private final int peer;
    private final Channel channel;
    private final Timers timers;
    private final LaneSet lanes;
    private final OutgoingFrames outgoing;
    private final IncomingFrames incoming;
    private final DeferredLinkEvents news;
    private State state = State.NEW;
    private boolean begun;
    /** How the connection ended; the link does when all that it brought has been looked at. */
    private @Nullable String endedBy;

    private Consumer<Runnable> witness = Runnable::run;
    private boolean asked;

    /**
     * Takes over a connection; called on its loop.
     *
     * @param steering what the channel reads with
     * @param lanes what carries large payloads, none of them added yet
     */
    TcpLink(int peer, Channel channel, ReceiveSteering steering, Timers timers, LaneSet lanes) {
        this.peer = peer;
        this.channel = channel;
        this.timers = timers;
        this.lanes = lanes;
        this.outgoing = new OutgoingFrames(channel, lanes, this::hasNews);
        this.news = new DeferredLinkEvents(this, channel.eventLoop(), outgoing);
        this.incoming = new IncomingFrames(channel.alloc(), lanes, news);
        channel.config().setAutoRead(false);
        // The peer's end may be seen while its payloads are still coming on lanes: it keeps these as long as it does
        // not see this side's.
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        channel.config()
                .setWriteBufferWaterMark(new WriteBufferWaterMark(OutgoingFrames.LOW_BYTES, OutgoingFrames.HIGH_BYTES));
        steering.source(incoming);
        channel.pipeline().addLast(new Connection());
    }

    private void hasNews() {
        news.deliverLater();
    }

    /** Takes over the connection of the next lane, before {@link #start}; called on its loop. */
    void addLane(Channel connection, ReceiveSteering steering) {
        lanes.add(connection, steering, new LaneArrivals());
    }

    /**
     * Asks somebody before the link ends without a goodbye.
     *
     * @param witness runs what it is given on the loop, once what it knows of the peer has been told; on any thread if the loop has ended
     */
    void ask(Consumer<Runnable> witness) {
        this.witness = witness;
    }

    /** {@return whether all of its connections are there} */
    boolean isWhole() {
        return lanes.areWhole();
    }

    /** Begins to read and to deliver. */
    void start(LinkEvents events) {
        news.tell(events, state == State.NEW);
        if (state == State.NEW) {
            state = State.OPEN;
            // What came with the handshake's last bytes is handed on by a task, like all that follows.
            channel.eventLoop().execute(this::beginReading);
        } else {
            hasNews();
        }
    }

    private void beginReading() {
        begun = true;
        parse();
    }

    /** Has something run when the link has gone down, whether or not it was ever started. */
    void whenEnded(Runnable ended) {
        news.whenEnded(ended);
    }

    @Override
    public int peer() {
        return peer;
    }

    /** {@return the address and port of this end of its first connection} */
    SocketAddress localAddress() {
        return channel.localAddress();
    }

    /** {@return whether its bytes are encrypted} */
    boolean isEncrypted() {
        return Sockets.isEncrypted(channel);
    }

    /** {@return whether its bytes leave the host} */
    boolean leavesHost() {
        return Sockets.leavesHost(channel);
    }

    @Override
    public boolean isWritable() {
        return (state == State.OPEN || state == State.NEW) && outgoing.isWritable();
    }

    @Override
    public LinkTraits traits() {
        return Sockets.isWithinMachine(channel) ? LOOPBACK : LinkTraits.USUAL;
    }

    @Override
    public boolean copiesEagerBytes() {
        return true;
    }

    @Override
    public void write(Frame frame) {
        if (state == State.OPEN || state == State.NEW) {
            outgoing.write(frame);
            news.wrote();
        }
    }

    @Override
    public void flush() {
        if (state == State.OPEN || state == State.NEW) {
            outgoing.flush();
        }
    }

    @Override
    public void withdraw(Frame.Data frame) {
        if (state != State.DOWN) {
            outgoing.withdraw(frame);
        }
    }

    @Override
    public Traffic traffic() {
        return outgoing.traffic();
    }

    @Override
    public void drain(long grant) {
        incoming.drain(grant);
    }

    @Override
    public void close() {
        if (state != State.OPEN && state != State.NEW) {
            return;
        }
        state = State.CLOSING;
        news.forgetArrivals();
        incoming.letGo();
        outgoing.flush();
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(flushed -> {
            if (flushed.isSuccess()) {
                ((SocketChannel) channel).shutdownOutput();
            }
        });
        timers.schedule(channel.eventLoop(), () -> goDown(null), TimeUnit.SECONDS.toNanos(CLOSE_SECONDS));
        channel.eventLoop().execute(this::beginReading);
    }

    /** Ends the link at once for a reason that it does not see itself, such as the peer's silence. */
    void fail(String cause) {
        goDown(state == State.CLOSING || news.saidGoodbye() ? null : cause);
    }

    private void parse() {
        if (state == State.NEW || state == State.DOWN) {
            return;
        }
        try {
            incoming.parse();
            goOn();
        } catch (ProtocolException e) {
            goDown("rank " + peer + " broke the protocol: " + CommException.textOf(e));
        }
    }

    /** Reads on unless a frame waits for payloads, and ends where nothing more comes. */
    private void goOn() {
        if (state == State.DOWN || !begun) {
            return;
        }
        boolean isHeld = incoming.isHeld();
        if (endedBy != null && !isHeld) {
            endUnlessTold(endedBy);
        } else if (channel.config().isAutoRead() == isHeld) {
            channel.config().setAutoRead(!isHeld);
        }
    }

    private void endUnlessTold(String cause) {
        if (state == State.CLOSING || news.saidGoodbye()) {
            fail(cause);
        } else if (!asked) {
            asked = true;
            witness.accept(() -> fail(cause));
        }
    }

    private void end(String cause) {
        endedBy = endedBy == null ? cause : endedBy;
        goOn();
    }

    private void goDown(@Nullable String cause) {
        if (state == State.DOWN) {
            return;
        }
        state = State.DOWN;
        incoming.close();
        lanes.close();
        channel.close();
        news.down(cause);
    }

    /** The reports of lanes. */
    private final class LaneArrivals implements Lane.Owner {

        @Override
        public void payloadArrived() {
            parse();
        }

        @Override
        public void ended(Lane lane, String how) {
            String cause = "lane " + lane.number() + " to rank " + peer + " " + how + ", without a goodbye";
            if (lane.isExpecting()) {
                fail(cause);
            } else if (state != State.DOWN) {
                timers.schedule(channel.eventLoop(), () -> end(cause), GOODBYE_NANOS);
            }
        }
    }

    /** The reports of the channel. */
    private final class Connection extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            incoming.received((ByteBuf) bytes);
            parse();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            hasNews();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                channelInactive(context);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end("connection closed by rank " + peer + " without a goodbye");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
            LoopThread.handlerFailed(problem);
            if (state != State.DOWN && problem instanceof RuntimeException) {
                LOG.error("link to rank {} ends because of a fault", peer, WarningLog.printable(problem));
            }
            end("connection to rank " + peer + " failed: " + CommException.textOf(problem));
        }
    }
}
