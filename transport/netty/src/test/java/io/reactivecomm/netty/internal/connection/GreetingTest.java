package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.Handshake.Claim;
import io.reactivecomm.netty.internal.connection.Handshake.Purpose;
import io.reactivecomm.netty.internal.connection.Proxy.Packet;
import io.reactivecomm.spi.link.FrameCodec;
import java.io.DataOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Greetings of a dialer and a listener over sockets, with and without somebody between them. */
@Timeout(60)
class GreetingTest {

    private static final String TOKEN = "0123456789abcdefghijklmnop";
    private static final byte[] ELSEWHERE = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
    private static final byte[] JOB = new byte[Handshake.JOB_BYTES];
    private static final String INTERCEPTED = "the connection is intercepted";
    private static final String ALTERED = "the token differs, or the greeting was altered";

    private final NettyLoop loop = NettyLoop.start("greeting", Sockets.best());
    private final CompletableFuture<Channel> entered = new CompletableFuture<>();
    private final List<String> disagreements = new ArrayList<>();
    private String token = TOKEN;
    private int rank = 1;

    @AfterEach
    void end() {
        loop.stop();
    }

    /** A listener that admits dialers that mean rank 1, and gives back what it is sent. */
    private final class Echo implements GuardedListener.Host {

        @Override
        public GuardedListener.Verdict judge(Claim claim) {
            return claim.target() == rank
                    ? GuardedListener.Verdict.ADMIT
                    : new GuardedListener.Verdict(Handshake.Refusal.RANK, "delivered to another: at=" + rank);
        }

        @Override
        public void admit(Channel channel, Claim claim) {
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object packet) {
                    context.writeAndFlush(packet);
                }
            });
            entered.complete(channel);
        }

        @Override
        public void disagreed(String text) {
            disagreements.add(text);
        }
    }

    private InetSocketAddress listen(Encryption encryption, TransportOptions options) throws Exception {
        StrangerLog strangers = new StrangerLog("the test", loop.eventLoop(), options.timers());
        Channel listener = GuardedListener.bind(
                        loop,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new GuardedListener.Terms(options, token, encryption),
                        strangers,
                        true,
                        new Echo())
                .sync()
                .channel();
        return (InetSocketAddress) listener.localAddress();
    }

    private InetSocketAddress listen(Encryption encryption) throws Exception {
        return listen(encryption, TransportOptions.DEFAULT);
    }

    private CompletableFuture<Channel> dial(InetSocketAddress address, Encryption encryption, String secret) {
        Claim claim = new Claim(Purpose.DATA, FrameCodec.VERSION, 3, 0, 1, JOB);
        CompletableFuture<Channel> outcome = new CompletableFuture<>();
        Dialer.dial(
                loop,
                new Dialer.Target(address, encryption, Dialer.Token.of(secret), claim),
                TransportOptions.DEFAULT,
                new Dialer.Outcome() {
                    @Override
                    public void connected(Channel channel) {
                        outcome.complete(channel);
                    }

                    @Override
                    public void failed(Throwable problem) {
                        outcome.completeExceptionally(problem);
                    }
                });
        return outcome;
    }

    private CompletableFuture<Channel> dial(InetSocketAddress address, Encryption encryption) {
        return dial(address, encryption, TOKEN);
    }

    private static Throwable failure(CompletableFuture<Channel> outcome) throws Exception {
        try {
            throw new AssertionError("connected: " + outcome.get(20, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }

    private static void expectRefusal(CompletableFuture<Channel> outcome, String... parts) throws Exception {
        assertThat(failure(outcome)).isInstanceOf(RendezvousException.class).hasMessageContainingAll(parts);
    }

    /** Sends a packet there and back over an admitted connection. */
    private static void expectEcho(Channel channel) throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        byte[] words = "there and back".getBytes(StandardCharsets.UTF_8);
        channel.eventLoop().execute(() -> {
            channel.pipeline().get(PacketDecoder.class).resume(Handshake.MAX_PACKET_BYTES);
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object packet) {
                    byte[] bytes = ByteBufUtil.getBytes((ByteBuf) packet);
                    ReferenceCountUtil.release(packet);
                    answer.complete(new String(bytes, 8, bytes.length - 8, StandardCharsets.UTF_8));
                }
            });
            channel.config().setAutoRead(true);
            channel.writeAndFlush(
                    Unpooled.buffer().writeIntLE(8 + words.length).writeIntLE(1).writeBytes(words));
        });
        assertThat(answer.get(20, TimeUnit.SECONDS)).isEqualTo("there and back");
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void tls_isUsedIfEitherEndDemandsIt(boolean dialerDemands, boolean listenerDemands) throws Exception {
        InetSocketAddress address = listen(listenerDemands ? Encryption.EVERYWHERE : Encryption.BETWEEN_HOSTS);
        Channel channel = dial(address, dialerDemands ? Encryption.EVERYWHERE : Encryption.BETWEEN_HOSTS)
                .get(20, TimeUnit.SECONDS);
        boolean isExpected = dialerDemands || listenerDemands;
        assertThat(Sockets.isEncrypted(channel)).isEqualTo(isExpected);
        assertThat(Sockets.isEncrypted(entered.get(20, TimeUnit.SECONDS))).isEqualTo(isExpected);
        expectEcho(channel);
    }

    @Test
    void ends_thatShareNoLoopback_useTlsThoughTheirAddressesAreLoopback() throws Exception {
        InetSocketAddress address = listen(Encryption.BETWEEN_HOSTS, TransportOptions.DEFAULT.withNetwork(ELSEWHERE));
        Channel channel = dial(address, Encryption.BETWEEN_HOSTS).get(20, TimeUnit.SECONDS);
        assertThat(Sockets.isEncrypted(channel)).isTrue();
        expectEcho(channel);
    }

    @Test
    void plaintext_thatBothPermit_isUsedBetweenHosts() throws Exception {
        token = "t";
        InetSocketAddress address = listen(Encryption.OFF, TransportOptions.DEFAULT.withNetwork(ELSEWHERE));
        Channel channel = dial(address, Encryption.OFF, "t").get(20, TimeUnit.SECONDS);
        assertThat(Sockets.isEncrypted(channel)).isFalse();
        expectEcho(channel);
    }

    @Test
    void plaintext_thatOnePermits_isRefusedInWords() throws Exception {
        InetSocketAddress address = listen(Encryption.BETWEEN_HOSTS, TransportOptions.DEFAULT.withNetwork(ELSEWHERE));
        expectRefusal(dial(address, Encryption.OFF), "RCOMM_PLAINTEXT=1", "with=rank 3", "without=the test");
        assertThat(disagreements).singleElement().asString().contains("with=rank 3");
        InetSocketAddress other = listen(Encryption.OFF, TransportOptions.DEFAULT.withNetwork(ELSEWHERE));
        expectRefusal(dial(other, Encryption.BETWEEN_HOSTS), "with=the test", "without=rank 3");
    }

    @Test
    void tokens_thatAreShort_areRefusedWhereTlsIsUsed() throws Exception {
        token = "short";
        InetSocketAddress address = listen(Encryption.BETWEEN_HOSTS);
        expectRefusal(dial(address, Encryption.EVERYWHERE, "short"), "too short for TLS", "characters=5");
        expectRefusal(dial(address, Encryption.EVERYWHERE, null), "too short for TLS", "characters=0");
        assertThat(entered).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void token_thatDiffers_isRefused(boolean isTls) throws Exception {
        InetSocketAddress address = listen(Encryption.BETWEEN_HOSTS);
        expectRefusal(
                dial(address, isTls ? Encryption.EVERYWHERE : Encryption.BETWEEN_HOSTS, "another token altogether"),
                ALTERED);
        assertThat(entered).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connection_thatIsDeliveredToAnotherRank_isRefused(boolean isTls) throws Exception {
        rank = 2;
        InetSocketAddress address = listen(Encryption.BETWEEN_HOSTS);
        try (Proxy proxy = Proxy.relay(address)) {
            expectRefusal(
                    dial(proxy.address(), isTls ? Encryption.EVERYWHERE : Encryption.BETWEEN_HOSTS),
                    "delivered to another: at=2");
        }
        assertThat(entered).isNotDone();
    }

    @Test
    void relay_thatChangesNothing_isNoticedByNobody() throws Exception {
        try (Proxy proxy = Proxy.relay(listen(Encryption.EVERYWHERE))) {
            expectEcho(dial(proxy.address(), Encryption.BETWEEN_HOSTS).get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void relay_thatEndsTlsOnBothSides_isFoundOut() throws Exception {
        try (Proxy proxy = Proxy.intercepting(listen(Encryption.EVERYWHERE))) {
            expectRefusal(dial(proxy.address(), Encryption.EVERYWHERE), INTERCEPTED);
            assertThat(proxy.hasRelayedProof()).isTrue();
        }
        assertThat(entered).isNotDone();
    }

    @Test
    void relay_thatAnswersInTheListenersPlace_isFoundOut() throws Exception {
        try (Proxy proxy = Proxy.impersonating(listen(Encryption.EVERYWHERE))) {
            expectRefusal(dial(proxy.address(), Encryption.EVERYWHERE), INTERCEPTED);
        }
        assertThat(entered).isNotDone();
    }

    @ParameterizedTest
    @CsvSource({"HELLO, 21", "CHALLENGE, 21", "KNOCK, 8", "HELLO, 45", "CHALLENGE, 45", "HELLO, 30", "CHALLENGE, 30"})
    void greeting_thatIsAltered_isRefused(Packet packet, int at) throws Exception {
        try (Proxy proxy = Proxy.altering(listen(Encryption.EVERYWHERE), packet, at)) {
            expectRefusal(dial(proxy.address(), Encryption.EVERYWHERE), ALTERED);
        }
        assertThat(entered).isNotDone();
    }

    @Test
    void greeting_thatIsReplayed_isRefused() throws Exception {
        InetSocketAddress address = listen(Encryption.BETWEEN_HOSTS);
        List<byte[]> said;
        try (Proxy proxy = Proxy.relay(address)) {
            dial(proxy.address(), Encryption.BETWEEN_HOSTS).get(20, TimeUnit.SECONDS);
            said = proxy.fromDialer();
        }
        assertThat(said).hasSize(3);
        try (Socket again = new Socket(address.getAddress(), address.getPort())) {
            again.getOutputStream().write(said.get(0));
            InputStream in = again.getInputStream();
            assertThat(Packet.CHALLENGE.isTypeOf(Proxy.read(in))).isTrue();
            again.getOutputStream().write(said.get(1));
            byte[] answer = Proxy.read(in);
            assertThat(Handshake.refusalOf(answer)).isEqualTo(Handshake.Refusal.TOKEN);
            assertThat(Handshake.textOf(answer)).isEqualTo(ALTERED);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Packet.class,
            names = {"HELLO", "KNOCK", "PROOF"})
    void words_thatComeBackAsAnAnswer_admitNobody(Packet packet) throws Exception {
        try (Proxy proxy = Proxy.reflecting(listen(Encryption.BETWEEN_HOSTS), packet)) {
            assertThat(failure(dial(proxy.address(), Encryption.BETWEEN_HOSTS)))
                    .isInstanceOf(RendezvousException.class);
        }
    }

    @Test
    void dialer_thatKnocksAsAnotherRankThanItClaims_isRefused() throws Exception {
        InetSocketAddress address = listen(Encryption.BETWEEN_HOSTS);
        Handshake.Terms terms = new Handshake.Terms(false, false, TransportOptions.DEFAULT.network());
        byte[] hello = Handshake.hello(FrameCodec.VERSION, Purpose.DATA, terms);
        try (Socket dialer = new Socket(address.getAddress(), address.getPort())) {
            OutputStream out = dialer.getOutputStream();
            InputStream in = dialer.getInputStream();
            out.write(hello);
            Handshake with = new Handshake(TOKEN, hello, Proxy.read(in));
            out.write(with.knock(false, 3));
            assertThat(Handshake.isReady(Proxy.read(in))).isTrue();
            out.write(with.proof(new Claim(Purpose.DATA, FrameCodec.VERSION, 4, 0, 1, JOB), new byte[0]));
            byte[] answer = Proxy.read(in);
            assertThat(Handshake.refusalOf(answer)).isEqualTo(Handshake.Refusal.RANK);
            assertThat(Handshake.textOf(answer)).contains("knocked=3", "claimed=4");
            assertThat(with.provesRefusal(answer, new byte[0])).isTrue();
            assertThat(new Handshake("another", hello, answer).provesRefusal(answer, new byte[0]))
                    .isFalse();
        }
        assertThat(entered).isNotDone();
    }

    @Test
    void dialer_ofAnOlderRelease_getsAText() throws Exception {
        InetSocketAddress address = listen(Encryption.BETWEEN_HOSTS);
        byte[] hello = Handshake.hello(13, Purpose.DATA, new Handshake.Terms(false, false, ELSEWHERE));
        try (Socket older = new Socket(address.getAddress(), address.getPort())) {
            older.getOutputStream().write(hello);
            byte[] answer = Proxy.read(older.getInputStream());
            assertThat(Handshake.refusalOf(answer)).isEqualTo(Handshake.Refusal.VERSION);
            assertThat(Handshake.textOf(answer)).contains("version=13", "version=" + FrameCodec.VERSION);
        }
    }

    @Test
    void listener_ofAnOlderRelease_isNamed() throws Exception {
        try (ServerSocket older = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Channel> outcome =
                    dial((InetSocketAddress) older.getLocalSocketAddress(), Encryption.BETWEEN_HOSTS);
            try (Socket socket = older.accept()) {
                Proxy.read(socket.getInputStream());
                new DataOutputStream(socket.getOutputStream())
                        .write(Handshake.challenge(13, Purpose.DATA, new Handshake.Terms(false, false, ELSEWHERE)));
                expectRefusal(outcome, "version differs", "rank=3", "has version=13");
                assertThat(socket.getInputStream().read()).as("no KNOCK").isEqualTo(-1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Proxy.Damage.class)
    void records_thatAreDamaged_endTheConnectionWithoutData(Proxy.Damage damage) throws Exception {
        try (Proxy proxy = Proxy.relay(listen(Encryption.EVERYWHERE))) {
            Channel channel = dial(proxy.address(), Encryption.EVERYWHERE).get(20, TimeUnit.SECONDS);
            expectEcho(channel);
            Channel other = entered.get(20, TimeUnit.SECONDS);
            CompletableFuture<Throwable> seen = new CompletableFuture<>();
            other.eventLoop()
                    .execute(() -> other.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelInactive(ChannelHandlerContext context) {
                            seen.complete(new java.io.EOFException());
                        }

                        @Override
                        public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
                            seen.complete(problem);
                            context.close();
                        }
                    }));
            proxy.damageNext(damage);
            for (int i = 0; i < 3; i++) {
                channel.writeAndFlush(
                                Unpooled.buffer().writeIntLE(16).writeIntLE(1).writeLongLE(i))
                        .sync();
            }
            assertThat(seen.get(20, TimeUnit.SECONDS)).isInstanceOf(java.io.IOException.class);
        }
    }

    @Test
    void dialers_beyondThePlacesForHandshakes_enterInTurn() throws Exception {
        InetSocketAddress address = listen(Encryption.BETWEEN_HOSTS);
        List<CompletableFuture<Channel>> all = new ArrayList<>();
        for (int i = 0; i < GuardedListener.MAX_HANDSHAKES + 16; i++) {
            all.add(dial(address, Encryption.EVERYWHERE));
        }
        for (CompletableFuture<Channel> each : all) {
            assertThat(Sockets.isEncrypted(each.get(30, TimeUnit.SECONDS))).isTrue();
        }
    }

    @Test
    void handshakes_withoutProgress_loseTheirPlaces() throws Exception {
        ManualTimers timers = new ManualTimers();
        InetSocketAddress address = listen(Encryption.EVERYWHERE, TransportOptions.DEFAULT.withTimers(timers));
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < GuardedListener.MAX_HANDSHAKES; i++) {
                Socket socket = knock(address);
                idle.add(socket);
                assertThat(Handshake.isReady(Proxy.read(socket.getInputStream())))
                        .isTrue();
            }
            try (Socket waiting = knock(address)) {
                // A greeting behind it has been answered, so its KNOCK has been looked at.
                knock(address).close();
                assertThat(waiting.getInputStream().available()).isZero();
                timers.advance(TimeUnit.SECONDS.toNanos(HandshakeAcceptor.PATIENCE_SECONDS));
                assertThat(Handshake.isReady(Proxy.read(waiting.getInputStream())))
                        .isTrue();
                for (Socket each : idle) {
                    assertThat(each.getInputStream().read()).isEqualTo(-1);
                }
            }
        } finally {
            for (Socket each : idle) {
                each.close();
            }
        }
    }

    /** {@return a connection that has knocked with the token, for TLS} */
    private static Socket knock(InetSocketAddress address) throws Exception {
        byte[] hello = Handshake.hello(
                FrameCodec.VERSION,
                Purpose.DATA,
                Handshake.Terms.of(Encryption.EVERYWHERE, true, TransportOptions.DEFAULT.network()));
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(20_000);
        socket.getOutputStream().write(hello);
        byte[] challenge = Proxy.read(socket.getInputStream());
        socket.getOutputStream().write(new Handshake(TOKEN, hello, challenge).knock(true, 3));
        return socket;
    }
}
