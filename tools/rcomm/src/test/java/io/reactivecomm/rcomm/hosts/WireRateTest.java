package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.rcomm.latency.Rate;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WireRateTest {

    @Test
    void line_hasTheMedianOfRounds() {
        assertThat(new WireFigures(16 << 20, List.of(143_500_000L, 900_000_000L, 100_000_000L)).line())
                .isEqualTo("wire: 116.9 MB/s each way, 16 MiB in 143.5 ms (median of 3 rounds)");
        assertThat(new WireFigures(1_750_000, List.of(100_000_000L, 180_000_000L)).line())
                .isEqualTo("wire: 12.5 MB/s each way, 1750000 bytes in 140.0 ms (median of 2 rounds)");
    }

    @Test
    void bytes_takeAsLongAtEachRate_withinBounds() {
        assertThat(WireRate.bytesOf(Rate.UNLIMITED)).isEqualTo(16 << 20);
        assertThat(WireRate.bytesOf(new Rate(100_000_000))).isEqualTo(1_750_000);
        assertThat(WireRate.bytesOf(new Rate(1_000))).isEqualTo(64 << 10);
        assertThat(WireRate.bytesOf(new Rate(100_000_000_000L))).isEqualTo(16 << 20);
    }

    @Test
    void bytesThatWereNotCounted_areAnError() {
        assertThatCode(() -> WireRate.requireCounted(new InterfaceTraffic(100, 100, 0), 100))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> WireRate.requireCounted(new InterfaceTraffic(100, 99, 0), 100))
                .hasMessageContaining("countedReceived=99");
        assertThatThrownBy(() -> WireRate.requireCounted(new InterfaceTraffic(99, 100, 0), 100))
                .isInstanceOf(HostsException.class)
                .hasMessage(
                        "bytes between hosts do not go by the wire: sentByProgram=100, countedSent=99, countedReceived=100");
    }

    @Test
    void ends_sendAndReceiveInEachRound() throws Exception {
        try (ServerSocketChannel door = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
                SocketChannel there = SocketChannel.open(door.getLocalAddress());
                SocketChannel here = door.accept()) {
            CompletableFuture<List<Long>> others = WireEnd.inThread(() -> new WireEnd(there, 1_000_000).rounds(3));
            assertThat(new WireEnd(here, 1_000_000).rounds(3)).hasSize(3).allMatch(nanos -> nanos > 0);
            assertThat(others.join()).hasSize(3);
        }
    }
}
