package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllGatherCoalesced;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.flat.DirectAllGather;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.PathTuning;
import io.reactivecomm.internal.transfer.ScheduledCollective;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames that are well formed and that no rank of ours would send: the link ends, and what it held is let go of. Rank 1 is the peer. */
class HostilePeerTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Signature NOTHING = new Signature(Operation.BARRIER, DType.UINT8, 0, Signature.NO_ROOT, null);

    /** Too long for eager bytes, and of more than one piece. */
    private static final int COUNT = 3 * EngineLimits.DEFAULT.bulkBytes();

    /** Of tensors that a piece holds many of. */
    private static final int PACKED = 4 << 10;

    private final EngineLimits limits = LimitsTest.tight();
    private EngineWorld world = new EngineWorld(2, limits, 1);
    private Engine engine = world.engines.getFirst();

    @AfterEach
    void close() {
        world.close();
    }

    private void takes(Frame frame) {
        engine.frame(1, frame, world.now());
    }

    private static Frame.Open open(long number) {
        CallKey key = new CallKey.Ticket(0, 0, "flood", number, 1);
        return new Frame.Open(key, number + 1, Frame.Open.UNKNOWN, NOTHING, 0, 0, 0, List.of());
    }

    /** {@return why a call that needs the peer fails, or null as long as the peer is one of us} */
    private String verdict() {
        EngineWorld.End end = world.barrier(0, "verdict", LONG);
        world.turn(0);
        return end.isThere() ? end.whyNot().text() : null;
    }

    /** Calls that a third rank ended gave their credit back, though this rank has not heard of it yet: the flood may be an honest one. */
    @Test
    void openings_ofOneTurn_beyondEveryCredit_areDropped_andTheLinkLives() {
        for (int i = 0; i < 20 * limits.openings().credit(); i++) {
            takes(open(i));
        }
        assertThat(engine.parkedOpenings()).isEqualTo(limits.openings().parked());
        assertThat(verdict()).isNull();
    }

    /** What has left may have been read, and the credit for it come back: a rank that is far ahead opens call after call. */
    @Test
    void openings_thatWereDroppedAndThePeerMayKnow_areNoneTooMany() {
        for (int i = 0; i < 100; i++) {
            takes(open(i));
            world.turn(0);
        }
        assertThat(engine.parkedOpenings()).isEqualTo(limits.openings().parked());
        assertThat(verdict()).isNull();
    }

    /** A rank whose calls reach their deadline gets their credit back by itself, and says so. */
    @Test
    void openings_thatThePeerGivesUp_areNoneTooMany() {
        Failure late = new Failure(Failure.Kind.TIMEOUT, 1, "late");
        int parked = limits.openings().parked();
        for (int i = 0; i < parked; i++) {
            takes(open(i));
        }
        for (int i = parked; i < 100; i++) {
            takes(open(i));
            takes(new Frame.Abort(open(i).key(), late));
        }
        assertThat(engine.parkedOpenings()).isEqualTo(parked);
        assertThat(verdict()).isNull();
    }

    @Test
    void callOpenedTwice_endsTheLink() {
        takes(open(3));
        takes(open(3));
        assertThat(verdict()).contains("broke the protocol").contains("opened a call twice");
    }

    @Test
    void loan_thatAnswersNoGrant_endsTheLink_andIsGivenBack() {
        AtomicInteger givenBack = new AtomicInteger();
        engine.dataLent(
                1,
                7,
                new Loan() {
                    @Override
                    public MemorySegment memory() {
                        return MemorySegment.ofArray(new byte[8]);
                    }

                    @Override
                    public boolean isScarce() {
                        return false;
                    }

                    @Override
                    public boolean begin() {
                        throw new AssertionError("nobody reads it");
                    }

                    @Override
                    public boolean end() {
                        throw new AssertionError("nobody reads it");
                    }

                    @Override
                    public void giveBack() {
                        givenBack.incrementAndGet();
                    }
                },
                world.now());
        assertThat(givenBack).hasValue(1);
        assertThat(verdict()).contains("broke the protocol").contains("answers no grant");
    }

    /** Two pieces that go over several tensors each, and so wait in scratch memory until they are unpacked. */
    @Test
    void packedPieces_answeredTheOtherWayRound_endTheLink_andGiveTheirMemoryBack() {
        beginAnew();
        List<Tensor> small = Stream.generate(() -> Tensor.allocate(DType.INT8, PACKED))
                .limit(4L * EngineLimits.DEFAULT.pieceBytes() / PACKED)
                .toList();
        world.collective(0, "", new AllReduce(small, small, ReduceOp.SUM), LONG);
        Frame.Open open = openedByBoth();
        takes(new Frame.Announce(open.call(), Frame.Edge.toBeGranted(1, 2L * EngineLimits.DEFAULT.pieceBytes())));
        world.turn(0);
        assertThat(engine.scratchBytes()).isPositive();
        List<Frame.Grant> granted = world.link(0, 1).sent(Frame.Grant.class);
        engine.dataStart(1, granted.getLast().grant(), granted.getLast().count());
        engine.dataEnd(1, granted.getLast().grant(), world.now());

        assertThat(engine.scratchBytes()).isZero();
        assertThat(verdict()).contains("broke the protocol");
    }

    @Test
    void bytesTakenThatWereNotSent_endTheLink() {
        takes(new Frame.Taken(1));
        assertThat(verdict()).contains("broke the protocol").contains("took what it was not sent");
    }

    @Test
    void bytesTaken_thatBecomeFewer_endTheLink() {
        beginAnew();
        Tensor tensor = Tensor.allocate(DType.INT8, 100);
        world.allReduce(0, "", tensor, tensor, ReduceOp.SUM, LONG);
        takes(new Frame.Taken(100));
        assertThat(verdict()).isNull();
        takes(new Frame.Taken(99));
        assertThat(verdictAgain()).contains("broke the protocol").contains("took what it was not sent");
    }

    /** As {@link #verdict}, once more. */
    private String verdictAgain() {
        EngineWorld.End end = world.barrier(0, "again", LONG);
        world.turn(0);
        return end.isThere() ? end.whyNot().text() : null;
    }

    /** A world of the usual limits. */
    private void beginAnew() {
        world.close();
        world = new EngineWorld(2, EngineLimits.DEFAULT, 1);
        engine = world.engines.getFirst();
    }

    /** The peer opens the only call of rank 0, with nothing to announce. {@return the opening of rank 0} */
    private Frame.Open openedByBoth() {
        Frame.Open open = (Frame.Open) world.link(0, 1).onTheWay().getFirst();
        takes(new Frame.Open(
                open.key(), 7, open.call(), open.signature(), open.incoming(), open.outgoing(), 0, List.of()));
        world.turn(0);
        return open;
    }

    /** Rank 0 has announced {@link #COUNT} elements of two tensors, which it would have to pack. {@return its opening} */
    private Frame.Open announced() {
        beginAnew();
        List<Tensor> inputs = new ArrayList<>();
        List<Tensor> outputs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            inputs.add(Tensor.allocate(DType.INT8, COUNT / 2));
            outputs.add(Tensor.allocate(DType.INT8, COUNT));
        }
        AllGatherCoalesced call = new AllGatherCoalesced(inputs, outputs);
        ScheduledCollective scheduled = ScheduledCollective.of(
                call, DType.INT8, new DirectAllGather().schedule(Place.of(call, 0, Layout.apart(2))), 2);
        world.collective(0, "", new Submission.Body.Valid(call, call.signature(), List.of(scheduled)), LONG);
        return openedByBoth();
    }

    private long dataOnTheWay() {
        return world.link(0, 1).onTheWay().stream()
                .filter(Frame.Data.class::isInstance)
                .count();
    }

    @Test
    void grantOfTheLongestPiece_isAnsweredWithIt() {
        Frame.Open open = announced();
        takes(new Frame.Grant(open.call(), 0, 0, EngineLimits.DEFAULT.bulkBytes(), 1));
        world.turn(0);
        assertThat(dataOnTheWay()).isEqualTo(1);
        assertThat(verdict()).isNull();
    }

    /** Longer than any piece; beyond the announced; from before the beginning; of nothing; of an edge that is not there. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 1048577",
        "0, 3145700, 33",
        "0, -1, 8",
        "0, 0, 0",
        "0, 0, -5",
        "0, 9223372036854775807, 8",
        "1, 0, 8",
        "-1, 0, 8"
    })
    void grant_thatNoRankWouldGive_endsTheLink_andNothingIsSent(int edge, long from, int count) {
        Frame.Open open = announced();
        takes(new Frame.Grant(open.call(), edge, from, count, 1));
        world.turn(0);
        assertThat(dataOnTheWay()).isZero();
        assertThat(engine.liveCalls()).isZero();
        assertThat(verdict()).contains("broke the protocol").contains("grant");
    }

    /** Rank 0 reduces with a peer that has opened and asked for nothing: it has asked for what the peer will make. {@return its opening} */
    private Frame.Open reducing() {
        beginAnew();
        Tensor tensor = Tensor.allocate(DType.INT8, 2 * COUNT);
        world.allReduce(0, "", tensor, tensor, ReduceOp.SUM, LONG);
        return openedByBoth();
    }

    @Test
    void grants_ofWhatIsNotReady_aboveTheirLimit_endTheLink() {
        Frame.Open open = reducing();
        for (int i = 0; i < PathTuning.MOST_AHEAD; i++) {
            takes(new Frame.Grant(open.call(), 1, i, 1, 1 + i));
        }
        assertThat(engine.liveCalls()).isEqualTo(1);
        takes(new Frame.Grant(open.call(), 1, PathTuning.MOST_AHEAD, 1, 1 + PathTuning.MOST_AHEAD));
        assertThat(engine.liveCalls()).isZero();
        assertThat(verdict()).contains("broke the protocol").contains("too many grants");
    }

    @Test
    void laterPiece_beforeAnEarlierOne_endsTheLink() {
        reducing();
        int piece = EngineLimits.DEFAULT.pieceBytes();
        Frame.Grant second = world.link(0, 1).onTheWay().stream()
                .filter(Frame.Grant.class::isInstance)
                .map(Frame.Grant.class::cast)
                .filter(grant -> grant.from() == piece)
                .findFirst()
                .orElseThrow();
        engine.dataStart(1, second.grant(), piece);
        engine.dataEnd(1, second.grant(), world.now());
        assertThat(engine.liveCalls()).isZero();
        assertThat(verdict()).contains("broke the protocol").contains("before an earlier one");
    }

    @Test
    void grant_beforeBothHaveOpened_endsTheLink_andNothingIsSent() {
        Tensor tensor = Tensor.allocate(DType.INT8, 2 * COUNT);
        world.allReduce(0, "", tensor, tensor, ReduceOp.SUM, LONG);
        Frame.Open open = (Frame.Open) world.link(0, 1).onTheWay().getFirst();
        takes(new Frame.Grant(open.call(), 0, 0, limits.pieceBytes(), 1));
        world.turn(0);
        assertThat(dataOnTheWay()).isZero();
        assertThat(verdict()).contains("broke the protocol").contains("not open on both sides");
    }

    @Test
    void longOperand_thatComesUnasked_endsTheLink() {
        Frame.Open open = reducing();
        takes(new Frame.Announce(open.call(), new Frame.Edge(0, COUNT, MemorySegment.ofArray(new byte[COUNT]))));
        assertThat(engine.scratchBytes()).isZero();
        assertThat(verdict()).contains("broke the protocol").contains("does not fit its edge");
    }

    @Test
    void announcement_thatBringsWhatWasAskedFor_endsTheLink() {
        Frame.Open open = reducing();
        assertThat(world.link(0, 1).onTheWay())
                .filteredOn(Frame.Grant.class::isInstance)
                .hasSize(EngineLimits.DEFAULT.windowBytes() / EngineLimits.DEFAULT.pieceBytes());
        takes(new Frame.Announce(open.call(), new Frame.Edge(1, COUNT, MemorySegment.ofArray(new byte[COUNT]))));
        assertThat(engine.liveCalls()).isZero();
        assertThat(verdict()).contains("broke the protocol").contains("asked for");
    }

    @Test
    void grants_thatAskTwiceForTheSame_endTheLink() {
        Frame.Open open = announced();
        int piece = EngineLimits.DEFAULT.bulkBytes();
        for (int i = 0; i < 3; i++) {
            takes(new Frame.Grant(open.call(), 0, 0, piece, 1 + i));
        }
        assertThat(engine.liveCalls()).isEqualTo(1);
        takes(new Frame.Grant(open.call(), 0, 0, piece, 9));
        assertThat(engine.liveCalls()).isZero();
        assertThat(verdict()).contains("broke the protocol").contains("does not fit its edge");
    }
}
