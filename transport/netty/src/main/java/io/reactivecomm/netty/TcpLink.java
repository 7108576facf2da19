package io.reactivecomm.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.reactivecomm.Traffic;
import io.reactivecomm.spi.Frame;
import io.reactivecomm.spi.Link;
import io.reactivecomm.spi.LinkEvents;
import io.reactivecomm.spi.ProtocolException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link over one TCP connection.
 *
 * <p><b>Life.</b> Made over a connection whose ends have admitted each other, and reading nothing ({@code NEW}). {@link #start} makes it
 * {@code OPEN}. {@link #close} makes it {@code CLOSING}: what was written leaves, the peer sees the end of the stream, and what still
 * comes is read and forgotten until the peer ends too, for at most {@value #CLOSE_SECONDS} s. Then, or when the connection breaks, it is
 * {@code DOWN}, and the engine is told once.
 *
 * <p><b>Events.</b> Frames are handed on as they are read. The others are noted where they arise, which may be inside a call of this
 * class, and handed on by a task of the loop.
 *
 * <p><b>Threads.</b> The loop.
 */
final class TcpLink implements Link {

    private static final Logger LOG = LoggerFactory.getLogger(TcpLink.class);

    /** How long a good end may take; contract 5 gives close one second. */
    private static final long CLOSE_SECONDS = 1;

    /** Within a machine: a piece that is being copied and the next. More of them leave the caches before the peer has read them. */
    private static final int LOOPBACK_WINDOW_BYTES = 512 << 10;

    private enum State {
        NEW,
        OPEN,
        CLOSING,
        DOWN
    }

    private final int peer;
    private final Channel channel;
    private final Timers timers;
    private final OutgoingFrames outgoing;
    private final IncomingFrames incoming;
    private State state = State.NEW;
    private @Nullable LinkEvents events;
    private @Nullable Runnable ended;
    private boolean goodbyeReceived;
    private boolean begun;
    /** The connection ended before this began to look at what it brought. */
    private boolean endedBefore;

    private String endedBy = "";
    private boolean unwritable;
    private boolean deliveryDue;
    private boolean told;
    private @Nullable String downCause;

    /**
     * Takes over a connection; called on its loop.
     *
     * @param steering what the channel reads with
     */
    TcpLink(int peer, Channel channel, ReceiveSteering steering, Timers timers) {
        this.peer = peer;
        this.channel = channel;
        this.timers = timers;
        this.outgoing = new OutgoingFrames(channel, this::deliverLater);
        this.incoming = new IncomingFrames(channel.alloc(), new Arrivals());
        channel.config().setAutoRead(false);
        channel.config()
                .setWriteBufferWaterMark(new WriteBufferWaterMark(OutgoingFrames.LOW_BYTES, OutgoingFrames.HIGH_BYTES));
        steering.source(incoming);
        channel.pipeline().addLast(new Connection());
    }

    /** Begins to read and to deliver. */
    void start(LinkEvents events) {
        this.events = events;
        if (state == State.NEW) {
            state = State.OPEN;
            // What came with the handshake's last bytes is handed on by a task, like all that follows.
            channel.eventLoop().execute(this::beginReading);
        } else {
            deliverLater();
        }
    }

    private void beginReading() {
        begun = true;
        parse();
        if (endedBefore) {
            end(endedBy);
        } else {
            channel.config().setAutoRead(true);
        }
    }

    /** Has something run when the link has gone down, whether or not it was ever started. */
    void whenEnded(Runnable ended) {
        this.ended = ended;
    }

    @Override
    public int peer() {
        return peer;
    }

    @Override
    public boolean isWritable() {
        return (state == State.OPEN || state == State.NEW) && outgoing.isWritable();
    }

    @Override
    public int windowBytes() {
        return Sockets.isWithinMachine(channel) ? LOOPBACK_WINDOW_BYTES : Integer.MAX_VALUE;
    }

    @Override
    public boolean copiesEagerBytes() {
        return true;
    }

    @Override
    public void write(Frame frame) {
        if (state == State.OPEN || state == State.NEW) {
            outgoing.write(frame);
            unwritable |= !outgoing.isWritable();
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
        goDown(isEndExpected() ? null : cause);
    }

    private boolean isEndExpected() {
        return state == State.CLOSING || goodbyeReceived;
    }

    private void parse() {
        if (state == State.NEW || state == State.DOWN) {
            return;
        }
        try {
            incoming.parse();
        } catch (ProtocolException e) {
            goDown("rank " + peer + " broke the protocol: " + e.getMessage());
        }
    }

    private void end(String cause) {
        if (begun) {
            goDown(isEndExpected() ? null : cause);
        } else if (!endedBefore) {
            endedBefore = true;
            endedBy = cause;
        }
    }

    private void broken(Throwable problem) {
        if (state == State.DOWN) {
            return;
        }
        if (problem instanceof RuntimeException) {
            LOG.error("link to rank {} ends because of a fault", peer, problem);
        }
        end("connection to rank " + peer + " failed: " + problem.getMessage());
    }

    private void goDown(@Nullable String cause) {
        if (state == State.DOWN) {
            return;
        }
        state = State.DOWN;
        downCause = cause;
        incoming.close();
        channel.close();
        deliverLater();
    }

    private void deliverLater() {
        if (!deliveryDue) {
            deliveryDue = true;
            channel.eventLoop().execute(this::deliver);
        }
    }

    private void deliver() {
        deliveryDue = false;
        if (state == State.DOWN) {
            outgoing.forget();
        }
        LinkEvents to = events;
        if (to == null || told) {
            tellEnded();
            return;
        }
        for (Frame.Data sent = outgoing.pollSent(); sent != null; sent = outgoing.pollSent()) {
            to.onWritten(this, sent);
        }
        if (state == State.DOWN) {
            told = true;
            tellEnded();
            to.onDown(this, downCause);
        } else if (unwritable && outgoing.isWritable()) {
            unwritable = false;
            to.onWritable(this);
        }
    }

    private void tellEnded() {
        Runnable listener = ended;
        if (state == State.DOWN && listener != null) {
            ended = null;
            listener.run();
        }
    }

    /** What the peer sends, on to the engine; once this side has closed, nobody wants it. */
    private final class Arrivals implements IncomingFrames.Sink {

        @Override
        public void onFrame(Frame frame) {
            goodbyeReceived |= frame instanceof Frame.Goodbye;
            if (state == State.OPEN && events != null) {
                events.onFrame(TcpLink.this, frame);
            }
        }

        @Override
        public @Nullable MemorySegment onDataStart(long grant, int lengthBytes) {
            return state == State.OPEN && events != null ? events.onDataStart(TcpLink.this, grant, lengthBytes) : null;
        }

        @Override
        public void onDataEnd(long grant) {
            if (state == State.OPEN && events != null) {
                events.onDataEnd(TcpLink.this, grant);
            }
        }
    }

    /** What the channel reports. */
    private final class Connection extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            incoming.received((ByteBuf) bytes);
            parse();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            deliverLater();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end("connection closed by rank " + peer + " without a goodbye");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
            broken(problem);
        }
    }
}
