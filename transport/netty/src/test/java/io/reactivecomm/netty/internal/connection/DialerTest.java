package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.reactivecomm.Admission.Encryption;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.spi.link.FrameCodec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class DialerTest {

    /** The error that a call fails with. */
    private static final class Failure extends CompletableFuture<Throwable> implements Dialer.Outcome {

        @Override
        public void connected(Channel channel) {
            completeExceptionally(new AssertionError("connected"));
        }

        @Override
        public void failed(Throwable problem) {
            complete(problem);
        }
    }

    private final Failure failure = new Failure();

    private Dialer dialer(InetSocketAddress address) {
        Handshake.Claim claim = new Handshake.Claim(
                Handshake.Purpose.STORE, FrameCodec.VERSION, 1, 0, Handshake.STORE, new byte[Handshake.JOB_BYTES]);
        return new Dialer(
                new Dialer.Target(address, Encryption.BETWEEN_HOSTS, Dialer.Token.of(null), claim),
                TransportOptions.DEFAULT.withTimers(new ManualTimers()),
                failure);
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void dial_thatComesBackToItself_mayBeTriedAgain(Sockets sockets) throws Exception {
        NettyLoop loop = NettyLoop.start("dialer", sockets);
        try {
            Channel channel = new Bootstrap()
                    .group(loop.group())
                    .channel(sockets.channelType())
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new PacketDecoder(Handshake.MAX_PACKET_BYTES));
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            InetSocketAddress self = (InetSocketAddress) channel.localAddress();
            channel.pipeline().addLast(dialer(self));
            channel.connect(self).sync();
            assertThat(failure.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("itself");
            assertThat(channel.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            loop.stop();
        }
    }

    @Test
    void refusalText_isCutAndMadeOneLine() {
        String text = "no\r\nERROR forged\u001b[2J\u0085\u2028\u202e" + "x".repeat(400);
        assertThat(Handshake.textOf(Handshake.refused(Handshake.Refusal.JOB, text)))
                .matches("no ERROR forged \\[2J x+")
                .hasSize(Handshake.MAX_REFUSAL_CHARS);
    }

    @ParameterizedTest
    @EnumSource(Handshake.Refusal.class)
    void refusal_withoutProof_isWordedByItsCode(Handshake.Refusal refusal) {
        EmbeddedChannel channel = new EmbeddedChannel(dialer(new InetSocketAddress("127.0.0.1", 1)));
        channel.writeInbound(Unpooled.wrappedBuffer(Handshake.refused(refusal, "set RCOMM_PLAINTEXT=1")));
        assertThat(failure.join())
                .isInstanceOf(RendezvousException.class)
                .message()
                .doesNotContain("RCOMM_PLAINTEXT");
    }
}
