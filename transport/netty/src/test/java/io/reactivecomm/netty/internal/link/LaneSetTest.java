package io.reactivecomm.netty.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.netty.internal.connection.Sockets;
import io.reactivecomm.netty.internal.link.RecordedEvents.Arrived;
import io.reactivecomm.netty.internal.link.RecordedEvents.Down;
import io.reactivecomm.netty.internal.link.RecordedEvents.Ended;
import io.reactivecomm.netty.internal.link.RecordedEvents.Started;
import io.reactivecomm.netty.internal.link.RecordedEvents.Written;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.link.Frame;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Frames over three lanes, some of which bring nothing for a while. */
@Timeout(60)
class LaneSetTest extends LaneFixture {

    private static final Signature CALL =
            new Signature(Operation.ALL_REDUCE, DType.FLOAT32, 9, Signature.NO_ROOT, ReduceOp.SUM);
    private static final int MIB = 1024 * 1024;

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void payloads_goOverLanesInTurn_andEndInTheOrderOfTheirHeaders(Sockets sockets) throws Exception {
        MemorySegment into = begin(sockets, 5);
        MemorySegment all = pattern(5L * LENGTH);
        Gate first = Gate.before(pair.lanes0.get(0));
        send(data(all, 1), data(all, 2), data(all, 3), data(all, 4), data(all, 5));
        expectStarted(1, 2, 3, 4, 5);
        for (int grant : new int[] {2, 3, 5}) {
            await("the payload of " + grant, () -> isSame(into, all, grant));
        }
        pair.on1(() -> {
            assertThat(into.asSlice(0, LENGTH).mismatch(arena.allocate(LENGTH))).isEqualTo(-1);
            assertThat(into.asSlice(3L * LENGTH, LENGTH).mismatch(arena.allocate(LENGTH)))
                    .isEqualTo(-1);
        });
        assertThat(events1.isEmpty()).isTrue();
        assertThat(events0.isEmpty()).isTrue();

        pair.on0(first::open);

        expectEnded(1, 2, 3, 4, 5);
        assertThat(into.mismatch(all)).isEqualTo(-1);
        for (long grant = 1; grant <= 5; grant++) {
            assertThat(events0.next(Written.class).frame().grant()).isEqualTo(grant);
        }
    }

    /** A payload too small for a lane is whole at once, where the frames are. */
    @Test
    void smallPayload_endsBehindALargeOne() throws Exception {
        begin(Sockets.best(), 2);
        MemorySegment all = pattern(2L * LENGTH);
        Gate first = Gate.before(pair.lanes0.get(0));
        send(data(all, 1), new Frame.Data(2, all.asSlice(0, LaneSet.LEAST_BYTES - 1)), new Frame.Dropped(3));
        expectStarted(1);
        assertThat(events1.next(Started.class)).isEqualTo(new Started(2, LaneSet.LEAST_BYTES - 1));
        awaitHeld();
        assertThat(events1.isEmpty()).isTrue();

        pair.on0(first::open);

        expectEnded(1, 2);
        assertThat(events1.next(Arrived.class).frame()).isEqualTo(new Frame.Dropped(3));
    }

    private static List<Frame> framesThatOvertake() {
        CallKey key = new CallKey.Ticket(1, 2, "weights", 3, 4);
        return List.of(
                new Frame.Open(key, 1, Frame.Open.UNKNOWN, CALL, 2, 3, 0, List.of()),
                new Frame.Announce(5, Frame.Edge.toBeGranted(1, 2)),
                new Frame.Taken(6),
                new Frame.Grant(1, 2, 3, 4, 5));
    }

    private static List<Frame> framesThatKeepTheirPlace() {
        CallKey key = new CallKey.Ticket(1, 2, "weights", 3, 4);
        return List.of(
                new Frame.Withdrawn(1),
                new Frame.Abort(key, new Failure(Failure.Kind.TIMEOUT, 3, "late", List.of(1, 2))),
                new Frame.GroupAbort(9, new Failure(Failure.Kind.CLOSED, 0, "over")),
                new Frame.Lost(3, "reset"),
                new Frame.Cut(1, 3, "silent"),
                new Frame.Leave(7),
                new Frame.Goodbye(),
                new Frame.Dropped(2),
                new Frame.Wanted(7, "", 5),
                new Frame.Query(key, true),
                new Frame.Status(key, true, Frame.Status.State.RUNNING, "all-reduce", "barrier"),
                new Frame.Dispute(key),
                new Frame.Performs(key, "mpi"),
                new Frame.Knock());
    }

    @Test
    void frames_areAllOfOneKindOrTheOther() {
        assertThat(Stream.concat(framesThatOvertake().stream(), framesThatKeepTheirPlace().stream())
                        .map(Object::getClass))
                .doesNotHaveDuplicates()
                .hasSize(Frame.class.getPermittedSubclasses().length - 1)
                .doesNotContain(Frame.Data.class);
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void frames_thatKeepPiecesFlowing_overtakeAPayload_andOthersDoNot(Sockets sockets) throws Exception {
        begin(sockets, 1);
        MemorySegment all = pattern(LENGTH);
        List<Gate> gates = pair.lanes0.stream().map(Gate::before).toList();
        List<Frame> flowing = framesThatOvertake();
        Frame last = flowing.getLast();
        for (Frame waiting : framesThatKeepTheirPlace()) {
            pair.on0(() -> gates.forEach(Gate::close));
            send(data(all, 1));
            send(flowing.toArray(Frame[]::new));
            send(waiting, last);
            expectStarted(1);
            for (Frame frame : flowing) {
                assertThat(events1.next(Arrived.class).frame()).isEqualTo(frame);
            }
            awaitHeld();
            assertThat(events1.isEmpty())
                    .as("%s waits, and what is behind it", waiting)
                    .isTrue();

            pair.on0(() -> gates.forEach(Gate::open));

            expectEnded(1);
            assertThat(events1.next(Arrived.class).frame()).isEqualTo(waiting);
            assertThat(events1.next(Arrived.class).frame()).isEqualTo(last);
        }
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void payloadThatAnswersNoGrant_onALane_bringsTheLinkDown(Sockets sockets) throws Exception {
        begin(sockets, 1);
        events1.into((_, _) -> {
            throw new ProtocolException("data answers no grant");
        });
        send(data(pattern(LENGTH), 1));
        events1.next(Started.class);
        assertThat(events1.next(Down.class).cause()).contains("data answers no grant");
        expectAllClosed();
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void withdraw_whileLanesAreFull_sendsTheBytesOfThen(Sockets sockets) throws Exception {
        int length = 8 * MIB;
        MemorySegment into = arena.allocate(5L * length);
        events1.into((grant, _) -> into.asSlice((grant - 1) * length, length));
        pair = LinkPair.connect(sockets, timers, LANES);
        pair.on0(() -> pair.link0.start(events0));
        MemorySegment payload = pattern(length);
        MemorySegment expected = arena.allocate(length).copyFrom(payload);
        pair.on0(() -> events0.quietly(() -> {
            List<Frame.Data> frames = Stream.of(1, 2, 3, 4, 5)
                    .map(grant -> new Frame.Data(grant, payload))
                    .toList();
            frames.forEach(pair.link0::write);
            // The peer does not read yet: the kernel takes a part of the first three, and nothing of the others.
            pair.link0.flush();
            assertThat(pair.link0.isWritable()).isFalse();
            frames.forEach(pair.link0::withdraw);
            payload.fill((byte) 0x66);
        }));

        pair.on1(() -> pair.link1.start(events1));

        for (int ended = 0; ended < 5; ) {
            ended += events1.next() instanceof Ended ? 1 : 0;
        }
        for (long grant = 0; grant < 5; grant++) {
            assertThat(into.asSlice(grant * length, length).mismatch(expected)).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @EnumSource(Sockets.class)
    void drain_ofAPayloadOnALane_leavesItsDestinationAlone(Sockets sockets) throws Exception {
        MemorySegment into = begin(sockets, 3);
        MemorySegment all = pattern(3L * LENGTH);
        Gate first = Gate.before(pair.lanes0.get(0));
        send(data(all, 1), data(all, 2), data(all, 3));
        expectStarted(1, 2, 3);
        pair.on1(() -> pair.link1.drain(1));

        pair.on0(first::open);

        expectEnded(1, 2, 3);
        assertThat(into.asSlice(0, LENGTH).mismatch(arena.allocate(LENGTH))).isEqualTo(-1);
        assertThat(isSame(into, all, 2)).isTrue();
        assertThat(isSame(into, all, 3)).isTrue();
    }
}
