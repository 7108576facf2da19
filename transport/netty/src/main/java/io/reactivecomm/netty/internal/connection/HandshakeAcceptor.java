package io.reactivecomm.netty.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.reactivecomm.CommException;
import io.reactivecomm.spi.Loop;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The listener's side of a {@link Handshake}, for one connection. Whoever does not finish it in {@value #PATIENCE_SECONDS} s, or sends
 * something else, is closed and counted.
 */
final class HandshakeAcceptor extends SimpleChannelInboundHandler<ByteBuf> {

    static final int PATIENCE_SECONDS = 5;

    private final GuardedListener listener;
    private final Handshake handshake;
    private final Channel channel;
    private final InetAddress source;
    private byte @Nullable [] hello;
    private byte @Nullable [] challenge;
    private Loop.@Nullable Timer patience;
    private boolean over;

    /** @param source where the connection comes from */
    HandshakeAcceptor(GuardedListener listener, Handshake handshake, Channel channel, InetAddress source) {
        this.listener = listener;
        this.handshake = handshake;
        this.channel = channel;
        this.source = source;
    }

    /** {@return where the connection comes from} */
    InetAddress source() {
        return source;
    }

    /** Closes the connection, whose place in the {@link PendingConnections} another has taken. */
    void makeRoom() {
        turnAway("pushed out by newcomers before it finished its handshake");
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        patience = listener.timers()
                .schedule(
                        context.executor(),
                        () -> turnAway("handshake not finished in " + PATIENCE_SECONDS + " s"),
                        TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        if (over) {
            return;
        }
        byte[] packet = ByteBufUtil.getBytes(bytes);
        byte[] first = hello;
        byte[] second = challenge;
        if (first == null || second == null) {
            answerHello(context, packet);
        } else if (handshake.verifies(first, second, packet)) {
            judge(context, first, second, packet);
        } else {
            refuse(context, Handshake.Refusal.TOKEN, "the token differs");
        }
    }

    private void answerHello(ChannelHandlerContext context, byte[] packet) {
        Handshake.Purpose purpose = Handshake.isGreeting(Handshake.HELLO, packet) ? Handshake.purposeOf(packet) : null;
        if (purpose == null) {
            turnAway("not a rank");
            return;
        }
        byte[] answer = Handshake.challenge(listener.version(), purpose);
        hello = packet;
        challenge = answer;
        context.writeAndFlush(Unpooled.wrappedBuffer(answer));
    }

    private void judge(ChannelHandlerContext context, byte[] first, byte[] second, byte[] proof) {
        Handshake.Claim claim = Handshake.claimOf(first, proof);
        GuardedListener.Verdict verdict = listener.host().judge(claim);
        if (verdict.refusal() != null) {
            refuse(context, verdict.refusal(), verdict.text());
            return;
        }
        finish();
        context.writeAndFlush(Unpooled.wrappedBuffer(handshake.admitted(first, second, proof)));
        // Before the host takes the connection: what has already come behind the proof is for the host.
        context.pipeline().remove(this);
        listener.host().admit(context.channel(), claim);
    }

    private void refuse(ChannelHandlerContext context, Handshake.Refusal refusal, String text) {
        finish();
        listener.strangers().countRefused(String.valueOf(context.channel().remoteAddress()), refusal, text);
        context.writeAndFlush(Unpooled.wrappedBuffer(Handshake.refused(refusal, text)))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private void turnAway(String reason) {
        if (!over) {
            finish();
            listener.strangers().count(String.valueOf(channel.remoteAddress()), reason);
        }
        channel.close();
    }

    private void finish() {
        over = true;
        listener.pendingEnded(this);
        if (patience != null) {
            patience.cancel();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        turnAway("closed during the handshake");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
        Throwable cause =
                problem instanceof DecoderException && problem.getCause() != null ? problem.getCause() : problem;
        turnAway(CommException.textOf(cause));
    }
}
