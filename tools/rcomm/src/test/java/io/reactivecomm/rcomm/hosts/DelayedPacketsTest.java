package io.reactivecomm.rcomm.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.rcomm.latency.Rate;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class DelayedPacketsTest {

    private static final Duration LATENCY = Duration.ofMillis(2);
    private static final long LATENCY_NANOS = LATENCY.toNanos();

    /** A byte each nanosecond. */
    private static final Rate BYTE_A_NANOSECOND = new Rate(8_000_000_000L);

    private final PacketPool pool = new PacketPool();

    @AfterEach
    void close() {
        pool.close();
    }

    private Packet packet(int length) {
        Packet packet = pool.take();
        packet.length = length;
        return packet;
    }

    @Test
    void packet_isDueAfterTheLatency() {
        DelayedPackets packets = new DelayedPackets(LinkShape.of(LATENCY, Rate.UNLIMITED), PacketRelay.QUEUE_BYTES, 0);
        Packet packet = packet(60_000);
        assertThat(packets.offer(packet, 500)).isTrue();
        assertThat(packet.dueNanos).isEqualTo(500 + LATENCY_NANOS);
    }

    @Test
    void packetsOfTwoSenders_shareTheRateOfTheReceiver() {
        DelayedPackets packets =
                new DelayedPackets(new LinkShape(LATENCY, BYTE_A_NANOSECOND, 0), PacketRelay.QUEUE_BYTES, 0);
        Packet one = packet(1000);
        Packet other = packet(1000);
        packets.offer(one, 5000);
        packets.offer(other, 5000);
        assertThat(one.dueNanos).isEqualTo(5000 + LATENCY_NANOS);
        assertThat(other.dueNanos).isEqualTo(6000 + LATENCY_NANOS);
    }

    @Test
    void take_givesThemInOrder_notBeforeTheyAreDue() throws InterruptedException {
        long now = System.nanoTime();
        DelayedPackets packets =
                new DelayedPackets(LinkShape.of(LATENCY, Rate.UNLIMITED), PacketRelay.QUEUE_BYTES, now);
        Packet one = packet(1);
        Packet other = packet(2);
        packets.offer(one, now);
        packets.offer(other, now + 1);
        assertThat(packets.take()).isSameAs(one);
        assertThat(packets.take()).isSameAs(other);
        assertThat(System.nanoTime() - now).isGreaterThanOrEqualTo(LATENCY_NANOS);
    }

    /** It counts packets, however large their buffers are. */
    @Test
    void fullQueue_refuses_untilOneIsTaken() throws InterruptedException {
        DelayedPackets packets = new DelayedPackets(LinkShape.NONE, 10 * 2500, System.nanoTime());
        for (int i = 0; i < 10; i++) {
            assertThat(packets.offer(packet(2500), System.nanoTime())).isTrue();
        }
        assertThat(packets.offer(packet(1), System.nanoTime())).isFalse();
        packets.take();
        assertThat(packets.offer(packet(2501), System.nanoTime())).isFalse();
        assertThat(packets.offer(packet(2500), System.nanoTime())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 52, 64, 65, 1500, 2048, 2049, 2500, 6250, 32_768, 32_769, 61_440, 65_535})
    void packet_waitsInLessThanTwiceItsLength_orTheLeast(int length) {
        Packet read = packet(length);
        Packet waiting = pool.fitted(read);
        assertThat(waiting.length).isEqualTo(length);
        assertThat(waiting.bytes.byteSize())
                .isBetween((long) length, Math.max(PacketPool.LEAST_BYTES, 2L * length - 1));
        pool.give(waiting);
        assertThat(pool.fitted(packet(length))).isSameAs(waiting);
    }

    @Test
    void packet_waitsInABufferOfItsSize_andTheLargeOneIsFree() {
        Packet read = packet(52);
        read.bytes.set(ValueLayout.JAVA_BYTE, 51, (byte) 7);
        Packet waiting = pool.fitted(read);
        assertThat(waiting.bytes.byteSize()).isEqualTo(64);
        assertThat(waiting.length).isEqualTo(52);
        assertThat(waiting.bytes.get(ValueLayout.JAVA_BYTE, 51)).isEqualTo((byte) 7);
        assertThat(pool.take()).isSameAs(read);
        pool.give(waiting);
        assertThat(pool.fitted(packet(52))).isSameAs(waiting);
    }

    @Test
    void largePacket_staysWhereItIs() {
        Packet read = packet(PacketPool.LARGE_BYTES / 2 + 1);
        assertThat(pool.fitted(read)).isSameAs(read);
    }

    @Test
    void longestPacket_takesHalfAMillisecondAtMost_butIsNoShorterThanEthernets() {
        assertThat(RelayedNetwork.mtu(Rate.UNLIMITED)).isEqualTo(61_440);
        assertThat(RelayedNetwork.mtu(Rate.GIGABIT)).isEqualTo(61_440);
        assertThat(RelayedNetwork.mtu(new Rate(100_000_000))).isEqualTo(6250);
        assertThat(RelayedNetwork.mtu(new Rate(1_000_000))).isEqualTo(1500);
    }
}
