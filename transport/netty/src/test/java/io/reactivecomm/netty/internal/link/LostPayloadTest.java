package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.link.RecordedEvents.Arrived;
import io.reactivecomm.netty.internal.link.RecordedEvents.Down;
import io.reactivecomm.netty.internal.link.RecordedEvents.Ended;
import io.reactivecomm.netty.internal.link.RecordedEvents.Event;
import io.reactivecomm.netty.internal.link.RecordedEvents.Failed;
import io.reactivecomm.netty.internal.link.RecordedEvents.NotWritten;
import io.reactivecomm.netty.internal.link.RecordedEvents.Started;
import io.reactivecomm.netty.internal.link.RecordedEvents.Writable;
import io.reactivecomm.netty.internal.link.RecordedEvents.Written;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.FrameWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Payloads whose memory goes while they are on their way: that one does not arrive, and all else does. Larger than what the system takes while the
 * peer does not read.
 */
@Timeout(60)
class LostPayloadTest {

    private static final int LENGTH = 16 << 20;
    private static final int SMALL = 100_000;

    @TempDir
    Path directory;

    private final ManualTimers timers = new ManualTimers();
    private final RecordedEvents events0 = new RecordedEvents();
    private final RecordedEvents events1 = new RecordedEvents();
    private final Arena arena = Arena.ofShared();
    private final Arena doomed = Arena.ofShared();
    private MemorySegment kept;
    private MemorySegment into;
    private LinkPair pair;

    private static Stream<Arguments> ways() {
        return Stream.of(Sockets.values())
                .flatMap(sockets -> Stream.of(Arguments.of(sockets, 1), Arguments.of(sockets, 3)));
    }

    @BeforeEach
    void fill() {
        kept = arena.allocate(SMALL);
        for (long i = 0; i < SMALL; i++) {
            kept.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + 1));
        }
        into = arena.allocate(LENGTH);
        events1.into((_, length) -> into.asSlice(0, length));
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
        arena.close();
        if (doomed.scope().isAlive()) {
            doomed.close();
        }
    }

    /** Rank 1 does not read yet: the system takes a part of what rank 0 writes. */
    private void connect(Sockets sockets, int lanes) throws Exception {
        pair = LinkPair.connect(sockets, timers, lanes);
        pair.on0(() -> pair.link0.start(events0));
    }

    private void send(Frame... frames) {
        pair.on0(() -> events0.quietly(() -> {
            for (Frame frame : frames) {
                pair.link0.write(frame);
            }
            pair.link0.flush();
        }));
    }

    private Frame.Data doomedData(long grant) {
        return new Frame.Data(grant, doomed.allocate(LENGTH, 64).fill((byte) 7));
    }

    private MemorySegment mapped(long bytes) throws IOException {
        try (FileChannel file = file()) {
            return file.map(FileChannel.MapMode.READ_WRITE, 0, bytes, doomed).fill((byte) 7);
        }
    }

    private FileChannel file() throws IOException {
        return FileChannel.open(
                directory.resolve("payload"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    private void truncate(long bytes) throws IOException {
        try (FileChannel file = file()) {
            file.truncate(bytes);
        }
    }

    private Event next0() {
        Event event = events0.next();
        while (event instanceof Writable) {
            event = events0.next();
        }
        return event;
    }

    private void requireNotWritten(Frame.Data frame, Class<? extends Throwable> fault) {
        NotWritten told = (NotWritten) next0();
        assertThat(told.frame()).isSameAs(frame);
        assertThat(told.fault()).isExactlyInstanceOf(fault);
    }

    private void requireWithdrawn(long grant) {
        assertThat(events1.next(Started.class).grant()).isEqualTo(grant);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Withdrawn(grant));
    }

    /** The link goes on, in its order. */
    private void requireAlive() {
        Frame.Data last = new Frame.Data(1000, kept);
        send(new Frame.Dropped(8), last, new Frame.Dropped(9));
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Dropped(8));
        assertThat(events1.next(Started.class)).isEqualTo(new Started(1000, SMALL));
        assertThat(events1.next(Ended.class).grant()).isEqualTo(1000);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Dropped(9));
        assertThat(into.asSlice(0, SMALL).mismatch(kept)).isEqualTo(-1);
        assertThat(((Written) next0()).frame()).isSameAs(last);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void arena_thatIsClosedWhileAPayloadLeaves_withdrawsIt(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        Frame.Data data = doomedData(1);
        send(new Frame.Dropped(1), data);
        pair.on0(doomed::close);
        pair.on1(() -> pair.link1.start(events1));
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Dropped(1));
        requireWithdrawn(1);
        requireNotWritten(data, IllegalStateException.class);
        requireAlive();
    }

    /** The system is about to find that there is nothing. */
    @ParameterizedTest
    @MethodSource("ways")
    void mapping_whoseFileIsTruncatedWhileItLeaves_isWithdrawn(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        Frame.Data data = new Frame.Data(1, mapped(LENGTH));
        send(data);
        truncate(0);
        pair.on1(() -> pair.link1.start(events1));
        requireWithdrawn(1);
        requireNotWritten(data, InternalError.class);
        requireAlive();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void mapping_ofWhichTheEndIsGone_isWithdrawn(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        pair.on1(() -> pair.link1.start(events1));
        for (int grant = 1; grant <= 20; grant++) {
            Frame.Data data = new Frame.Data(grant, mapped(SMALL));
            truncate(grant * 4096);
            send(data);
            requireWithdrawn(grant);
            requireNotWritten(data, InternalError.class);
        }
        requireAlive();
    }

    /** Three that are lost between three that are not: each is answered, once and in its place. */
    @ParameterizedTest
    @MethodSource("ways")
    void payloads_thatAreLostBetweenOthers_harmNoOther(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        MemorySegment even = arena.allocate(3L * SMALL);
        events1.into((grant, length) -> grant % 2 == 0 ? even.asSlice((grant / 2 - 1) * SMALL, length) : into);
        for (long grant = 1; grant <= 6; grant += 2) {
            send(doomedData(grant), new Frame.Data(grant + 1, kept));
        }
        pair.on0(doomed::close);
        pair.on1(() -> pair.link1.start(events1));
        int answers = 0;
        for (int event = 0; event < 12; event++) {
            Event next = events1.next();
            if (next instanceof Arrived(Frame.Withdrawn(long grant))) {
                assertThat(grant).isEqualTo(++answers).isOdd();
            } else if (next instanceof Ended(long grant)) {
                assertThat(grant).isEqualTo(++answers).isEven();
                assertThat(even.asSlice((grant / 2 - 1) * SMALL, SMALL).mismatch(kept))
                        .isEqualTo(-1);
            } else {
                assertThat(next).isInstanceOf(Started.class);
            }
        }
        assertThat(answers).isEqualTo(6);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void withdraw_ofAPayloadWhoseMemoryIsGone_isNoFault(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        Frame.Data data = doomedData(1);
        send(data);
        pair.on0(() -> {
            doomed.close();
            events0.quietly(() -> pair.link0.withdraw(data));
        });
        requireNotWritten(data, IllegalStateException.class);
        pair.on1(() -> pair.link1.start(events1));
        requireWithdrawn(1);
        requireAlive();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void withdraw_ofAMappingWhoseFileIsTruncated_isNoFault(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        Frame.Data data = new Frame.Data(1, mapped(LENGTH));
        send(data);
        truncate(0);
        pair.on0(() -> events0.quietly(() -> pair.link0.withdraw(data)));
        requireNotWritten(data, InternalError.class);
        pair.on1(() -> pair.link1.start(events1));
        requireWithdrawn(1);
        requireAlive();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void memory_thatIsFreedOnceItWasCopiedAside_isNotMissed(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        Frame.Data data = doomedData(1);
        send(data);
        pair.on0(() -> {
            pair.link0.withdraw(data);
            doomed.close();
        });
        pair.on1(() -> pair.link1.start(events1));
        events1.next(Started.class);
        events1.next(Ended.class);
        assertThat(into.mismatch(arena.allocate(LENGTH).fill((byte) 7))).isEqualTo(-1);
        assertThat(((Written) next0()).frame()).isSameAs(data);
        requireAlive();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void close_whileALostPayloadLeaves_isNoLossOfTheLink(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        Frame.Data data = doomedData(1);
        send(data, new Frame.Goodbye());
        pair.on0(() -> {
            doomed.close();
            pair.link0.close();
        });
        pair.on1(() -> pair.link1.start(events1));
        requireWithdrawn(1);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Goodbye());
        assertThat(events1.next(Down.class).cause()).isNull();
        requireNotWritten(data, IllegalStateException.class);
        assertThat(((Down) next0()).cause()).isNull();
    }

    /** Nobody reads into memory of a call that has ended: so nothing more is said of it than that it will not come. */
    @ParameterizedTest
    @MethodSource("ways")
    void drain_ofALostPayload_isAnsweredAllTheSame(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        events1.into((grant, length) -> {
            pair.loop1.execute(() -> pair.link1.drain(grant));
            return into.asSlice(0, length);
        });
        Frame.Data data = doomedData(1);
        send(data);
        pair.on0(doomed::close);
        pair.on1(() -> pair.link1.start(events1));
        requireWithdrawn(1);
        requireNotWritten(data, IllegalStateException.class);
        events1.into((_, length) -> into.asSlice(0, length));
        requireAlive();
    }

    /** As long as a thread of the JDK's own is in there the arena is not closed; the system knows of no arenas. */
    private static void close(Arena arena) {
        while (arena.scope().isAlive()) {
            try {
                arena.close();
            } catch (IllegalStateException e) {
                Thread.onSpinWait();
            }
        }
    }

    /** Wherever that meets it, the payload is lost or has gone, and the link goes on. */
    @ParameterizedTest
    @MethodSource("ways")
    void arena_thatAnotherThreadClosesMeanwhile_endsNothingElse(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        pair.on1(() -> pair.link1.start(events1));
        for (int grant = 1; grant <= 8; grant++) {
            Arena shortLived = Arena.ofShared();
            Frame.Data data = new Frame.Data(grant, shortLived.allocate(LENGTH, 64));
            send(data);
            assertThat(events1.next(Started.class).grant()).isEqualTo(grant);
            close(shortLived);
            Event there = events1.next();
            Event here = next0();
            boolean isWithdrawn = there.equals(new Arrived(new Frame.Withdrawn(grant)));
            assertThat(isWithdrawn || there.equals(new Ended(grant)))
                    .as("an answer: %s", there)
                    .isTrue();
            assertThat(here).isInstanceOfAny(NotWritten.class, isWithdrawn ? NotWritten.class : Written.class);
        }
        requireAlive();
    }

    /** The other direction: the system would have to put a payload where nothing is. */
    @ParameterizedTest
    @MethodSource("ways")
    void destination_whoseFileIsTruncated_isToldOf(Sockets sockets, int lanes) throws Exception {
        connect(sockets, lanes);
        MemorySegment gone = mapped(LENGTH);
        truncate(4 << 20);
        events1.into((grant, length) -> grant == 1 ? gone : into.asSlice(0, length));
        Frame.Data data = new Frame.Data(1, arena.allocate(LENGTH));
        send(data);
        pair.on1(() -> pair.link1.start(events1));
        events1.next(Started.class);
        Failed failed = events1.next(Failed.class);
        assertThat(failed.grant()).isEqualTo(1);
        assertThat(failed.fault()).isExactlyInstanceOf(InternalError.class);
        assertThat(((Written) next0()).frame()).isSameAs(data);
        requireAlive();
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void unknownStatus_bringsTheLinkDown(Sockets sockets) throws Exception {
        pair = LinkPair.connect(sockets, timers, 1);
        pair.start(events0, events1);
        ByteBuffer bytes = ByteBuffer.allocate(17 + 4);
        new FrameWriter().write(new Frame.Data(1, kept.asSlice(0, 4)), bytes);
        bytes.position(0).put(20, (byte) 2);
        pair.channel0.writeAndFlush(Unpooled.wrappedBuffer(bytes)).sync();
        events1.next(Started.class);
        assertThat(events1.next(Down.class).cause())
                .contains("broke the protocol")
                .contains("status=2");
    }

    @Test
    void lane_thatBringsAnUnknownStatus_bringsTheLinkDown() throws Exception {
        pair = LinkPair.connect(Sockets.best(), timers, 3);
        pair.start(events0, events1);
        ByteBuffer header = ByteBuffer.allocate(16);
        new FrameWriter().write(new Frame.Data(1, kept), header);
        pair.channel0.writeAndFlush(Unpooled.wrappedBuffer(header.flip())).sync();
        byte[] payload = new byte[SMALL + 1];
        payload[SMALL] = 9;
        pair.lanes0.getFirst().writeAndFlush(Unpooled.wrappedBuffer(payload)).sync();
        events1.next(Started.class);
        assertThat(events1.next(Down.class).cause())
                .contains("broke the protocol")
                .contains("status=9");
    }
}
