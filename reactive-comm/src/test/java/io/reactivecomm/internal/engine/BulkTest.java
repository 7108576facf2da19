package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllToAll;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Reduce;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.flat.PairwiseAllToAll;
import io.reactivecomm.internal.schedule.flat.PipelinedChainBroadcast;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.link.Frame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The longer pieces of bytes that lie ready and only have to be moved, where the link asks for them. */
class BulkTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int PIECE = EngineLimits.DEFAULT.pieceBytes() / Integer.BYTES;
    private static final int BULK = EngineLimits.DEFAULT.bulkBytes() / Integer.BYTES;

    private EngineWorld world = world(0);

    @AfterEach
    void close() {
        world.close();
    }

    private static EngineWorld world(int bulkBytes) {
        return new EngineWorld(
                3,
                EngineLimits.DEFAULT,
                3,
                link -> link.wantWindow(EngineLimits.DEFAULT.windowBytes() / 2).wantBulk(bulkBytes));
    }

    private void wantBulk(int bytes) {
        world.close();
        world = world(bytes);
    }

    private static Tensor counting(int count) {
        return Tensor.of(IntStream.range(0, count).toArray());
    }

    private Tensor message(Tensor sent) {
        Tensor received = Tensor.of(new int[Math.toIntExact(sent.count())]);
        EngineWorld.End end = world.receive(1, 0, 0, received, LONG);
        world.send(0, 1, 0, sent, LONG);
        world.settle();
        assertThat(end.work).isNotNull();
        return received;
    }

    private List<Integer> asked(int rank, int peer) {
        return world.link(rank, peer).sent(Frame.Grant.class).stream()
                .map(Frame.Grant::count)
                .toList();
    }

    @Test
    void message_overALinkThatAsksForMore_comesInLongPiecesTwoAtATime() {
        wantBulk(Integer.MAX_VALUE);
        Tensor sent = counting(3 * BULK + 5);

        assertThat(message(sent).toIntArray()).isEqualTo(sent.toIntArray());
        assertThat(asked(1, 0)).containsExactly(BULK, BULK, BULK, 5);
        assertThat(world.peakBytesInFlight()).isEqualTo(EngineLimits.DEFAULT.largestWindowBytes());
    }

    /** With a window that is calculated from the next piece alone, a short one would wait until all longer ones are here. */
    @Test
    void piecesOfAnyLength_areUnderWayTogether() {
        wantBulk(Integer.MAX_VALUE);
        world.link(0, 1).hold(true);
        Tensor received = Tensor.of(new int[BULK + BULK / 2]);
        Tensor next = Tensor.of(new int[BULK / 2]);
        world.receive(1, 0, 0, received, LONG);
        world.receive(1, 0, 1, next, LONG);
        EngineWorld.End first = world.send(0, 1, 0, counting(BULK + BULK / 2), LONG);
        EngineWorld.End second = world.send(0, 1, 1, counting(BULK / 2), LONG);
        world.settle();
        world.link(0, 1).hold(false);
        world.link(0, 1).deliver();
        world.link(0, 1).deliver();

        assertThat(asked(1, 0)).containsExactly(BULK, BULK / 2, BULK / 2);
        assertThat(world.link(0, 1).sent(Frame.Data.class)).isEmpty();
        world.settle();
        assertThat(first.work).isNotNull();
        assertThat(second.work).isNotNull();
        assertThat(next.toIntArray()).isEqualTo(counting(BULK / 2).toIntArray());
    }

    /** What is asked for of a fold, whose turn it is, does not wait until all that was asked for in bulk is here. */
    @Test
    void fold_behindBulk_hasAWindowOfItsOwn() {
        wantBulk(Integer.MAX_VALUE);
        Tensor message = Tensor.of(new int[2 * BULK]);
        world.receive(1, 0, 0, message, LONG);
        world.send(0, 1, 0, counting(2 * BULK), LONG);
        world.link(0, 1).deliver();
        world.link(1, 0).hold(true);
        for (int rank = 0; rank < 3; rank++) {
            world.collective(rank, "", new Reduce(counting(12 * BULK), 1, ReduceOp.SUM), LONG);
        }
        world.settle();

        assertThat(asked(1, 0)).containsExactly(BULK, BULK, PIECE, PIECE);
        world.link(1, 0).hold(false);
        world.settle();
        assertThat(message.toIntArray()).isEqualTo(counting(2 * BULK).toIntArray());
    }

    /** The second round of a pairwise exchange waits for the whole of the first: nobody uses a part. Its own pieces are asked for ahead. */
    @Test
    void round_thatIsFollowedAsAWhole_comesInLongPieces() {
        wantBulk(Integer.MAX_VALUE);
        List<EngineWorld.End> ends = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            AllToAll call = new AllToAll(counting(3 * BULK), Tensor.of(new int[3 * BULK]));
            Schedule pairwise = new PairwiseAllToAll().schedule(Place.of(call, rank, Layout.apart(3)));
            ends.add(world.collective(rank, "", new Submission.Body.Valid(call, pairwise, 3), LONG));
        }
        world.settle();

        assertThat(ends).allSatisfy(end -> assertThat(end.work).isNotNull());
        assertThat(asked(1, 0)).containsExactly(BULK);
    }

    @Test
    void message_overAnotherLink_comesInUsualPieces() {
        message(counting(2 * BULK));

        assertThat(asked(1, 0)).containsOnly(PIECE);
        assertThat(world.peakBytesInFlight()).isEqualTo(EngineLimits.DEFAULT.windowBytes() / 2);
    }

    @Test
    void message_overALinkThatAsksForLittleMore_comesInPiecesOfThatLength() {
        wantBulk(EngineLimits.DEFAULT.pieceBytes() + 40);
        message(counting(4 * PIECE));

        assertThat(asked(1, 0)).startsWith(PIECE + 10, PIECE + 10, PIECE + 10);
    }

    /** Rank 0 sends to 1, and 1 to 2 while it receives: in long pieces the last would wait for the first of them to be whole. */
    @Test
    void broadcast_thatIsPassedOn_comesInUsualPieces() {
        wantBulk(Integer.MAX_VALUE);
        List<Tensor> tensors = List.of(counting(4 * BULK), Tensor.of(new int[4 * BULK]), Tensor.of(new int[4 * BULK]));
        List<EngineWorld.End> ends = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            Broadcast call = new Broadcast(tensors.get(rank), 0);
            Schedule chain = new PipelinedChainBroadcast().schedule(Place.of(call, rank, Layout.apart(3)));
            ends.add(world.collective(rank, "", new Submission.Body.Valid(call, chain, 3), LONG));
        }
        world.settle();

        assertThat(ends).allSatisfy(end -> assertThat(end.work).isNotNull());
        assertThat(asked(1, 0)).isNotEmpty().containsOnly(PIECE);
        assertThat(tensors.getLast().toIntArray()).isEqualTo(tensors.getFirst().toIntArray());
    }

    @Test
    void results_thatAreStillMade_comeInUsualPieces() {
        wantBulk(Integer.MAX_VALUE);
        for (int rank = 0; rank < 3; rank++) {
            Tensor tensor = counting(12 * BULK);
            world.allReduce(rank, "", tensor, tensor, ReduceOp.SUM, LONG);
        }
        world.settle();

        assertThat(asked(1, 0)).isNotEmpty().allMatch(count -> count <= PIECE);
    }
}
