package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.link.RecordedEvents.Arrived;
import io.reactivecomm.netty.internal.link.RecordedEvents.Down;
import io.reactivecomm.netty.internal.link.RecordedEvents.Ended;
import io.reactivecomm.netty.internal.link.RecordedEvents.Event;
import io.reactivecomm.netty.internal.link.RecordedEvents.Started;
import io.reactivecomm.netty.internal.link.RecordedEvents.Writable;
import io.reactivecomm.netty.internal.link.RecordedEvents.Written;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class TcpLinkTest {

    private static final int MIB = 1024 * 1024;

    private final RecordedEvents events0 = new RecordedEvents();
    private final RecordedEvents events1 = new RecordedEvents();
    private final Arena arena = Arena.ofShared();
    private LinkPair pair;

    @AfterEach
    void end() {
        pair.close();
        arena.close();
    }

    private void begin(Sockets sockets) throws Exception {
        pair = LinkPair.connect(sockets);
        pair.start(events0, events1);
    }

    private MemorySegment pattern(long bytes, int seed) {
        MemorySegment segment = arena.allocate(bytes, 8);
        for (long i = 0; i < bytes; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + seed + (i >> 12)));
        }
        return segment;
    }

    private void send(Frame... frames) {
        pair.on0(() -> events0.quietly(() -> {
            for (Frame frame : frames) {
                pair.link0.write(frame);
            }
            pair.link0.flush();
        }));
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void withinAMachine_halfTheUsualWindowIsEnough_andBulkComesInLongPieces(Sockets sockets) throws Exception {
        begin(sockets);
        assertThat(pair.link0.traits().windowBytes()).isEqualTo(EngineLimits.DEFAULT.windowBytes() / 2);
        assertThat(pair.link0.traits().bulkBytes()).isEqualTo(EngineLimits.DEFAULT.bulkBytes());
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void write_everySmallKind_arrivesInOrder(Sockets sockets) throws Exception {
        begin(sockets);
        CallKey key = new CallKey.Ticket(1, 2, "weights", 3, 4);
        List<Frame> frames = List.of(
                new Frame.Withdrawn(1),
                new Frame.Dropped(2),
                new Frame.Wanted(7, "übung", 5),
                new Frame.Grant(1, 2, 3, 4, 5),
                new Frame.Abort(key, new Failure(Failure.Kind.TIMEOUT, 3, "late", List.of(1, 2))),
                new Frame.GroupAbort(9, new Failure(Failure.Kind.CLOSED, 0, "over")),
                new Frame.Lost(3, "reset"),
                new Frame.Query(key, true),
                new Frame.Status(key, true, Frame.Status.State.RUNNING, "all-reduce", "barrier"),
                new Frame.Dispute(key),
                new Frame.Performs(key, "mpi"),
                new Frame.Goodbye());
        send(frames.toArray(Frame[]::new));
        for (Frame frame : frames) {
            assertThat(events1.next(Arrived.class).frame()).isEqualTo(frame);
        }
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void write_frameLargerThanTheBuffers_arrives(Sockets sockets) throws Exception {
        begin(sockets);
        byte[] eager = new byte[200_000];
        eager[0] = 1;
        eager[eager.length - 1] = 2;
        send(
                new Frame.Lost(1, "before"),
                new Frame.Announce(5, new Frame.Edge(1, 2, MemorySegment.ofArray(eager))),
                new Frame.Lost(1, "after"));
        events1.next(Arrived.class);
        Frame.Announce got = (Frame.Announce) events1.next(Arrived.class).frame();
        assertThat(got.edge().eager().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(eager);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Lost(1, "after"));
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void data_ofManyLengths_arrivesWhole(Sockets sockets) throws Exception {
        MemorySegment into = arena.allocate(3 * MIB);
        events1.into((_, length) -> into.asSlice(0, length));
        begin(sockets);
        int[] lengths = {0, 1, 3, 4095, 4096, 4097, 16_383, 16_384, 65_535, 65_536, 65_537, 500_001, 2 * MIB + 3};
        for (int length : lengths) {
            MemorySegment payload = pattern(length, length);
            into.fill((byte) 0);
            Frame.Data data = new Frame.Data(length, payload);
            send(new Frame.Withdrawn(length), data, new Frame.Dropped(length));
            assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Withdrawn(length));
            assertThat(events1.next(Started.class)).isEqualTo(new Started(length, length));
            assertThat(events1.next(Ended.class)).isEqualTo(new Ended(length));
            assertThat(into.asSlice(0, length).mismatch(payload))
                    .as("length " + length)
                    .isEqualTo(-1);
            assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Dropped(length));
            Event written = events0.next();
            if (written instanceof Writable) {
                written = events0.next();
            }
            assertThat(((Written) written).frame()).isSameAs(data);
            if (length > OutgoingFrames.HIGH_BYTES) {
                events0.next(Writable.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void data_leavesInOneWriteWithWhatCameBefore(Sockets sockets) throws Exception {
        MemorySegment into = arena.allocate(MIB);
        events1.into((_, length) -> into.asSlice(0, length));
        begin(sockets);
        long before = pair.link0.traffic().writes();
        MemorySegment payload = pattern(MIB / 4, 3);
        send(new Frame.Withdrawn(1), new Frame.Dropped(2), new Frame.Data(3, payload));
        events1.next(Arrived.class);
        events1.next(Arrived.class);
        events1.next(Started.class);
        events1.next(Ended.class);
        assertThat(into.asSlice(0, payload.byteSize()).mismatch(payload)).isEqualTo(-1);
        assertThat(pair.link0.traffic().writes() - before).isOne();
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void data_fromTheHeap_arrivesWhole(Sockets sockets) throws Exception {
        MemorySegment into = arena.allocate(MIB);
        events1.into((_, length) -> into.asSlice(0, length));
        begin(sockets);
        MemorySegment payload = MemorySegment.ofArray(pattern(MIB, 5).toArray(ValueLayout.JAVA_BYTE));
        send(new Frame.Withdrawn(1), new Frame.Data(2, payload), new Frame.Dropped(3));
        events1.next(Arrived.class);
        events1.next(Started.class);
        events1.next(Ended.class);
        assertThat(into.mismatch(payload)).isEqualTo(-1);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Dropped(3));
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void data_64MiBInPieces_isGatedAndWrittenInOrder(Sockets sockets) throws Exception {
        int piece = 512 * 1024;
        int pieces = 128;
        MemorySegment payload = pattern((long) piece * pieces, 7);
        MemorySegment into = arena.allocate((long) piece * pieces);
        events1.into((grant, length) -> into.asSlice(grant * piece, length));
        begin(sockets);
        int[] next = {0};
        List<Long> written = new ArrayList<>();
        while (written.size() < pieces) {
            pair.on0(() -> events0.quietly(() -> {
                while (next[0] < pieces && pair.link0.isWritable()) {
                    pair.link0.write(new Frame.Data(next[0], payload.asSlice((long) next[0] * piece, piece)));
                    next[0]++;
                }
                pair.link0.flush();
            }));
            Event event = events0.next();
            if (event instanceof Written done) {
                written.add(done.frame().grant());
            }
        }
        for (long grant = 0; grant < pieces; grant++) {
            assertThat(written.get((int) grant)).isEqualTo(grant);
            assertThat(events1.next(Started.class).grant()).isEqualTo(grant);
            assertThat(events1.next(Ended.class).grant()).isEqualTo(grant);
        }
        assertThat(into.mismatch(payload)).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void isWritable_whenThePeerDoesNotRead_turnsFalseAndBack(Sockets sockets) throws Exception {
        pair = LinkPair.connect(sockets);
        pair.on0(() -> pair.link0.start(events0));
        int piece = MIB / 2;
        MemorySegment payload = pattern(piece, 1);
        int[] sent = {0};
        // The kernel takes some; when it takes no more, at most the bound is left here.
        pair.on0(() -> {
            while (pair.link0.isWritable()) {
                pair.link0.write(new Frame.Data(sent[0]++, payload));
                pair.link0.flush();
            }
        });
        pair.on0(() -> {});
        int written = 0;
        while (!events0.isEmpty()) {
            events0.next(Written.class);
            written++;
        }
        assertThat((sent[0] - written) * (long) piece)
                .as("bytes of the frames that wait in this process, one of them perhaps sent in part")
                .isBetween((long) OutgoingFrames.HIGH_BYTES, (long) OutgoingFrames.HIGH_BYTES + piece);
        pair.on1(() -> pair.link1.start(events1));
        boolean writable = false;
        while (written < sent[0] || !writable) {
            Event event = events0.next();
            written += event instanceof Written ? 1 : 0;
            writable |= event instanceof Writable;
        }
        assertThat(events0.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void drain_midWay_leavesTheDestinationAlone(Sockets sockets) throws Exception {
        int length = 8 * MIB;
        MemorySegment payload = pattern(length, 5);
        MemorySegment into = arena.allocate(length);
        CountDownLatch drained = new CountDownLatch(1);
        events1.into((grant, _) -> {
            // The header is here and some of the payload: the rest comes in later turns.
            pair.loop1.execute(() -> {
                pair.link1.drain(grant);
                into.fill((byte) 0x55);
                drained.countDown();
            });
            return into;
        });
        begin(sockets);
        send(new Frame.Data(9, payload), new Frame.Withdrawn(10));
        drained.await();
        events1.next(Started.class);
        assertThat(events1.next(Ended.class).grant()).isEqualTo(9);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Withdrawn(10));
        byte[] seen = into.toArray(ValueLayout.JAVA_BYTE);
        for (byte b : seen) {
            assertThat(b).isEqualTo((byte) 0x55);
        }
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void data_withoutDestination_isForgotten(Sockets sockets) throws Exception {
        begin(sockets);
        send(new Frame.Data(1, pattern(3 * MIB, 1)), new Frame.Data(2, pattern(10, 1)), new Frame.Dropped(3));
        events1.next(Started.class);
        events1.next(Ended.class);
        events1.next(Started.class);
        events1.next(Ended.class);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Dropped(3));
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void withdraw_beforeFlushAndMidWrite_sendsTheBytesOfThen(Sockets sockets) throws Exception {
        int length = 16 * MIB;
        MemorySegment into = arena.allocate(length);
        MemorySegment into2 = arena.allocate(length);
        events1.into((grant, _) -> grant == 1 ? into : into2);
        pair = LinkPair.connect(sockets);
        pair.on0(() -> pair.link0.start(events0));
        MemorySegment payload = pattern(length, 3);
        MemorySegment expected = arena.allocate(length).copyFrom(payload);
        Frame.Data first = new Frame.Data(1, payload);
        Frame.Data second = new Frame.Data(2, payload);
        pair.on0(() -> events0.quietly(() -> {
            pair.link0.write(first);
            pair.link0.write(second);
            // The peer does not read yet: the kernel takes a part of the first, and nothing of the second.
            pair.link0.flush();
            pair.link0.withdraw(first);
            pair.link0.withdraw(second);
            payload.fill((byte) 0x66);
        }));
        pair.on1(() -> pair.link1.start(events1));
        for (int grant = 1; grant <= 2; grant++) {
            events1.next(Started.class);
            events1.next(Ended.class);
        }
        assertThat(into.mismatch(expected)).isEqualTo(-1);
        assertThat(into2.mismatch(expected)).isEqualTo(-1);
        assertThat(events0.next(Written.class).frame()).isSameAs(first);
        Event second2 = events0.next();
        assertThat(second2 instanceof Writable ? events0.next(Written.class) : second2)
                .isEqualTo(new Written(second));
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void close_afterGoodbye_isNoLossOnEitherSide(Sockets sockets) throws Exception {
        begin(sockets);
        MemorySegment payload = pattern(4 * MIB, 1);
        pair.on0(() -> events0.quietly(() -> {
            pair.link0.write(new Frame.Data(1, payload));
            pair.link0.write(new Frame.Goodbye());
            pair.link0.close();
            pair.link0.close();
            pair.link0.write(new Frame.Dropped(1));
        }));
        events1.next(Started.class);
        events1.next(Ended.class);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Goodbye());
        assertThat(events1.next(Down.class).cause()).isNull();
        Event event = events0.next();
        while (!(event instanceof Down)) {
            event = events0.next();
        }
        assertThat(((Down) event).cause()).isNull();
        assertThat(events0.isEmpty()).isTrue();
        assertThat(events1.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void close_whenThePeerNeverEnds_comesDownAfterASecond(Sockets sockets) throws Exception {
        ManualTimers timers = new ManualTimers();
        pair = LinkPair.connect(sockets, timers);
        pair.on0(() -> pair.link0.start(events0));
        MemorySegment payload = pattern(32 * MIB, 1);
        pair.on0(() -> {
            pair.link0.write(new Frame.Data(1, payload));
            pair.link0.close();
        });
        timers.advance(999_000_000L);
        assertThat(events0.isEmpty()).isTrue();
        timers.advance(2_000_000L);
        assertThat(events0.next(Down.class).cause()).isNull();
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void connection_closedWithoutGoodbye_isALoss(Sockets sockets) throws Exception {
        begin(sockets);
        pair.channel1.close().sync();
        assertThat(events0.next(Down.class).cause()).contains("rank 1").contains("without a goodbye");
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void connection_resetDuringWrites_isReportedOnceAndLater(Sockets sockets) throws Exception {
        pair = LinkPair.connect(sockets);
        pair.on0(() -> pair.link0.start(events0));
        MemorySegment payload = pattern(8 * MIB, 1);
        send(new Frame.Data(1, payload));
        // Unread bytes at the closing end make the kernel send a reset.
        pair.channel1.close().sync();
        Event event = events0.next();
        while (!(event instanceof Down)) {
            event = events0.next();
        }
        assertThat(((Down) event).cause()).contains("rank 1");
        pair.on0(() -> events0.quietly(() -> {
            pair.link0.write(new Frame.Data(2, payload));
            pair.link0.flush();
            pair.link0.close();
        }));
        pair.on0(() -> {});
        assertThat(events0.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void garbage_onALink_bringsItDown(Sockets sockets) throws Exception {
        begin(sockets);
        pair.channel1
                .writeAndFlush(Unpooled.wrappedBuffer("GET / HTTP/1.1\r\n\r\n".getBytes()))
                .sync();
        assertThat(events0.next(Down.class).cause()).contains("rank 1 broke the protocol");
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void start_afterThePeerHasGone_deliversWhatCameAndThenTheEnd(Sockets sockets) throws Exception {
        pair = LinkPair.connect(sockets);
        pair.on0(() -> {
            pair.link0.start(events0);
            pair.link0.write(new Frame.Lost(2, "x"));
            pair.link0.write(new Frame.Goodbye());
            pair.link0.close();
        });
        pair.on1(() -> pair.link1.start(events1));
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Lost(2, "x"));
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Goodbye());
        assertThat(events1.next(Down.class).cause()).isNull();
    }
}
