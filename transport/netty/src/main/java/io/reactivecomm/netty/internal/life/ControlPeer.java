package io.reactivecomm.netty.internal.life;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.reactivecomm.CommException;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.ProtocolException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One peer's control connection. Each message is its length, a byte that says what it is, and its content:
 *
 * <pre>
 *  0 +-------------------+---------+-------------------------------+
 *    | Length of what    |  What   |  A beat, nothing, a reason...
 *    | follows (2 bytes, |         |
 *    | big-endian)       |         |
 *    +-------------------+---------+-------------------------------+
 * </pre>
 *
 * <p><b>Threads.</b> The control thread.
 */
final class ControlPeer extends SimpleChannelInboundHandler<ByteBuf> {

    static final byte BEAT = 1;
    static final byte GOODBYE = 2;
    static final byte LAST_WORDS = 3;

    private static final int LENGTH_BYTES = 2;
    /** Chains of causes in sound programs are shorter. */
    private static final int MOST_CAUSES = 64;

    /** How long the system may go on delivering the reason for a close: should the peer come back, it still hears them. */
    private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** The receiver of what comes. */
    interface Owner {

        void heard(ControlPeer peer, Heartbeat beat);

        /** The peer leaves in good order. */
        void left(ControlPeer peer);

        void said(ControlPeer peer, CloseReason words);

        /** Something of this rank's own failed while it read what the peer had sent. */
        void failed(Throwable problem);

        /** The connection ended without a word. */
        void vanished(ControlPeer peer, String cause);
    }

    private final int number;
    private final Channel channel;
    private final Timers timers;
    private final Owner owner;
    private final PeerClock clock = new PeerClock();
    private long sent;
    private long latest;
    private long datagramAt;
    private boolean hasSentDatagrams;
    private boolean hearsDatagrams;
    private long heldUpToldAt;
    private boolean isHeldUp;

    ControlPeer(int number, Channel channel, Timers timers, Owner owner) {
        this.number = number;
        this.channel = channel;
        this.timers = timers;
        this.owner = owner;
    }

    /** Begins to read. */
    void begin() {
        channel.pipeline()
                .addLast(
                        new LengthFieldBasedFrameDecoder(
                                1 + Heartbeat.MAX_BYTES + LENGTH_BYTES, 0, LENGTH_BYTES, 0, LENGTH_BYTES),
                        this);
        channel.pipeline().remove(PacketDecoder.class);
        channel.config().setAutoRead(true);
    }

    int number() {
        return number;
    }

    /** {@return how its clock compares with this rank's} */
    PeerClock clock() {
        return clock;
    }

    /** A datagram of the peer's has come. */
    void datagram(long now) {
        hasSentDatagrams = true;
        datagramAt = now;
    }

    boolean hasSentDatagrams() {
        return hasSentDatagrams;
    }

    long datagramAt() {
        return datagramAt;
    }

    /** {@return whether the peer says that datagrams reach it} */
    boolean hearsDatagrams() {
        return hearsDatagrams;
    }

    /** {@return whether a beat says more than those before, which may have overtaken it} */
    boolean isNewer(Heartbeat beat) {
        boolean isNewer = beat.sequence() > latest;
        if (isNewer) {
            latest = beat.sequence();
            hearsDatagrams = beat.hearsDatagrams();
        }
        return isNewer;
    }

    /** {@return whether it is news for how long the peer's loop has not turned, which is not told again before so long} */
    boolean isToBeTold(long heldUpNanos, long now, long againNanos) {
        boolean isNow = heldUpNanos > 0;
        boolean isNews = isNow != isHeldUp || (isNow && now - heldUpToldAt >= againNanos);
        isHeldUp = isNow;
        heldUpToldAt = isNews ? now : heldUpToldAt;
        return isNews;
    }

    /** {@return whether the connection is to carry this beat, of which it carries one in so many} */
    boolean isDue(int each) {
        return sent++ % each == 0;
    }

    /** A peer that takes nothing is not sent more: its silence decides. */
    void send(Heartbeat beat) {
        if (channel.isWritable()) {
            send(BEAT, beat::write);
        }
    }

    private void send(byte what, Consumer<ByteBuf> content) {
        ByteBuf message = channel.alloc().buffer(128, LENGTH_BYTES + 1 + Heartbeat.MAX_BYTES);
        content.accept(message.writeShort(0).writeByte(what));
        message.setShort(0, message.readableBytes() - LENGTH_BYTES);
        channel.writeAndFlush(message, channel.voidPromise());
    }

    void sayGoodbye() {
        send(GOODBYE, _ -> {});
    }

    /**
     * Says why, and nothing more. The connection is kept until the peer ends it, so that nothing it sends makes the system forget the
     * words.
     */
    void end(CloseReason words) {
        send(LAST_WORDS, words::write);
        if (channel instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
            timers.schedule(channel.eventLoop(), this::close, LINGER_NANOS);
        } else {
            close();
        }
    }

    void close() {
        channel.close();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
        byte what = message.isReadable() ? message.readByte() : 0;
        switch (what) {
            case BEAT -> owner.heard(this, Heartbeat.read(message));
            case GOODBYE -> owner.left(this);
            case LAST_WORDS -> owner.said(this, CloseReason.read(message));
            default -> throw new ProtocolException("unknown message on a control connection: what=" + what);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        owner.vanished(this, "its control connection was closed without a goodbye");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
        if (isOfThePeer(problem)) {
            owner.vanished(this, "its control connection failed: " + CommException.textOf(problem));
        } else {
            owner.failed(problem);
        }
    }

    /** Causes may lead back to themselves. */
    static boolean isOfThePeer(Throwable problem) {
        Throwable cause = problem;
        for (int depth = 0;
                depth < MOST_CAUSES && cause instanceof DecoderException && cause.getCause() != null;
                depth++) {
            cause = cause.getCause();
        }
        return cause instanceof IOException || cause instanceof ProtocolException || cause instanceof DecoderException;
    }
}
