package io.reactivecomm.netty.internal.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.CommException;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.host.Addresses;
import io.reactivecomm.netty.internal.host.Tokens;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.ProtocolException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The dialer's side of a {@link Handshake}.
 *
 * <p><b>Errors.</b> A {@link RendezvousException} if the other end refuses or is not one of us; an {@link IOException} if it could not
 * be reached or went away, which may be worth another attempt.
 */
public final class Dialer extends SimpleChannelInboundHandler<ByteBuf> {

    /**
     * The target of a call: who dials whom, and what for.
     *
     * @param source the address of this machine that it is to come from, or null for the system's choice
     */
    public record Target(
            InetSocketAddress address,
            Encryption encryption,
            Token token,
            Handshake.Claim claim,
            @Nullable InetAddress source) {

        public Target(InetSocketAddress address, Encryption encryption, Token token, Handshake.Claim claim) {
            this(address, encryption, token, claim, null);
        }

        @Nullable InetSocketAddress local() {
            return source == null ? null : new InetSocketAddress(source, 0);
        }
    }

    /** The token that is proved to the other end once that has answered: only then it is certain where it stands. */
    public interface Token {

        /** @param then takes it, or null if there is none; on the loop */
        void ask(Consumer<@Nullable String> then);

        static Token of(@Nullable String known) {
            return then -> then.accept(known);
        }
    }

    /** The outcome of a call; told once, on the loop. */
    public interface Outcome {

        /** The connection is admitted and its {@link PacketDecoder} paused; it is the receiver's now. */
        void connected(Channel channel);

        void failed(Throwable problem);
    }

    /** How long a dialer that has knocked waits for its turn at TLS. A full queue of honest ends needs less, at a few milliseconds each. */
    private static final int TURN_SECONDS = 60;

    private static final byte[] NO_BINDING = new byte[0];

    /** The packet that comes next. */
    private enum Next {
        CHALLENGE,
        READY,
        /** None: the token is being looked up, or the handshake of TLS has not ended. */
        NOTHING,
        ADMITTED
    }

    private final Target call;
    private final TransportOptions options;
    private final Outcome outcome;
    private Next next = Next.CHALLENGE;
    private byte[] hello = new byte[0];
    private @Nullable Handshake handshake;
    private byte[] binding = NO_BINDING;
    private boolean isTls;
    private boolean hasToken;
    private Loop.@Nullable Timer patience;
    private boolean over;

    Dialer(Target call, TransportOptions options, Outcome outcome) {
        this.call = call;
        this.options = options;
        this.outcome = outcome;
    }

    /** {@return the channel that is being connected; closing it ends the attempt} */
    public static Channel dial(NettyLoop loop, Target call, TransportOptions options, Outcome outcome) {
        Dialer dialer = new Dialer(call, options, outcome);
        ChannelFuture connected = new Bootstrap()
                .group(loop.group())
                .channel(loop.sockets().channelType())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, HandshakeAcceptor.PATIENCE_SECONDS * 1000)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        GuardedListener.steer(channel);
                        channel.pipeline().addLast(new PacketDecoder(Handshake.MAX_PACKET_BYTES), dialer);
                    }
                })
                .connect(call.address, call.local());
        loop.own(connected.channel());
        connected.addListener(done -> {
            if (!done.isSuccess()) {
                dialer.fail(done.cause());
            }
        });
        return connected.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (Objects.equals(context.channel().localAddress(), context.channel().remoteAddress())) {
            // While nobody listens there the system may give that very port to this side: TCP's simultaneous open.
            giveUp(context, new IOException("nobody listens there yet: the connection came back to itself"));
            return;
        }
        waitForProgress(context, HandshakeAcceptor.PATIENCE_SECONDS);
        Handshake.Terms terms =
                Handshake.Terms.of(call.encryption, Sockets.isWithinMachine(context.channel()), options.network());
        hello = Handshake.hello(call.claim.version(), call.claim.purpose(), terms);
        send(context, hello);
    }

    private void waitForProgress(ChannelHandlerContext context, int seconds) {
        stopWaiting();
        patience = options.timers()
                .schedule(
                        context.executor(),
                        () -> giveUp(context, new IOException("no answer in " + seconds + " s")),
                        TimeUnit.SECONDS.toNanos(seconds));
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
        if (next == Next.CHALLENGE && Handshake.isGreeting(Handshake.CHALLENGE, packet)) {
            answerChallenge(context, packet);
        } else if (packet[PacketDecoder.TYPE_OFFSET] == Handshake.REFUSED && Handshake.refusalOf(packet) != null) {
            giveUp(context, refused(packet));
        } else if (with != null && next == Next.READY && Handshake.isReady(packet)) {
            answerReady(context, with);
        } else if (with == null || next != Next.ADMITTED || packet[PacketDecoder.TYPE_OFFSET] != Handshake.ADMITTED) {
            giveUp(context, stranger("unexpected packet"));
        } else if (with.confirms(packet, binding)) {
            enter(context);
        } else {
            giveUp(
                    context,
                    isTls
                            ? new RendezvousException(Handshake.INTERCEPTED_TEXT)
                            : notAdmitted("the other end does not have it"));
        }
    }

    private void answerChallenge(ChannelHandlerContext context, byte[] challenge) {
        int version = Handshake.versionOf(challenge);
        if (version < Handshake.KNOCKING_VERSION) {
            giveUp(
                    context,
                    new RendezvousException("the protocol's version differs: rank=" + call.claim.rank()
                            + " has version=" + call.claim.version() + ", address=" + Addresses.text(call.address)
                            + " has version=" + version + "; run one release of Reactive Comm on all ranks"));
            return;
        }
        next = Next.NOTHING;
        call.token.ask(token -> knock(context, challenge, token));
    }

    private void knock(ChannelHandlerContext context, byte[] challenge, @Nullable String token) {
        if (over) {
            return;
        }
        Handshake with = new Handshake(token, hello, challenge);
        boolean isElsewhere = Handshake.termsOf(challenge).isElsewhere(options.network());
        isTls = with.isTlsDemanded() || (isElsewhere && call.encryption != Encryption.OFF);
        hasToken = token != null;
        if (isElsewhere || !Sockets.isWithinMachine(context.channel())) {
            Sockets.noteLeavesHost(context.channel());
        }
        String weakness = isTls ? Tokens.problem(token) : null;
        if (weakness != null) {
            giveUp(context, new RendezvousException(weakness));
            return;
        }
        handshake = with;
        next = Next.READY;
        if (isTls) {
            waitForProgress(context, TURN_SECONDS);
        }
        send(context, with.knock(isTls, call.claim.rank()));
    }

    private void answerReady(ChannelHandlerContext context, Handshake with) {
        waitForProgress(context, HandshakeAcceptor.PATIENCE_SECONDS);
        if (!isTls) {
            prove(context, with);
            return;
        }
        next = Next.NOTHING;
        Tls.prepare(context.channel(), true, layer -> {
            if (over) {
                return;
            }
            if (context.pipeline().get(PacketDecoder.class).hasBytes()) {
                giveUp(context, stranger("bytes before TLS"));
                return;
            }
            layer.begin(exported -> {
                binding = exported;
                waitForProgress(context, HandshakeAcceptor.PATIENCE_SECONDS);
                prove(context, with);
            });
        });
    }

    private void prove(ChannelHandlerContext context, Handshake with) {
        next = Next.ADMITTED;
        send(context, with.proof(call.claim, binding));
    }

    private static void send(ChannelHandlerContext context, byte[] packet) {
        context.channel().writeAndFlush(Unpooled.wrappedBuffer(packet));
    }

    private void enter(ChannelHandlerContext context) {
        finish();
        context.channel().config().setAutoRead(false);
        context.pipeline().get(PacketDecoder.class).pause();
        context.pipeline().remove(this);
        outcome.connected(context.channel());
    }

    private RendezvousException refused(byte[] packet) {
        Handshake with = handshake;
        if (with != null && with.provesRefusal(packet, binding)) {
            return new RendezvousException(Handshake.textOf(packet));
        }
        return switch (Handshake.refusalOf(packet)) {
            case TOKEN -> notAdmitted("the other end refused it");
            case VERSION ->
                new RendezvousException("the protocol's version differs, as the other end says: rank="
                        + call.claim.rank() + " has version=" + call.claim.version() + ", address="
                        + Addresses.text(call.address) + "; run one release of Reactive Comm on all ranks");
            case INTERCEPTED -> new RendezvousException(Handshake.INTERCEPTED_TEXT);
            case null, default -> stranger("a refusal that the token does not prove");
        };
    }

    private RendezvousException notAdmitted(String detail) {
        return new NotAdmittedException(
                "not admitted, the token differs, or the greeting was altered: rank=" + call.claim.rank() + ", address="
                        + Addresses.text(call.address) + ", token=" + (hasToken ? "set" : "none") + ", detail="
                        + detail
                        + "; give all ranks the same RCOMM_TOKEN");
    }

    private RendezvousException stranger(String detail) {
        return new RendezvousException("what answers is not Reactive Comm: address=" + Addresses.text(call.address)
                + ", detail=" + detail + "; choose another MASTER_PORT, or stop the program that listens there");
    }

    private void giveUp(ChannelHandlerContext context, Exception problem) {
        context.close();
        fail(problem);
    }

    private void fail(Throwable problem) {
        if (!over) {
            finish();
            outcome.failed(problem);
        }
    }

    private void finish() {
        over = true;
        stopWaiting();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(new IOException("the connection was closed during the handshake"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
        if (problem instanceof DecoderException && problem.getCause() instanceof ProtocolException broken) {
            giveUp(context, stranger(CommException.textOf(broken)));
        } else {
            giveUp(context, problem instanceof Exception e ? e : new IOException(problem));
        }
    }
}
