package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.link.RecordedEvents.Arrived;
import io.reactivecomm.netty.internal.link.RecordedEvents.Down;
import io.reactivecomm.netty.internal.link.RecordedEvents.Event;
import io.reactivecomm.netty.internal.link.RecordedEvents.Started;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameCodec;
import io.reactivecomm.spi.link.FrameWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Links of three lanes that end, and lanes that end before. */
@Timeout(60)
class LaneEndTest extends LaneFixture {

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void close_rightBehindPayloads_losesNothing(Sockets sockets) throws Exception {
        MemorySegment into = begin(sockets, 5);
        MemorySegment all = pattern(5L * LENGTH);
        Gate second = Gate.before(pair.lanes0.get(1));
        send(data(all, 1), data(all, 2), data(all, 3), data(all, 4), data(all, 5), new Frame.Goodbye());
        pair.on0(pair.link0::close);
        expectStarted(1, 2, 3, 4, 5);
        expectEnded(1);
        awaitHeld();
        // Rank 1 may see the end of what comes meanwhile: were it to end, too, rank 0 would give up what has not left.
        for (int turn = 0; turn < 300; turn++) {
            pair.on0(() -> assertThat(pair.channel0.isOpen()).isTrue());
            pair.on1(() -> assertThat(pair.channel1.isOpen()).isTrue());
        }

        pair.on0(second::open);

        expectEnded(2, 3, 4, 5);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Goodbye());
        assertThat(events1.next(Down.class).cause()).isNull();
        assertThat(into.mismatch(all)).isEqualTo(-1);
        expectDown(events0, null);
        expectAllClosed();
    }

    private static void expectDown(RecordedEvents events, String cause) {
        Event event = events.next();
        while (!(event instanceof Down)) {
            event = events.next();
        }
        if (cause == null) {
            assertThat(((Down) event).cause()).isNull();
        } else {
            assertThat(((Down) event).cause()).contains(cause);
        }
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void lane_thatIsCutUnderAPayload_isTheEndOfTheLink(Sockets sockets) throws Exception {
        begin(sockets, 2);
        MemorySegment all = pattern(2L * LENGTH);
        Gate.before(pair.lanes0.get(1));
        send(data(all, 1), data(all, 2));
        expectStarted(1, 2);
        expectEnded(1);

        pair.lanes0.get(1).close();

        assertThat(events1.next(Down.class).cause()).isEqualTo("lane 2 to rank 0 was closed, without a goodbye");
        expectDown(events0, "rank 1");
        expectAllClosed();
        pair.on0(() -> {});
        pair.on1(() -> {});
        assertThat(events0.isEmpty()).isTrue();
        assertThat(events1.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void lane_thatIsCut_isTheEndOfTheLinkThatWritesThere(Sockets sockets) throws Exception {
        begin(sockets, 1);
        pair.lanes0.getFirst().close().sync();

        send(data(pattern(LENGTH), 1));

        pair.loop0.eventLoop().submit(() -> {}).sync();
        timers.advance(TcpLink.GOODBYE_NANOS);
        expectDown(events0, "rank 1");
    }

    /** Over NIO nobody hears of it before there is something to read. */
    @Test
    void lane_thatIsCutInIdleness_isTheEndOfTheLink_unlessAGoodbyeComes() throws Exception {
        assumeThat(Sockets.best()).isEqualTo(Sockets.EPOLL);
        begin(Sockets.EPOLL, 1);
        pair.lanes0.getLast().close();
        timers.awaitTaskOn(pair.loop1.eventLoop());
        assertThat(events1.isEmpty()).isTrue();

        timers.advance(TcpLink.GOODBYE_NANOS);

        // The end that gives up first ends the other.
        assertThat(List.of(
                        events0.next(Down.class).cause(),
                        events1.next(Down.class).cause()))
                .anyMatch(cause -> cause.matches("lane 3 to rank [01] was closed, without a goodbye"));
    }

    @Test
    void lane_thatEndsBeforeTheGoodbyeIsRead_isNoLoss() throws Exception {
        assumeThat(Sockets.best()).isEqualTo(Sockets.EPOLL);
        begin(Sockets.EPOLL, 1);
        pair.lanes0.getLast().close();
        timers.awaitTaskOn(pair.loop1.eventLoop());
        send(new Frame.Goodbye());
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Goodbye());

        timers.advance(TcpLink.GOODBYE_NANOS);

        assertThat(events1.next(Down.class).cause()).isNull();
    }

    /** The frames' connection has brought the header of a payload behind a frame that is held: nobody waits for what cannot come. */
    @Test
    void lane_thatIsCutWhileAFrameIsHeld_isTheEndOfTheLink() throws Exception {
        assumeThat(Sockets.best()).isEqualTo(Sockets.EPOLL);
        MemorySegment into = arena.allocate(2L * LENGTH);
        events1.into((grant, length) -> into.asSlice((grant - 1) * LENGTH, length));
        pair = LinkPair.connect(Sockets.EPOLL, timers, LANES);
        // Rank 0 does not begin, so that it does not see the end of its lane before rank 1 does.
        pair.on1(() -> pair.link1.start(events1));
        Gate first = Gate.before(pair.lanes0.get(0));
        Gate.before(pair.lanes0.get(1));
        MemorySegment all = pattern(2L * LENGTH);
        send(data(all, 1), new Frame.Withdrawn(8), data(all, 2), new Frame.Withdrawn(9));
        expectStarted(1);
        awaitHeld();
        pair.lanes0.get(1).close();
        timers.awaitTaskOn(pair.loop1.eventLoop());
        timers.advance(TcpLink.GOODBYE_NANOS);
        assertThat(events1.isEmpty())
                .as("the end waits for what came before it")
                .isTrue();

        pair.on0(first::open);

        expectEnded(1);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Withdrawn(8));
        expectStarted(2);
        assertThat(events1.next(Down.class).cause()).isEqualTo("lane 2 to rank 0 was closed, without a goodbye");
    }

    private static ByteBuf onTheWire(MemorySegment payload) {
        return Unpooled.wrappedBuffer(payload.asByteBuffer(), ByteBuffer.wrap(new byte[] {PayloadStatus.WHOLE.code()}));
    }

    private void sendHeaderAlone(Frame.Data frame) {
        ByteBuffer header = ByteBuffer.allocate(FrameCodec.DATA_HEADER_BYTES);
        new FrameWriter().write(frame, header);
        pair.channel0.writeAndFlush(Unpooled.wrappedBuffer(header.flip())).syncUninterruptibly();
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void bytesBeforeTheirHeader_arriveWhole(Sockets sockets) throws Exception {
        MemorySegment into = begin(sockets, 1);
        MemorySegment payload = pattern(LENGTH);
        pair.lanes0.getFirst().writeAndFlush(onTheWire(payload)).sync();
        pair.on1(() -> assertThat(events1.isEmpty()).isTrue());

        sendHeaderAlone(new Frame.Data(1, payload));

        expectStarted(1);
        expectEnded(1);
        assertThat(into.mismatch(payload)).isEqualTo(-1);
    }

    /** A header costs the peer next to nothing, and this rank memory. */
    @ParameterizedTest
    @EnumSource(Sockets.class)
    void headersAlone_moreThanAnybodyAsksFor_areTheEndOfTheLink(Sockets sockets) throws Exception {
        begin(sockets, 1);
        events1.into((grant, length) -> null);
        MemorySegment payload = pattern(LENGTH);
        for (int grant = 0; grant <= IncomingFrames.MOST_ARRIVING; grant++) {
            sendHeaderAlone(new Frame.Data(grant, payload));
        }

        expectDown(events1, "rank 0 broke the protocol: more payloads than anybody asked for: grant=1024, limit=1024");
    }

    /** Memory is never sized by what comes unasked: as far as the system's buffers go, and no further. */
    @ParameterizedTest
    @EnumSource(Sockets.class)
    void bytesWithoutAHeader_stayInTheSocket(Sockets sockets) throws Exception {
        begin(sockets, 1);
        send(data(pattern(LENGTH), 1));
        expectStarted(1);
        expectEnded(1);
        ChannelFuture written = pair.lanes0.getFirst().writeAndFlush(Unpooled.wrappedBuffer(new byte[64 << 20]));
        for (int turn = 0; turn < 300; turn++) {
            pair.on0(() -> {});
            pair.on1(() ->
                    assertThat(pair.lanes1.getFirst().config().isAutoRead()).isFalse());
        }
        assertThat(written.isDone()).isFalse();
    }

    @Test
    void bytesWithoutAHeader_thatWereReadAllTheSame_areFreedWithTheLink() throws Exception {
        assumeThat(Sockets.best()).isEqualTo(Sockets.EPOLL);
        begin(Sockets.EPOLL, 1);
        UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(true);
        pair.on1(() -> pair.lanes1.getFirst().config().setAllocator(buffers));
        pair.lanes0
                .getFirst()
                .writeAndFlush(Unpooled.wrappedBuffer(new byte[LENGTH / 2]))
                .sync();
        pair.lanes0.getFirst().close().sync();
        await("bytes that were read", () -> buffers.metric().usedDirectMemory() > 0);
        timers.awaitTaskOn(pair.loop1.eventLoop());

        pair.on1(() -> pair.link1.fail("over"));

        assertThat(buffers.metric().usedDirectMemory()).isZero();
    }

    /**
     * As when a rank ends: its connections are seen to end in any order, and epoll has a reader read what came before an end. All of it is
     * in the reader's socket, or the end would not be.
     */
    @ParameterizedTest
    @EnumSource(Sockets.class)
    void bytesBeforeTheirHeader_onALaneThatEnds_arriveWhole(Sockets sockets) throws Exception {
        int length = LaneSet.LEAST_BYTES + 5_000;
        MemorySegment into = begin(sockets, 1);
        MemorySegment payload = pattern(length);
        pair.lanes0.getFirst().writeAndFlush(onTheWire(payload)).sync();
        pair.lanes0.getFirst().close().sync();
        for (int turn = 0; turn < 300; turn++) {
            pair.on1(() -> {});
        }

        sendHeaderAlone(new Frame.Data(1, payload));

        assertThat(events1.next(Started.class)).isEqualTo(new Started(1, length));
        expectEnded(1);
        assertThat(into.asSlice(0, length).mismatch(payload)).isEqualTo(-1);
    }
}
