package io.reactivecomm.netty.internal.connection;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.util.AttributeKey;
import io.reactivecomm.Admission.Encryption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A listening socket that hands on only connections which passed the {@link Handshake}. A stranger can cost it {@value #MAX_PENDING}
 * connections of at most {@value #READ_BYTES} bytes a read and two packets each, for {@value HandshakeAcceptor#PATIENCE_SECONDS} s. Of ends that have the token,
 * {@value #MAX_HANDSHAKES} at a time may be in the handshake of TLS, and {@value #MAX_PENDING} more wait for their turn.
 *
 * <p><b>Threads.</b> The event loop that it was bound on.
 */
public final class GuardedListener {

    /** Connections that may be in their handshake at one time; those that come then push others out, see {@link PendingConnections}. */
    public static final int MAX_PENDING = 1024;

    /** Handshakes of TLS at one time: each costs public-key work and memory. */
    static final int MAX_HANDSHAKES = 64;

    /** What is read at one time from a connection that is not yet admitted. */
    static final int READ_BYTES = 512;

    /** As many as may be pending: a whole world may dial at the same moment. */
    private static final int BACKLOG = MAX_PENDING;

    private static final AttributeKey<ReceiveSteering> STEERING = AttributeKey.valueOf("io.reactivecomm.steering");

    /** A judgement: admitted, or refused for a reason. */
    public record Verdict(Handshake.@Nullable Refusal refusal, String text) {

        public static final Verdict ADMIT = new Verdict(null, "");
    }

    /** The owner of a listening socket. */
    public interface Host {

        /** {@return whether one that has the token may enter} */
        Verdict judge(Handshake.Claim claim);

        /** One end of a connection permits plaintext alone and the other one demands TLS. */
        void disagreed(String text);

        /** Takes a connection; a {@link PacketDecoder} still stands before what the host adds to its pipeline. */
        void admit(Channel channel, Handshake.Claim claim);
    }

    /**
     * The terms of a listener.
     *
     * @param token the secret, or null for none
     */
    public record Terms(TransportOptions options, @Nullable String token, Encryption encryption) {

        /** {@return the terms without the token} */
        @Override
        public String toString() {
            return "Terms[token=" + (token == null ? "none" : "set") + ", encryption=" + encryption + "]";
        }
    }

    private final Host host;
    private final Terms terms;
    private final StrangerLog strangers;
    private final PendingConnections<HandshakeAcceptor> pending = new PendingConnections<>(MAX_PENDING);
    private final Turns<HandshakeAcceptor> turns = new Turns<>(MAX_HANDSHAKES, MAX_PENDING);

    private GuardedListener(Host host, Terms terms, StrangerLog strangers) {
        this.host = host;
        this.terms = terms;
        this.strangers = strangers;
    }

    /**
     * Binds.
     *
     * @param accepting whether to accept at once, or only when the channel is told to read
     * @return the future of the listening channel
     */
    public static ChannelFuture bind(
            NettyLoop loop,
            InetSocketAddress address,
            Terms terms,
            StrangerLog strangers,
            boolean accepting,
            Host host) {
        GuardedListener listener = new GuardedListener(host, terms, strangers);
        ChannelFuture bound = new ServerBootstrap()
                .group(loop.group(), loop.group())
                .channel(loop.sockets().listenerType())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.AUTO_READ, accepting)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        loop.own(channel);
                        listener.arrived(channel);
                    }
                })
                .bind(address);
        loop.own(bound.channel());
        return bound;
    }

    private void arrived(Channel channel) {
        HandshakeAcceptor newcomer = new HandshakeAcceptor(this, channel, sourceOf(channel));
        steer(channel);
        channel.pipeline().addLast(new PacketDecoder(Handshake.MAX_PACKET_BYTES), newcomer);
        HandshakeAcceptor leaver = pending.enter(newcomer, newcomer.source());
        if (leaver != null) {
            leaver.makeRoom();
        }
    }

    private static InetAddress sourceOf(Channel channel) {
        // One whose other end has gone already has no address, and is turned away when its end is read.
        return channel.remoteAddress() instanceof InetSocketAddress remote
                ? remote.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    /** Gives a channel the steering that a link takes over later; before its first read. */
    public static void steer(Channel channel) {
        ReceiveSteering steering = new ReceiveSteering(READ_BYTES);
        channel.config().setRecvByteBufAllocator(steering);
        channel.config().setMessageSizeEstimator(SealedRegion.SIZES);
        channel.attr(STEERING).set(steering);
    }

    public static ReceiveSteering steeringOf(Channel channel) {
        return channel.attr(STEERING).get();
    }

    Host host() {
        return host;
    }

    Terms terms() {
        return terms;
    }

    int version() {
        return terms.options().version();
    }

    Timers timers() {
        return terms.options().timers();
    }

    /** {@return the turns of those who have the token at the handshake of TLS} */
    Turns<HandshakeAcceptor> turns() {
        return turns;
    }

    StrangerLog strangers() {
        return strangers;
    }

    /** One connection less is in its handshake. */
    void pendingEnded(HandshakeAcceptor acceptor) {
        pending.leave(acceptor, acceptor.source());
    }
}
