package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.reactivecomm.CommConfig;
import io.reactivecomm.RendezvousException;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.host.RankAddress;
import io.reactivecomm.netty.internal.rendezvous.TransportResources;
import io.reactivecomm.netty.internal.store.Roster;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.link.PeerNews;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** Rank 0 of two, with two lanes, as rank 1's connections come one by one. */
@Timeout(60)
class LaneFormationTest {

    private static final byte[] JOB = new byte[Handshake.JOB_BYTES];

    private final ManualTimers timers = new ManualTimers();
    private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(true);
    private final TransportResources held = new TransportResources(0, 2, Sockets.best());
    private final MeshFormation formation = new MeshFormation(
            CommConfig.of(0, 2, "127.0.0.1", 1).withLanes(2),
            TransportOptions.DEFAULT.withTimers(timers),
            held,
            null,
            RankAddress.reached(InetAddress.getLoopbackAddress()));

    private CompletableFuture<Mesh> attempt;

    @AfterEach
    void end() {
        held.close();
    }

    private void begin() {
        Roster roster = new Roster(JOB, List.of(entry(0), entry(1)));
        attempt = Mono.<Mesh>create(sink -> LinkPair.run(held.loop(), () -> formation.begin(roster, sink)))
                .toFuture();
    }

    private void admitControl() {
        EmbeddedChannel control = new EmbeddedChannel(new PacketDecoder(Handshake.MAX_PACKET_BYTES));
        LinkPair.run(
                held.control(), () -> formation.controlAcceptor().admit(control, claim(Handshake.Purpose.CONTROL, 0)));
    }

    private static Roster.Entry entry(int rank) {
        return new Roster.Entry(rank, 2, "127.0.0.1", 1, 1, 1);
    }

    private static Handshake.Claim claim(Handshake.Purpose purpose, int lane) {
        return new Handshake.Claim(purpose, FrameCodec.VERSION, 1, lane, 0, JOB);
    }

    private EmbeddedChannel channel() {
        EmbeddedChannel channel = new EmbeddedChannel(new PacketDecoder(Handshake.MAX_PACKET_BYTES));
        channel.config().setAllocator(buffers);
        GuardedListener.steer(channel);
        return channel;
    }

    private EmbeddedChannel admit(int lane) {
        EmbeddedChannel channel = channel();
        LinkPair.run(held.loop(), () -> formation.dataAcceptor().admit(channel, claim(Handshake.Purpose.DATA, lane)));
        return channel;
    }

    @Test
    void mesh_isWholeOnlyWithAllLanes() throws Exception {
        begin();
        admitControl();
        admit(0);
        admit(1);
        // Behind the task that notes the control connection.
        LinkPair.run(held.control(), () -> {});
        LinkPair.run(held.loop(), () -> {});
        assertThat(attempt).isNotDone();

        admit(2);

        Mesh mesh = attempt.get(20, TimeUnit.SECONDS);
        assertThat(mesh.link(1).peer()).isEqualTo(1);
        mesh.close();
        assertThat(buffers.metric().usedDirectMemory()).isZero();
    }

    @Test
    void rank_thatIsLostBetweenItsConnections_isToldAtOnce() throws Exception {
        begin();
        EmbeddedChannel first = admit(0);

        LinkPair.run(held.control(), () -> formation.found(new PeerNews.Lost(1, "it fell silent")));

        assertThat(attempt.handle((_, problem) -> problem).get(20, TimeUnit.SECONDS))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("a rank was lost while the ranks connected")
                .hasMessageContaining("it fell silent");
        assertThat(first.isOpen()).isFalse();
    }

    @Test
    void formation_thatFails_endsTheLanesItHas() throws Exception {
        begin();
        List<EmbeddedChannel> some = List.of(admit(0), admit(1));

        timers.advance(TimeUnit.SECONDS.toNanos(10));

        assertThat(attempt.handle((_, problem) -> problem).get(20, TimeUnit.SECONDS))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("missing=[1]");
        assertThat(some).noneMatch(EmbeddedChannel::isOpen);
        assertThat(admit(2).isOpen()).isFalse();
        assertThat(buffers.metric().usedDirectMemory()).isZero();
    }
}
