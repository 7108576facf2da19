package io.reactivecomm.netty.internal.life;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.reactivecomm.CommConfig;
import io.reactivecomm.netty.CapturedLog;
import io.reactivecomm.netty.MeshWorld;
import io.reactivecomm.netty.internal.connection.Dialer;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.link.LinkPair;
import io.reactivecomm.netty.internal.link.RecordedEvents;
import io.reactivecomm.netty.internal.link.RecordedEvents.Down;
import io.reactivecomm.netty.internal.rendezvous.StoreSearch;
import io.reactivecomm.netty.internal.store.JoinRequest;
import io.reactivecomm.netty.internal.store.Roster;
import io.reactivecomm.netty.internal.store.StoreClient;
import io.reactivecomm.spi.LoopWatchdog;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.Mesh;
import io.reactivecomm.spi.link.PeerNews;
import io.reactivecomm.testkit.ConnectedWorlds;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import program.Blocking;

@Timeout(60)
class LivenessTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final ManualTimers timers = new ManualTimers();
    private final MeshWorld world = new MeshWorld(TransportOptions.DEFAULT.withTimers(timers));
    private final RecordedEvents events = new RecordedEvents();

    @AfterEach
    void end() {
        world.close();
    }

    /** Rank 1 of two, which connects and then says nothing. */
    private final class MutePeer implements AutoCloseable {

        private final NettyLoop loop = NettyLoop.start("mute-peer", Sockets.best());
        private final Channel data;
        private final Channel control;
        private final Mesh zero;

        MutePeer() throws Exception {
            CompletableFuture<Mesh> other = world.join(0, 2).toFuture();
            StoreClient store = StoreSearch.find(
                            loop,
                            new InetSocketAddress("127.0.0.1", world.store.port()),
                            world.config(1, 2),
                            world.options)
                    .block(MeshWorld.PATIENCE);
            JoinRequest arrival = new JoinRequest(
                    new Roster.Entry(1, 2, "127.0.0.1", 1, 1, 10_000),
                    CommConfig.of(1, 2, "127.0.0.1", 1).agreed());
            Roster roster = store.join(arrival, MeshWorld.PATIENCE).block(MeshWorld.PATIENCE);
            Roster.Entry entry = roster.entries().getFirst();
            data = dial(Handshake.Purpose.DATA, entry.dataPort(), roster);
            control = dial(Handshake.Purpose.CONTROL, entry.controlPort(), roster);
            zero = other.get(20, TimeUnit.SECONDS);
            MeshWorld.run(zero, () -> zero.start(events));
        }

        private Channel dial(Handshake.Purpose purpose, int port, Roster roster) throws Exception {
            CompletableFuture<Channel> connected = new CompletableFuture<>();
            Handshake.Claim claim = new Handshake.Claim(purpose, FrameCodec.VERSION, 1, 0, 0, roster.job());
            Dialer.Target call = new Dialer.Target(
                    new InetSocketAddress("127.0.0.1", port),
                    ConnectedWorlds.ENCRYPTION,
                    Dialer.Token.of(MeshWorld.TOKEN),
                    claim);
            Dialer.dial(loop, call, TransportOptions.DEFAULT.withTimers(timers), new Dialer.Outcome() {
                @Override
                public void connected(Channel channel) {
                    connected.complete(channel);
                }

                @Override
                public void failed(Throwable problem) {
                    connected.completeExceptionally(problem);
                }
            });
            return connected.get(20, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            loop.stop();
        }
    }

    @Test
    void silentPeer_isWarnedOfAfterOneSecond_andCutOffAfterThreeAndTwoBeats() throws Exception {
        try (CapturedLog log = CapturedLog.of(ControlLinks.class);
                MutePeer peer = new MutePeer()) {
            timers.advance(900 * MILLI);
            assertThat(log.lines()).isEmpty();
            timers.advance(200 * MILLI);
            assertThat(log.lines()).singleElement().asString().contains("silent", "peer=1", "rank=0");
            timers.advance(1800 * MILLI);
            MeshWorld.run(peer.zero, () -> {});
            assertThat(events.isEmpty()).isTrue();
            assertThat(log.lines()).hasSize(1);
            timers.advance(200 * MILLI);
            MeshWorld.run(peer.zero, () -> {});
            assertThat(events.isEmpty()).isTrue();
            timers.advance(130 * MILLI);
            PeerNews news = events.next(RecordedEvents.News.class).news();
            assertThat(news).isInstanceOfSatisfying(PeerNews.Cut.class, cut -> {
                assertThat(cut.peer()).isEqualTo(1);
                assertThat(cut.cause())
                        .contains("rank 0 and rank 1 have not heard each other for more than 3 s", "either may be");
            });
            timers.awaitTaskOn(((NettyLoop) peer.zero.loop()).eventLoop());
            timers.advance(100 * MILLI);
            assertThat(events.next(Down.class).cause()).contains("have not heard each other");
            assertThat(peer.data.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void controlConnectionClosedWithoutGoodbye_isALossAtOnce() throws Exception {
        try (MutePeer peer = new MutePeer()) {
            peer.control.close().sync();
            // The news crosses from the control thread to the loop, which then waits a moment for a goodbye.
            timers.awaitTaskOn(((NettyLoop) peer.zero.loop()).eventLoop());
            timers.advance(99 * MILLI);
            assertThat(events.isEmpty()).isTrue();
            timers.advance(MILLI);
            assertThat(events.next(Down.class).cause()).contains("control connection was closed without a goodbye");
        }
    }

    @Test
    void dataConnectionClosed_isALossWithoutAnyTimer() throws Exception {
        try (MutePeer peer = new MutePeer()) {
            peer.data.close().sync();
            assertThat(events.next(Down.class).cause()).contains("connection closed by rank 1");
            assertThat(peer.control.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void heldLoop_keepsItsRankAlive() throws Exception {
        List<Mesh> meshes = world.connect(2);
        RecordedEvents events1 = new RecordedEvents();
        MeshWorld.run(meshes.get(0), () -> meshes.get(0).start(events));
        MeshWorld.run(meshes.get(1), () -> meshes.get(1).start(events1));
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (CapturedLog log = CapturedLog.of(LoopWatchdog.class)) {
            meshes.get(0).loop().execute(() -> {
                held.countDown();
                Blocking.awaitQuietly(release);
            });
            held.await();
            for (int half = 0; half < 18; half++) {
                timers.advance(500 * MILLI);
                // Heartbeats take real time to arrive: this clock waits for them.
                timers.awaitReaders("rcomm-control-", 2);
            }
            // The other loop may seem late by this clock, which runs faster than the machine.
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("rcomm-loop-0"))
                    .singleElement()
                    .asString()
                    .contains("awaitQuietly", "publishOn");
        } finally {
            release.countDown();
        }
        MeshWorld.run(meshes.get(0), () -> {});
        MeshWorld.run(meshes.get(1), () -> {});
        assertThat(events.all()).allMatch(LivenessTest::isHeldUp);
        assertThat(events1.all()).isNotEmpty().allMatch(LivenessTest::isHeldUp).anySatisfy(event -> {
            PeerNews.HeldUp heldUp = (PeerNews.HeldUp) ((RecordedEvents.News) event).news();
            assertThat(heldUp.rank()).isZero();
            assertThat(heldUp.nanos()).isGreaterThan(LoopWatchdog.STALL_NANOS);
            assertThat(heldUp.doing()).contains("awaitQuietly");
        });
    }

    private static boolean isHeldUp(RecordedEvents.Event event) {
        return event instanceof RecordedEvents.News news && news.news() instanceof PeerNews.HeldUp;
    }

    @Test
    void watchdog_logsOnceAStall() throws Exception {
        NettyLoop loop = NettyLoop.start("watched", Sockets.best());
        try (CapturedLog log = CapturedLog.of(LoopWatchdog.class)) {
            LoopWatchdog watchdog = new LoopWatchdog(loop);
            long now = 0;
            for (int stall = 1; stall <= 2; stall++) {
                CountDownLatch release = new CountDownLatch(1);
                loop.execute(() -> Blocking.awaitQuietly(release));
                watchdog.look(now);
                watchdog.look(now + LoopWatchdog.STALL_NANOS - 1);
                assertThat(log.lines()).hasSize(stall - 1);
                watchdog.look(now + LoopWatchdog.STALL_NANOS);
                // By then loading of classes, which other tests' threads may do as well, is no excuse.
                watchdog.look(now + 10 * LoopWatchdog.STALL_NANOS);
                assertThat(log.lines()).hasSize(stall);
                release.countDown();
                LinkPair.run(loop, () -> {});
                now += 20 * LoopWatchdog.STALL_NANOS;
            }
        } finally {
            loop.stop();
        }
    }

    @Test
    void heartbeat_findings_followTheClock() {
        long second = TimeUnit.SECONDS.toNanos(1);
        PeerHeartbeat heartbeat = new PeerHeartbeat(second, 3 * second, 0);
        assertThat(heartbeat.look(second - 1)).isEqualTo(PeerHeartbeat.Liveness.ALIVE);
        assertThat(heartbeat.look(second)).isEqualTo(PeerHeartbeat.Liveness.SILENT);
        assertThat(heartbeat.look(2 * second)).isEqualTo(PeerHeartbeat.Liveness.ALIVE);
        heartbeat.heard(2 * second);
        assertThat(heartbeat.look(3 * second)).isEqualTo(PeerHeartbeat.Liveness.SILENT);
        assertThat(heartbeat.look(5 * second - 1)).isEqualTo(PeerHeartbeat.Liveness.ALIVE);
        assertThat(heartbeat.look(5 * second)).isEqualTo(PeerHeartbeat.Liveness.DEAD);
        heartbeat.forgive(4 * second, 5 * second);
        assertThat(heartbeat.silentNanos(5 * second)).isZero();
    }
}
