package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.reactivecomm.netty.CapturedLog;
import io.reactivecomm.netty.MeshWorld;
import io.reactivecomm.netty.TcpTransport;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.StrangerLog;
import io.reactivecomm.netty.internal.connection.TransportOptions;
import io.reactivecomm.netty.internal.store.Roster;
import io.reactivecomm.spi.link.Mesh;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes that strangers send to the store's port while ranks meet there. */
@Timeout(60)
class StrangerTest {

    private static final byte[] HUGE_LENGTH = {(byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f, 1, 0, 0, 0};
    private static final byte[] HTTP = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ManualTimers timers = new ManualTimers();
    private final CapturedLog log = CapturedLog.of(StrangerLog.class);
    private final MeshWorld world = new MeshWorld(TransportOptions.DEFAULT.withTimers(timers));

    @AfterEach
    void end() {
        world.close();
        log.close();
    }

    private Socket dial() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), world.store.port());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** {@return whether the store has closed the connection without a word} */
    private static boolean isTurnedAway(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() == -1;
        } catch (SocketException e) {
            // A reset: the store closed with bytes unread.
            return true;
        }
    }

    private void turnedAway(byte[] greeting, int more) throws IOException {
        try (Socket socket = dial()) {
            OutputStream out = socket.getOutputStream();
            try {
                out.write(greeting);
                byte[] junk = new byte[8192];
                for (int sent = 0; sent < more; sent += junk.length) {
                    out.write(junk);
                }
            } catch (SocketException e) {
                // Turned away before all was written.
            }
            assertThat(isTurnedAway(socket)).isTrue();
        }
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    @Test
    void garbageHttpAndHugeLengths_duringARendezvous_disturbNobody() throws Exception {
        CompletableFuture<Mesh> zero = world.join(0, 2).toFuture();
        turnedAway(HTTP, 0);
        long before = directBytes();
        Random random = new Random(42);
        int count = 60;
        for (int i = 0; i < count; i++) {
            byte[] garbage = new byte[400];
            random.nextBytes(garbage);
            garbage[3] |= 0x40;
            turnedAway(
                    switch (i % 3) {
                        case 0 -> HTTP;
                        case 1 -> HUGE_LENGTH;
                        default -> garbage;
                    },
                    i % 2 == 0 ? 0 : 1024 * 1024);
        }
        assertThat(directBytes() - before).as("direct memory").isLessThan(4 * 1024 * 1024);
        Mesh one = world.join(1, 2).block(MeshWorld.PATIENCE);
        assertThat(one.worldSize()).isEqualTo(2);
        assertThat(zero.get(20, TimeUnit.SECONDS).worldSize()).isEqualTo(2);
        assertThat(world.store.strangers()).isEqualTo(count + 1);
        assertThat(log.lines()).isEmpty();
        timers.advance(TimeUnit.SECONDS.toNanos(5));
        assertThat(log.lines()).singleElement().asString().contains("the store", "count=" + (count + 1));
    }

    @Test
    void packetsAboveTheLimit_areRefusedAtTheirLength() throws Exception {
        turnedAway(new byte[] {1, 2, 0, 0, 1, 0, 0, 0}, 0);
        turnedAway(new byte[] {7, 0, 0, 0, 1, 0, 0, 0}, 0);
        turnedAway(new byte[] {8, 0, 0, 0, 1, 0, 0, 0}, 0);
        assertThat(world.store.strangers()).isEqualTo(3);
    }

    @Test
    void whoSendsNothing_isTurnedAwayAfterFiveSeconds() throws Exception {
        try (Socket silent = dial();
                Socket slow = dial()) {
            slow.getOutputStream().write(new byte[] {56, 0, 0});
            // Both are accepted once a later connection has been answered.
            turnedAway(HTTP, 0);
            timers.advance(TimeUnit.SECONDS.toNanos(5) - 1);
            assertThat(world.store.strangers()).isEqualTo(1);
            timers.advance(1);
            assertThat(isTurnedAway(silent)).isTrue();
            assertThat(isTurnedAway(slow)).isTrue();
            assertThat(world.store.strangers()).isEqualTo(3);
        }
    }

    @Test
    void moreThanMayBePending_pushOutTheOldest_andRanksComeThrough() throws Exception {
        List<Socket> crowd = new ArrayList<>();
        try {
            for (int i = 0; i < GuardedListener.MAX_PENDING; i++) {
                crowd.add(dial());
            }
            assertThat(world.store.strangers()).isZero();
            try (Socket last = dial()) {
                assertThat(isTurnedAway(crowd.getFirst())).isTrue();
                last.getOutputStream().write(HTTP);
                assertThat(isTurnedAway(last)).isTrue();
            }
            crowd.set(0, dial());
            new TcpTransport()
                    .connect(world.config(0, 1))
                    .block(MeshWorld.PATIENCE)
                    .close();
            assertThat(isTurnedAway(crowd.get(1))).isTrue();
            assertThat(world.store.strangers()).isEqualTo(3);
        } finally {
            for (Socket socket : crowd) {
                socket.close();
            }
        }
    }

    @Test
    void aConnectionOfAnotherJob_isRefusedByARank() throws Exception {
        RankAcceptor acceptor = new RankAcceptor(Handshake.Purpose.DATA, 1, 0, 0, (_, _, _) -> {}, _ -> {});
        byte[] job = Handshake.newNonce(Handshake.JOB_BYTES);
        Roster.Entry zero = new Roster.Entry(0, 2, "127.0.0.1", 1, 1, 1);
        Roster.Entry one = new Roster.Entry(1, 2, "127.0.0.1", 1, 1, 1);
        acceptor.open(new Roster(job, List.of(zero, one)));
        byte[] other = Handshake.newNonce(Handshake.JOB_BYTES);
        assertThat(refusal(acceptor, Handshake.Purpose.DATA, 1, 1, other)).isEqualTo(Handshake.Refusal.JOB);
        assertThat(refusal(acceptor, Handshake.Purpose.CONTROL, 1, 1, job)).isEqualTo(Handshake.Refusal.JOB);
        assertThat(refusal(acceptor, Handshake.Purpose.DATA, 2, 1, job)).isEqualTo(Handshake.Refusal.VERSION);
        for (int rank : new int[] {-1, 0, 2}) {
            assertThat(refusal(acceptor, Handshake.Purpose.DATA, 1, rank, job)).isEqualTo(Handshake.Refusal.RANK);
        }
        assertThat(refusal(acceptor, Handshake.Purpose.DATA, 1, 1, job)).isNull();
    }

    @Test
    void aLane_isAdmittedOnce_inItsTurn_andOnlyWhereThereAreSome() {
        byte[] job = Handshake.newNonce(Handshake.JOB_BYTES);
        List<Integer> entered = new ArrayList<>();
        RankAcceptor acceptor =
                new RankAcceptor(Handshake.Purpose.DATA, 1, 0, 2, (_, lane, _) -> entered.add(lane), _ -> {});
        Roster.Entry entry = new Roster.Entry(0, 3, "127.0.0.1", 1, 1, 1);
        acceptor.open(new Roster(job, List.of(entry, entry, entry)));
        for (int lane = 0; lane <= 2; lane++) {
            for (int other : new int[] {Integer.MIN_VALUE, -1, 0, 1, 2, 3, Integer.MAX_VALUE}) {
                assertThat(laneRefusal(acceptor, 1, other, job))
                        .as("lane %d where %d is next", other, lane)
                        .isEqualTo(other == lane ? null : Handshake.Refusal.RANK);
            }
            admit(acceptor, new Handshake.Claim(Handshake.Purpose.DATA, 1, 1, lane, 0, job));
        }
        assertThat(entered).containsExactly(0, 1, 2);
        for (int lane = 0; lane <= 3; lane++) {
            assertThat(laneRefusal(acceptor, 1, lane, job)).isEqualTo(Handshake.Refusal.RANK);
        }
        assertThat(laneRefusal(acceptor, 3, 1, job))
                .as("of a rank that is none")
                .isEqualTo(Handshake.Refusal.RANK);
        assertThat(laneRefusal(acceptor, 2, 1, job))
                .as("of a rank without a link")
                .isEqualTo(Handshake.Refusal.RANK);
        assertThat(laneRefusal(acceptor, 2, 0, job)).isNull();
    }

    private static void admit(RankAcceptor acceptor, Handshake.Claim claim) {
        EmbeddedChannel channel = new EmbeddedChannel(new PacketDecoder(Handshake.MAX_PACKET_BYTES));
        acceptor.admit(channel, claim);
        channel.close();
    }

    private static Handshake.Refusal laneRefusal(RankAcceptor acceptor, int rank, int lane, byte[] job) {
        return acceptor.judge(new Handshake.Claim(Handshake.Purpose.DATA, 1, rank, lane, 0, job))
                .refusal();
    }

    private static Handshake.Refusal refusal(
            RankAcceptor acceptor, Handshake.Purpose purpose, int version, int rank, byte[] job) {
        return acceptor.judge(new Handshake.Claim(purpose, version, rank, 0, 0, job))
                .refusal();
    }
}
