package io.reactivecomm.netty.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.reactivecomm.netty.internal.connection.GuardedListener;
import io.reactivecomm.netty.internal.connection.Handshake;
import io.reactivecomm.netty.internal.connection.PacketDecoder;
import io.reactivecomm.netty.internal.connection.Timers;
import io.reactivecomm.spi.BoardPage;
import io.reactivecomm.spi.JobBoard;
import io.reactivecomm.spi.ProtocolException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The requests and replies of watchers. */
@Timeout(60)
class WatchSessionTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Set<WatchSession> sessions = new HashSet<>();

    private EmbeddedChannel watcher(JobBoard board) {
        EmbeddedChannel channel = new EmbeddedChannel(new PacketDecoder(Handshake.MAX_PACKET_BYTES));
        GuardedListener.steer(channel);
        WatchSession.begin(channel, board, Timers.SYSTEM, sessions);
        return channel;
    }

    /** Of watchers that have stopped there may be many, and of records sixteen megabytes. */
    @Test
    void lastPages_areInMemoryOnce_andNotForWhoTakesNothing_andWakeNoRank() {
        JobBoard board = new JobBoard();
        board.enter("rank", 0, 1, System.nanoTime());
        board.await("rank", every -> {}, System.nanoTime());
        EmbeddedChannel one = watcher(board);
        EmbeddedChannel other = watcher(board);
        EmbeddedChannel stopped = watcher(board);
        Objects.requireNonNull(stopped.unsafe().outboundBuffer()).setUserDefinedWritability(1, false);

        WatchSession.sayLast(sessions);

        ByteBuf first = one.readOutbound();
        ByteBuf second = other.readOutbound();
        assertThat(BoardPacket.decode(StorePacket.decode(first.duplicate()).value())
                        .entries())
                .hasSize(1);
        int there = first.getByte(0);
        first.setByte(0, there + 1);
        assertThat(second.getByte(0)).as("the same memory").isEqualTo((byte) (there + 1));
        assertThat(stopped.<Object>readOutbound()).isNull();
        assertThat(board.waitingRanks()).isEqualTo(1);
        first.release();
        second.release();
        assertThat(first.refCnt()).isZero();
        List.of(one, other, stopped).forEach(EmbeddedChannel::close);
    }

    private static void send(EmbeddedChannel channel, StorePacket packet) {
        channel.writeInbound(packet.encode(channel.alloc()));
        channel.runPendingTasks();
    }

    @Test
    void watcher_looks_andMayDoNothingElse() {
        JobBoard board = new JobBoard();
        EmbeddedChannel good = watcher(board);
        send(good, StorePacket.of(StorePacket.LOOK, 7, 1000));
        ByteBuf reply = good.readOutbound();
        assertThat(StorePacket.decode(reply)).satisfies(page -> {
            assertThat(page.type()).isEqualTo(StorePacket.PAGE);
            assertThat(page.id()).isEqualTo(7);
        });
        reply.release();
        good.close();
        for (StorePacket packet : List.of(
                StorePacket.of(StorePacket.WATCHED, 1, 0),
                StorePacket.of(StorePacket.JOIN, 1, 0),
                StorePacket.of(StorePacket.LOOK, 1, new byte[1]),
                StorePacket.keyed(StorePacket.DELETE, 1, 0, "key"))) {
            EmbeddedChannel channel = watcher(board);
            send(channel, packet);
            assertThat(channel.isOpen()).as("type=%d", packet.type()).isFalse();
            assertThat(channel.<Object>readOutbound()).isNull();
        }
    }

    @Test
    void watcher_isToldThatThereAreTooMany() {
        JobBoard board = new JobBoard();
        for (int i = 0; i < JobBoard.MAX_WATCHERS; i++) {
            board.look(i, 0, SECOND, System.nanoTime());
        }
        EmbeddedChannel channel = watcher(board);
        send(channel, StorePacket.of(StorePacket.LOOK, 7, 1000));
        ByteBuf reply = channel.readOutbound();
        StorePacket failed = StorePacket.decode(reply);
        reply.release();
        assertThat(failed.type()).isEqualTo(StorePacket.FAILED);
        assertThat(failed.text()).contains("too many watch this job");
        channel.close();
    }

    @Test
    void page_comesOutAsItWentIn_andWhatIsNoneIsRefused() {
        BoardPage page = new BoardPage(
                5,
                List.of(
                        new BoardPage.Entry(0, true, 1500, new byte[] {1, 2, 3}),
                        new BoardPage.Entry(4, false, 9, new byte[0])),
                4);
        byte[] bytes = BoardPacket.encode(page);
        BoardPage read = BoardPacket.decode(bytes);
        assertThat(read).usingRecursiveComparison().isEqualTo(page);
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            byte[] changed = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
            if (changed.length > 0) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(BoardPacket.decode(changed).entries()).hasSizeLessThanOrEqualTo(2);
            } catch (ProtocolException e) {
                assertThat(e).hasMessageContaining("board");
            }
        }
        assertThatThrownBy(() -> BoardPacket.decode(Unpooled.EMPTY_BUFFER.array()))
                .isInstanceOf(ProtocolException.class);
    }
}
