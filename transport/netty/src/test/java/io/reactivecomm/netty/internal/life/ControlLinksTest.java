package io.reactivecomm.netty.internal.life;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.StrangerLog;
import io.reactivecomm.netty.internal.link.LinkPair;
import io.reactivecomm.spi.LoopWatchdog;
import io.reactivecomm.spi.link.PeerNews;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rank 0 of three, whose peers are the test. */
@Timeout(60)
class ControlLinksTest {

    private static final long MILLI = HeartbeatSimulation.MILLI;
    private static final HeartbeatTerms TERMS = new HeartbeatTerms(100 * MILLI, 3000 * MILLI);

    private final ManualTimers timers = new ManualTimers();
    private final NettyLoop control = NettyLoop.start("control", Sockets.best());
    private final NettyLoop loop = NettyLoop.start("loop", Sockets.best());
    private final List<String> told = new ArrayList<>();
    private final List<EmbeddedChannel> channels = new ArrayList<>();
    private volatile boolean hearsOfClocks = true;
    private final ControlLinks links = new ControlLinks(
            control,
            timers,
            new LoopWatchdog(loop),
            TERMS,
            new FailureDetector(0, 3, TERMS),
            new HeartbeatDatagrams(0, new StrangerLog("rank 0", control.eventLoop(), timers)),
            0,
            new ControlLinks.Listener() {
                @Override
                public void vanished(int peer, String cause) {
                    told.add(peer + " vanished: " + cause);
                }

                @Override
                public void found(PeerNews news) {
                    told.add(news.toString());
                }

                @Override
                public boolean hearsOfClocks() {
                    return hearsOfClocks;
                }

                @Override
                public void failed(Throwable problem) {
                    told.add("failed: " + problem.getMessage());
                }
            });

    ControlLinksTest() {
        for (int peer = 1; peer < 3; peer++) {
            EmbeddedChannel channel = new EmbeddedChannel(new PacketDecoder(Handshake.MAX_PACKET_BYTES));
            int number = peer;
            channels.add(channel);
            LinkPair.run(control, () -> links.add(number, channel));
        }
    }

    @AfterEach
    void stop() {
        control.stop();
        loop.stop();
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    private void receive(int peer, byte what, ByteBuf content) {
        ByteBuf message = Unpooled.buffer()
                .writeShort(1 + content.readableBytes())
                .writeByte(what)
                .writeBytes(content);
        LinkPair.run(control, () -> channels.get(peer - 1).writeInbound(message));
    }

    private void beat(int peer, long sequence, boolean suspectsOne, int... cutFrom) {
        BitSet suspects = new BitSet();
        suspects.set(1, suspectsOne);
        BitSet cuts = new BitSet();
        for (int each : cutFrom) {
            cuts.set(each);
        }
        receive(
                peer,
                ControlPeer.BEAT,
                new Heartbeat(peer, 0, sequence, false, 0, suspects, cuts, new BitSet(), 0, "", ClockStamps.NONE)
                        .write(Unpooled.buffer()));
    }

    private void say(int peer, CloseReason.Kind kind, String text) {
        receive(peer, ControlPeer.LAST_WORDS, new CloseReason(kind, text).write(Unpooled.buffer()));
    }

    /** {@return the reason told to a peer, or null if there is none} */
    private CloseReason closeReason(int peer) {
        CloseReason words = null;
        for (ByteBuf message = channels.get(peer - 1).readOutbound();
                message != null;
                message = channels.get(peer - 1).readOutbound()) {
            message.skipBytes(2);
            words = message.readByte() == ControlPeer.LAST_WORDS ? CloseReason.read(message) : words;
            message.release();
        }
        return words;
    }

    @Test
    void majority_thatDoesNotHearARank_findsItLost_andTellsIt() {
        for (long sequence = 1; sequence <= 32; sequence++) {
            timers.advance(100 * MILLI);
            beat(2, sequence, true);
        }
        beat(2, 33, true, 1);
        timers.advance(100 * MILLI);
        assertThat(told)
                .singleElement()
                .asString()
                .contains("Lost[rank=1", "silent for more than 3 s", "ranks [0, 2], a majority of 3");
        assertThat(closeReason(1))
                .isEqualTo(new CloseReason(
                        CloseReason.Kind.LOST,
                        "silent for more than 3 s: it and ranks [0, 2], a majority of 3,"
                                + " do not hear each other; it is stopped, unreachable or out of time"));
        assertThat(closeReason(2)).isNull();
    }

    @Test
    void rankThatHearsNobody_findsThatItIsLostItself_andNobodyElse() {
        timers.advance(3500 * MILLI);
        assertThat(told).singleElement().asString().contains("Lost[rank=0", "it and ranks [1, 2], a majority of 3");
        assertThat(closeReason(1)).isNull();
    }

    @Test
    void cutFromTheLastPeer_tellsThatTheOtherHadLeft() {
        receive(2, ControlPeer.GOODBYE, Unpooled.EMPTY_BUFFER);
        timers.advance(3500 * MILLI);
        assertThat(told)
                .singleElement()
                .asString()
                .contains("Cut[peer=1", "no majority of the world's 3 ranks (left in good order=[2])");
    }

    @Test
    void cutFromTheLastPeer_tellsThatTheOtherHadEnded() {
        say(2, CloseReason.Kind.DYING, "its loop has ended");
        timers.advance(3500 * MILLI);
        assertThat(told)
                .hasSize(2)
                .last()
                .asString()
                .contains("Cut[peer=1", "no majority of the world's 3 ranks (lost=[2])");
    }

    @Test
    void faultOfThisRanksOwn_isNoPeersEnd_andAllAreTold() {
        channels.getFirst().pipeline().fireExceptionCaught(new OutOfMemoryError("made up"));
        assertThat(told).containsExactly("failed: made up");
        assertThat(closeReason(2))
                .isEqualTo(new CloseReason(
                        CloseReason.Kind.DYING, "its control thread failed: java.lang.OutOfMemoryError: made up"));
    }

    @Test
    void closeReason_isWhatTheEndMeans() {
        say(1, CloseReason.Kind.CUT, "they are deaf");
        say(2, CloseReason.Kind.LOST, "silent for long");
        channels.forEach(channel -> assertThat(channel.isOpen()).isFalse());
        assertThat(told)
                .containsExactly(
                        new PeerNews.Cut(1, "they are deaf").toString(),
                        new PeerNews.Lost(0, "declared lost by rank 2: silent for long").toString());
    }

    @Test
    void rankThatIsDying_hasVanished() {
        say(1, CloseReason.Kind.DYING, "its loop has ended");
        assertThat(told).containsExactly("1 vanished: its loop has ended");
    }

    @Test
    void stuckLoopOfAPeer_isTold_andThatItTurnsAgain() {
        receive(
                1,
                ControlPeer.BEAT,
                new Heartbeat(
                                1,
                                0,
                                1,
                                false,
                                0,
                                new BitSet(),
                                new BitSet(),
                                new BitSet(),
                                1500,
                                "Main.work",
                                ClockStamps.NONE)
                        .write(Unpooled.buffer()));
        receive(
                1,
                ControlPeer.BEAT,
                new Heartbeat(
                                1,
                                0,
                                2,
                                false,
                                0,
                                new BitSet(),
                                new BitSet(),
                                new BitSet(),
                                1600,
                                "Main.work",
                                ClockStamps.NONE)
                        .write(Unpooled.buffer()));
        beat(1, 3, false);
        assertThat(told)
                .containsExactly(
                        new PeerNews.HeldUp(1, 1500 * MILLI, "Main.work").toString(),
                        new PeerNews.HeldUp(1, 0, "").toString());
    }

    /** A datagram has no text, and may overtake the connection. */
    @Test
    void heldLoop_isNews_onceItsTextHasCome() {
        Heartbeat withText = heldUp(2);
        LinkPair.run(control, () -> links.heard(heldUp(1).withoutText()));
        assertThat(told).isEmpty();

        receive(1, ControlPeer.BEAT, withText.write(Unpooled.buffer()));
        LinkPair.run(control, () -> links.heard(heldUp(3).withoutText()));

        assertThat(told).containsExactly(new PeerNews.HeldUp(1, 1500 * MILLI, "Main.work").toString());
    }

    private static Heartbeat heldUp(long sequence) {
        BitSet none = new BitSet();
        return new Heartbeat(1, 0, sequence, false, 0, none, none, none, 1500, "Main.work", ClockStamps.NONE);
    }

    /** The peer's clock is a second ahead; each way takes 2 ms, and the peer answers 30 ms later. */
    @Test
    void clockOfAPeer_isCompared_byTheStampsOfBothBeats() {
        timers.advance(100 * MILLI);
        ClockStamps first = sentTo(1).stamps();
        assertThat(first).isEqualTo(new ClockStamps(100 * MILLI, 0, 0));
        timers.advance(34 * MILLI);
        ClockStamps answer = new ClockStamps(1132 * MILLI, first.sent(), 1102 * MILLI);
        receive(
                1,
                ControlPeer.BEAT,
                new Heartbeat(1, 0, 1, false, 0, new BitSet(), new BitSet(), new BitSet(), 0, "", answer)
                        .write(Unpooled.buffer()));
        long drift = 34 * MILLI / PeerClock.MOST_DRIFT + 1;
        assertThat(told)
                .containsExactly(
                        new PeerNews.ClockCompared(1, 117 * MILLI, 1000 * MILLI, 2 * MILLI + drift).toString());
        timers.advance(66 * MILLI);
        assertThat(sentTo(1).stamps()).isEqualTo(new ClockStamps(200 * MILLI, 1132 * MILLI, 134 * MILLI));
    }

    /** Each would cost the loop a turn. */
    @Test
    void clockOfAPeer_isNoNews_whileNobodyObserves() {
        hearsOfClocks = false;
        compareWithOne(1, 24 * MILLI);
        assertThat(told).isEmpty();
        hearsOfClocks = true;
        compareWithOne(2, 4 * MILLI);
        assertThat(told).singleElement().asString().contains("ClockCompared[rank=1", "offsetNanos=" + 1000 * MILLI);
    }

    /** Rank 1, whose clock is a second ahead, answers so that both ways took that time together. */
    private void compareWithOne(long sequence, long bothWays) {
        timers.advance(100 * MILLI);
        long sent = sentTo(1).stamps().sent();
        timers.advance(34 * MILLI);
        long came = sent + 1000 * MILLI + bothWays / 2;
        ClockStamps answer = new ClockStamps(came + timers.nanoTime() - sent - bothWays, sent, came);
        receive(
                1,
                ControlPeer.BEAT,
                new Heartbeat(1, 0, sequence, false, 0, new BitSet(), new BitSet(), new BitSet(), 0, "", answer)
                        .write(Unpooled.buffer()));
    }

    /** {@return the latest beat on that peer's connection} */
    private Heartbeat sentTo(int peer) {
        Heartbeat latest = null;
        for (ByteBuf message = channels.get(peer - 1).readOutbound();
                message != null;
                message = channels.get(peer - 1).readOutbound()) {
            assertThat(message.skipBytes(2).readByte()).isEqualTo(ControlPeer.BEAT);
            latest = Heartbeat.read(message);
            message.release();
        }
        assertThat(latest).isNotNull();
        return latest;
    }

    @Test
    void deadLoopOfThisRank_endsAllConnectionsWithTheCause() {
        loop.stop();
        timers.advance(100 * MILLI);
        assertThat(closeReason(1))
                .isEqualTo(new CloseReason(CloseReason.Kind.DYING, "its loop has ended: its thread is dead"));
        assertThat(closeReason(2)).isNotNull();
    }

    @Test
    void unknownMessage_isALoss() {
        receive(1, (byte) 9, Unpooled.EMPTY_BUFFER);
        assertThat(told)
                .singleElement()
                .asString()
                .contains("1 vanished", "unknown message on a control connection: what=9");
    }
}
