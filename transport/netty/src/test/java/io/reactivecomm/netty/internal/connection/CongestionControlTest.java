package io.reactivecomm.netty.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.unix.RawUnixChannelOption;
import io.reactivecomm.Tuning;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The congestion control of connections within the machine, where the system lets a socket ask for one. */
@Timeout(60)
class CongestionControlTest {

    private static final RawUnixChannelOption CONGESTION = new RawUnixChannelOption("TCP_CONGESTION", 6, 13, 16);
    private static final Path ALLOWED = Path.of("/proc/sys/net/ipv4/tcp_allowed_congestion_control");

    private static List<String> allowed() throws Exception {
        return Files.exists(ALLOWED) ? List.of(Files.readString(ALLOWED).strip().split(" ")) : List.of();
    }

    private static String of(Channel channel) {
        ByteBuffer name = channel.config().getOption(CONGESTION);
        return StandardCharsets.US_ASCII.decode(name).toString().replace("\0", "");
    }

    /** A connection's congestion control before and after it asked for one, and whether the system refused. */
    private record Asked(String before, boolean refused, String after) {}

    private static Asked asked(String congestion) throws Exception {
        NettyLoop loop = NettyLoop.start("congestion", Sockets.EPOLL);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Channel channel = new Bootstrap()
                    .group(loop.group())
                    .channel(Sockets.EPOLL.channelType())
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(listener.getLocalSocketAddress())
                    .sync()
                    .channel();
            String before = of(channel);
            boolean refused = Sockets.EPOLL.askFor(congestion, channel);
            return new Asked(before, refused, of(channel));
        } finally {
            loop.stop();
        }
    }

    @Test
    void whatTheSystemAllows_isHad() throws Exception {
        assumeThat(Sockets.best()).isEqualTo(Sockets.EPOLL);
        for (String name : allowed()) {
            Asked asked = asked(name);
            assertThat(asked.refused()).isFalse();
            assertThat(asked.after()).isEqualTo(name);
        }
    }

    @Test
    void whatThereIsNot_orIsNotAskedFor_leavesTheSystems() throws Exception {
        assumeThat(Sockets.best()).isEqualTo(Sockets.EPOLL);
        for (String name : List.of("no-such-one", Tuning.SYSTEM)) {
            Asked asked = asked(name);
            assertThat(asked.refused()).isEqualTo(!name.equals(Tuning.SYSTEM));
            assertThat(asked.after()).isEqualTo(asked.before());
        }
    }
}
