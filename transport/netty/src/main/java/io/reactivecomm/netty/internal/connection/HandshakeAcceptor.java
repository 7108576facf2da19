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
 * The listener's side of a {@link Handshake}, for one connection. One that makes no progress in {@value #PATIENCE_SECONDS} s, or sends something else, is closed and
 * counted.
 */
final class HandshakeAcceptor extends SimpleChannelInboundHandler<ByteBuf> {

    static final int PATIENCE_SECONDS = 5;

    private static final byte[] NO_BINDING = new byte[0];

    /** The packet that comes next. */
    private enum Next {
        HELLO,
        KNOCK,
        /** None: the handshake of TLS has not ended, or not begun. */
        NOTHING,
        PROOF
    }

    private final GuardedListener listener;
    private final Channel channel;
    private final InetAddress source;
    private Next next = Next.HELLO;
    private Handshake.@Nullable Purpose purpose;
    private @Nullable Handshake handshake;
    private byte[] binding = NO_BINDING;
    private Loop.@Nullable Timer patience;
    private boolean over;

    /** @param source where the connection comes from */
    HandshakeAcceptor(GuardedListener listener, Channel channel, InetAddress source) {
        this.listener = listener;
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
        waitForProgress();
    }

    private void waitForProgress() {
        stopWaiting();
        patience = listener.timers()
                .schedule(
                        channel.eventLoop(),
                        () -> turnAway("handshake not finished in " + PATIENCE_SECONDS + " s"),
                        TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS));
    }

    private void stopWaiting() {
        if (patience != null) {
            patience.cancel();
            patience = null;
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        if (over) {
            return;
        }
        byte[] packet = ByteBufUtil.getBytes(bytes);
        Handshake with = handshake;
        if (next == Next.HELLO) {
            answerHello(packet);
        } else if (with != null && next == Next.KNOCK) {
            answerKnock(with, packet);
        } else if (with != null && next == Next.PROOF) {
            answerProof(context, with, packet);
        } else {
            turnAway("spoke before its turn");
        }
    }

    private void answerHello(byte[] packet) {
        purpose = Handshake.isGreeting(Handshake.HELLO, packet) ? Handshake.purposeOf(packet) : null;
        if (purpose == null) {
            turnAway("not a rank");
        } else if (Handshake.versionOf(packet) < Handshake.KNOCKING_VERSION) {
            // It has proved nothing: this is for its user to read, and no other rank is notified.
            refuse(
                    Handshake.Refusal.VERSION,
                    "the protocol's version differs: the dialer has version=" + Handshake.versionOf(packet)
                            + ", this end has version=" + listener.version()
                            + "; run one release of Reactive Comm on all ranks");
        } else {
            byte[] network = listener.terms().options().network();
            boolean isWithinHost = Sockets.isWithinMachine(channel)
                    && !Handshake.termsOf(packet).isElsewhere(network);
            if (!isWithinHost) {
                Sockets.noteLeavesHost(channel);
            }
            byte[] challenge = Handshake.challenge(
                    listener.version(),
                    purpose,
                    Handshake.Terms.of(listener.terms().encryption(), isWithinHost, network));
            handshake = new Handshake(listener.terms().token(), packet, challenge);
            next = Next.KNOCK;
            send(challenge);
        }
    }

    private void answerKnock(Handshake with, byte[] packet) {
        if (!with.takesKnock(packet)) {
            refuse(Handshake.Refusal.TOKEN, "the token differs, or the greeting was altered");
            return;
        }
        next = Next.NOTHING;
        String conflict =
                with.conflict(listener.strangers().listener(), listener.terms().token());
        if (conflict != null) {
            refuse(Handshake.Refusal.PLAINTEXT, conflict);
            if (purpose != Handshake.Purpose.WATCH) {
                listener.host().disagreed(conflict);
            }
        } else if (!with.isTls()) {
            getReady();
        } else {
            listener.pendingEnded(this);
            switch (listener.turns().enter(this)) {
                case PRESENT -> beginTls();
                case WAITING -> stopWaiting();
                case FULL -> turnAway("too many wait for the handshake of TLS; it may dial again");
            }
        }
    }

    /** In plain mode, or once TLS can begin. */
    private void getReady() {
        waitForProgress();
        next = Next.PROOF;
        send(Handshake.ready());
    }

    private void beginTls() {
        waitForProgress();
        Tls.prepare(channel, false, layer -> {
            if (over) {
                return;
            }
            if (channel.pipeline().get(PacketDecoder.class).hasBytes()) {
                turnAway("spoke before its turn");
                return;
            }
            getReady();
            layer.begin(exported -> {
                binding = exported;
                waitForProgress();
            });
        });
    }

    private void answerProof(ChannelHandlerContext context, Handshake with, byte[] proof) {
        if (!with.takesProof(proof, binding)) {
            refuse(Handshake.Refusal.INTERCEPTED, Handshake.INTERCEPTED_TEXT);
            return;
        }
        Handshake.Claim claim = with.claim();
        if (claim.rank() != with.knocker()) {
            refuse(
                    Handshake.Refusal.RANK,
                    "a dialer knocked as another rank than it claims: knocked=" + with.knocker() + ", claimed="
                            + claim.rank());
            return;
        }
        GuardedListener.Verdict verdict = listener.host().judge(claim);
        if (verdict.refusal() != null) {
            refuse(verdict.refusal(), verdict.text());
            return;
        }
        finish();
        send(with.admitted(binding));
        // Before the host takes the connection: what has already come behind the proof is for the host.
        context.pipeline().remove(this);
        listener.host().admit(context.channel(), claim);
    }

    private void send(byte[] packet) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(packet));
    }

    private void refuse(Handshake.Refusal refusal, String text) {
        finish();
        listener.strangers().countRefused(String.valueOf(channel.remoteAddress()), refusal, text);
        Handshake with = handshake;
        byte[] packet = with == null ? Handshake.refused(refusal, text) : with.refusal(refusal, text, binding);
        channel.writeAndFlush(Unpooled.wrappedBuffer(packet)).addListener(ChannelFutureListener.CLOSE);
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
        stopWaiting();
        HandshakeAcceptor other = listener.turns().leave(this);
        if (other != null) {
            other.beginTls();
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
