package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.reactivecomm.CommConfig;
import io.reactivecomm.NetworkChoice;
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
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** Rank 0 of three, which rank 1 has reached and rank 2 has not. */
@Timeout(60)
class MeshFormationTest {

    private static final byte[] JOB = new byte[Handshake.JOB_BYTES];

    private final ManualTimers timers = new ManualTimers();
    private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(true);
    private final TransportResources held = new TransportResources(0, 2, Sockets.best());
    /** The store is for the mesh alone, which does not come to be. */
    private final MeshFormation formation = new MeshFormation(
            CommConfig.of(0, 3, "127.0.0.1", 1),
            TransportOptions.DEFAULT.withTimers(timers),
            held,
            null,
            RankAddress.reached(InetAddress.getLoopbackAddress()));

    private final EmbeddedChannel one = channel();
    private CompletableFuture<Mesh> attempt;

    @BeforeEach
    void begin() {
        Roster roster = new Roster(JOB, List.of(entry(0), entry(1), entry(2)));
        attempt = Mono.<Mesh>create(sink -> onLoop(() -> formation.begin(roster, sink)))
                .toFuture();
        admit(1, one);
        assertThat(bytesHeld()).isPositive();
    }

    @AfterEach
    void end() {
        held.close();
    }

    private static Roster.Entry entry(int rank) {
        return new Roster.Entry(rank, 3, "127.0.0.1", 1, 1, 1);
    }

    private EmbeddedChannel channel() {
        EmbeddedChannel channel = new EmbeddedChannel(new PacketDecoder(Handshake.MAX_PACKET_BYTES));
        channel.config().setAllocator(buffers);
        GuardedListener.steer(channel);
        return channel;
    }

    private void onLoop(Runnable task) {
        LinkPair.run(held.loop(), task);
    }

    private void admit(int rank, EmbeddedChannel channel) {
        Handshake.Claim claim = new Handshake.Claim(Handshake.Purpose.DATA, FrameCodec.VERSION, rank, 0, 0, JOB);
        onLoop(() -> formation.dataAcceptor().admit(channel, claim));
    }

    private long bytesHeld() {
        return buffers.metric().usedDirectMemory() + buffers.metric().usedHeapMemory();
    }

    private void expectNothingHeld() {
        assertThat(one.isOpen()).isFalse();
        EmbeddedChannel late = channel();
        admit(2, late);
        assertThat(late.isOpen()).isFalse();
        assertThat(bytesHeld()).isZero();
    }

    @Test
    void formation_thatFails_endsTheLinksItHas() {
        timers.advance(TimeUnit.SECONDS.toNanos(10));
        assertThat(attempt.handle((_, problem) -> problem).join())
                .isInstanceOf(RendezvousException.class)
                .hasMessageContaining("missing=[1, 2]");
        expectNothingHeld();
    }

    @Test
    void aRankThatWent_beforeItWasConnected_isNamedWithinTwoSeconds() {
        onLoop(() -> formation.left(2, "127.0.0.1:4711"));
        timers.advance(TimeUnit.MILLISECONDS.toNanos(1400));
        assertThat(attempt).isNotDone();
        timers.advance(TimeUnit.MILLISECONDS.toNanos(600));
        assertThat(attempt.handle((_, problem) -> problem).join())
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("rank 2 joined from 127.0.0.1:4711 and went", "rank=0", "worldSize=3");
        expectNothingHeld();
    }

    @Test
    void aRankThatWent_asTheRosterCame_isNamedToo() {
        attempt.cancel(false);
        onLoop(() -> {});
        MeshFormation late = new MeshFormation(
                CommConfig.of(1, 2, "127.0.0.1", 1),
                TransportOptions.DEFAULT.withTimers(timers),
                held,
                null,
                RankAddress.reached(InetAddress.getLoopbackAddress()));
        onLoop(late::storeLeft);
        Roster roster = new Roster(
                JOB,
                List.of(new Roster.Entry(0, 2, "127.0.0.1", 1, 1, 1), new Roster.Entry(1, 2, "127.0.0.1", 1, 1, 1)));
        CompletableFuture<Mesh> joining = Mono.<Mesh>create(sink -> onLoop(() -> late.begin(roster, sink)))
                .toFuture();
        timers.advance(TimeUnit.SECONDS.toNanos(2));
        assertThat(joining.handle((_, problem) -> problem).join())
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("rank 0 joined from", "and went", "rank=1");
    }

    @Test
    void ranksThatAreNotReached_areNamedWithTheirAddressesAndTheNetwork() {
        assertThat(unreached("10.78.0.1", "10.79.0.2", new NetworkChoice("10.78.0.0/16")))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll(
                        "missing=[1]", "RCOMM_INTERFACE=10.78.0.0/16", "own=10.78.0.1", "theirs=[10.79.0.2]");
    }

    /** It may be another rank that has named a network. */
    @Test
    void ranksThatAreNotReached_areNamedWithTheirAddresses_whereNoNetworkIsNamed() {
        assertThat(unreached("127.0.0.1", "127.0.0.9", null))
                .isInstanceOf(RendezvousException.class)
                .hasMessageContainingAll("missing=[1]", "own=127.0.0.1", "theirs=[127.0.0.9]")
                .hasMessageNotContaining("RCOMM_INTERFACE");
    }

    private Throwable unreached(String own, String other, @Nullable NetworkChoice network) {
        attempt.cancel(false);
        onLoop(() -> {});
        MeshFormation alone = new MeshFormation(
                CommConfig.of(0, 2, "127.0.0.1", 1),
                TransportOptions.DEFAULT.withTimers(timers),
                held,
                null,
                new RankAddress(InetAddress.ofLiteral(own), network));
        Roster roster =
                new Roster(JOB, List.of(new Roster.Entry(0, 2, own, 1, 1, 1), new Roster.Entry(1, 2, other, 1, 1, 1)));
        CompletableFuture<Mesh> joining = Mono.<Mesh>create(sink -> onLoop(() -> alone.begin(roster, sink)))
                .toFuture();
        timers.advance(Roster.CONNECT_NANOS);
        return joining.handle((_, problem) -> problem).join();
    }

    @Test
    void formation_thatIsCancelled_endsTheLinksItHas() {
        attempt.cancel(false);
        // Behind the task that ends them.
        onLoop(() -> {});
        expectNothingHeld();
    }
}
