package io.reactivecomm.netty.internal.life;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.NettyLoop;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.connection.StrangerLog;
import io.reactivecomm.netty.internal.host.RankAddress;
import io.reactivecomm.netty.internal.store.Roster;
import io.reactivecomm.spi.ProtocolException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HeartbeatTest {

    private static final int STAMPS = 24;
    private static final byte[] JOB = new byte[Handshake.JOB_BYTES];

    private final List<Heartbeat> heard = new ArrayList<>();
    private final NettyLoop loop = NettyLoop.start("beats", Sockets.best());
    private final StrangerLog strangers = new StrangerLog("rank 1", loop.eventLoop(), new ManualTimers());
    private final HeartbeatDatagrams datagrams = new HeartbeatDatagrams(1, strangers);
    private final EmbeddedChannel channel = new EmbeddedChannel(datagrams);

    HeartbeatTest() {
        Roster roster = new Roster(JOB, List.of(entry(0), entry(1), entry(2)));
        datagrams.open(
                roster,
                RankAddress.reached(InetAddress.getLoopbackAddress()),
                new HeartbeatMac("secret", JOB),
                channel,
                heard::add);
        loop.stop();
    }

    private static Roster.Entry entry(int rank) {
        return new Roster.Entry(rank, 3, "127.0.0.1", 1, 1, 1 + rank, 1, 0);
    }

    private static Heartbeat beat(int sender, int receiver, long sequence) {
        BitSet some = new BitSet();
        some.set(70);
        return new Heartbeat(
                sender,
                receiver,
                sequence,
                true,
                1234,
                some,
                new BitSet(),
                some,
                5000,
                "Thread.sleep",
                new ClockStamps(-3, 1L << 40, 5));
    }

    /** Datagrams are not encrypted. */
    @Test
    void datagram_hasTheNumbersOfABeat_andNoText() throws ProtocolException {
        datagrams.send(beat(1, 2, 7));

        DatagramPacket sent = channel.readOutbound();
        ByteBuf opened = new HeartbeatMac("secret", JOB).open(sent.content());
        assertThat(opened).isNotNull();
        Heartbeat read = Heartbeat.read(opened);
        assertThat(read).isEqualTo(beat(1, 2, 7).withoutText());
        assertThat(read.heldUpMillis()).isEqualTo(5000);
        assertThat(read.heldUpAt()).isEmpty();
        sent.release();
    }

    private void receive(ByteBuf bytes) {
        InetSocketAddress here = new InetSocketAddress("127.0.0.1", 1);
        channel.writeInbound(new DatagramPacket(bytes, here, here));
    }

    private static ByteBuf sealed(String token, byte[] job, Heartbeat beat) {
        return new HeartbeatMac(token, job).seal(beat, Unpooled.buffer());
    }

    @Test
    void beat_thatIsWritten_isReadTheSame_andWhatFollowsIsLeft() {
        ByteBuf bytes = beat(0, 1, 7).write(Unpooled.buffer()).writeLong(99);
        assertThat(Heartbeat.read(bytes)).isEqualTo(beat(0, 1, 7));
        assertThat(bytes.readableBytes()).isEqualTo(8);
    }

    @Test
    void beat_thatIsCutShort_isRefused_atEveryLength() {
        byte[] whole = ByteBufUtil.getBytes(beat(0, 1, 7).write(Unpooled.buffer()));
        for (int length = 0; length < whole.length - STAMPS; length++) {
            ByteBuf bytes = Unpooled.wrappedBuffer(whole, 0, length);
            assertThatThrownBy(() -> Heartbeat.read(bytes)).isInstanceOf(ProtocolException.class);
        }
    }

    @Test
    void beat_thatEndsBeforeItsStamps_isOneWithout() {
        byte[] whole = ByteBufUtil.getBytes(beat(0, 1, 7).write(Unpooled.buffer()));
        for (int length = whole.length - STAMPS; length < whole.length; length++) {
            Heartbeat read = Heartbeat.read(Unpooled.wrappedBuffer(whole, 0, length));
            assertThat(read.heldUpAt()).isEqualTo("Thread.sleep");
            assertThat(read.stamps()).isEqualTo(ClockStamps.NONE);
        }
    }

    @Test
    void datagram_ofThisJob_isHeardOnce() {
        receive(sealed("secret", JOB, beat(0, 1, 7)));
        receive(sealed("secret", JOB, beat(0, 1, 7)));
        receive(sealed("secret", JOB, beat(0, 1, 6)));
        receive(sealed("secret", JOB, beat(2, 1, 6)));
        assertThat(heard).containsExactly(beat(0, 1, 7), beat(2, 1, 6));
        assertThat(strangers.total()).isZero();
    }

    @Test
    void datagram_ofSomebodyElse_isCounted() {
        byte[] otherJob = JOB.clone();
        otherJob[3] = 1;
        receive(sealed("guessed", JOB, beat(0, 1, 1)));
        receive(sealed("secret", otherJob, beat(0, 1, 1)));
        receive(sealed("secret", JOB, beat(0, 2, 1)));
        receive(sealed("secret", JOB, beat(3, 1, 1)));
        receive(sealed("secret", JOB, beat(-1, 1, 1)));
        receive(Unpooled.buffer());
        assertThat(heard).isEmpty();
        assertThat(strangers.total()).isEqualTo(6);
    }

    @Test
    void datagram_withAnyByteChanged_isNoBeat() {
        byte[] whole = ByteBufUtil.getBytes(sealed("secret", JOB, beat(0, 1, 1)));
        Random dice = new Random(5);
        for (int at = 0; at < whole.length; at++) {
            byte[] changed = whole.clone();
            changed[at] ^= (byte) (1 + dice.nextInt(255));
            receive(Unpooled.wrappedBuffer(changed));
        }
        assertThat(heard).isEmpty();
        assertThat(strangers.total()).isEqualTo(whole.length);
    }

    @Test
    void beat_thatIsTooLongForADatagram_isNotSentAsOne() {
        BitSet many = new BitSet();
        many.set(20_000);
        datagrams.send(new Heartbeat(1, 0, 1, true, 0, many, new BitSet(), new BitSet(), 0, "", ClockStamps.NONE));
        assertThat(channel.<Object>readOutbound()).isNull();
        datagrams.send(beat(1, 0, 2));
        DatagramPacket sent = channel.readOutbound();
        assertThat(sent.recipient().getPort()).isEqualTo(1);
        sent.release();
    }
}
