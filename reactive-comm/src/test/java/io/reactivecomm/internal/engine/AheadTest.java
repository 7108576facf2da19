package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.flat.RankOrderAllReduce;
import io.reactivecomm.internal.schedule.hosts.HierarchicalChainAllReduce;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.internal.transfer.PathTuning;
import io.reactivecomm.internal.transfer.ScheduledCollective;
import io.reactivecomm.spi.link.Frame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests made ahead of what they are for: half the result of an all-reduce, which the peer is still to fold. */
class AheadTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final int PIECE = EngineLimits.DEFAULT.pieceBytes() / Integer.BYTES;

    private final EngineWorld world = new EngineWorld(2, EngineLimits.DEFAULT, 3);

    @AfterEach
    void close() {
        world.close();
    }

    private static Tensor filled(int count, int value) {
        int[] values = new int[count];
        Arrays.fill(values, value);
        return Tensor.of(values);
    }

    private EngineWorld.End allReduce(int rank, Tensor tensor, Duration timeout) {
        return world.allReduce(rank, "", tensor, tensor, ReduceOp.SUM, timeout);
    }

    private List<Long> granted(int rank) {
        return world.link(rank, 1 - rank).sent(Frame.Grant.class).stream()
                .map(Frame.Grant::grant)
                .toList();
    }

    private Stream<Long> withdrawn(int rank) {
        return world.link(rank, 1 - rank).sent(Frame.Withdrawn.class).stream().map(Frame.Withdrawn::grant);
    }

    private List<Long> answered(int rank) {
        Stream<Long> data =
                world.link(rank, 1 - rank).sent(Frame.Data.class).stream().map(Frame.Data::grant);
        return Stream.concat(data, withdrawn(rank)).toList();
    }

    @Test
    void result_ofFewPieces_comesWithoutBeingAnnounced() {
        Tensor here = filled(4 * PIECE, 1);
        Tensor there = filled(4 * PIECE, 2);
        EngineWorld.End end = allReduce(0, here, LONG);
        allReduce(1, there, LONG);
        world.settle();

        assertThat(end.work).isNotNull();
        assertThat(here.toIntArray()).containsOnly(3);
        assertThat(there.toIntArray()).containsOnly(3);
        for (int rank = 0; rank < 2; rank++) {
            assertThat(world.link(rank, 1 - rank).sent(Frame.Announce.class)).isEmpty();
            assertThat(granted(rank))
                    .as("two pieces of the operand and two of the result")
                    .hasSize(4);
        }
    }

    private EngineWorld.End alongHosts(int rank, Tensor tensor) {
        AllReduce call = new AllReduce(tensor, tensor, ReduceOp.SUM);
        Schedule chain = new HierarchicalChainAllReduce().schedule(Place.of(call, rank, Layout.apart(2)));
        return world.collective(rank, "", new Submission.Body.Valid(call, chain, 2), LONG);
    }

    /** A chain of hosts has pieces shorter than usual: what is asked for ahead is as many bytes, or it would wait for announcements after all. */
    @Test
    void result_ofShortPieces_comesWithoutBeingAnnounced() {
        List<Tensor> tensors = List.of(filled(4 * PIECE, 1), filled(4 * PIECE, 2));
        List<EngineWorld.End> ends = List.of(alongHosts(0, tensors.getFirst()), alongHosts(1, tensors.getLast()));
        world.settle();

        assertThat(ends).allSatisfy(end -> assertThat(end.work).isNotNull());
        assertThat(tensors).allSatisfy(tensor -> assertThat(tensor.toIntArray()).containsOnly(3));
        assertThat(granted(0))
                .as("pieces of the result")
                .hasSizeGreaterThan(EngineLimits.DEFAULT.windowBytes() / PIECE / Integer.BYTES);
        assertThat(world.link(1, 0).sent(Frame.Announce.class)).isEmpty();
    }

    /** Of a usual piece there are two and a half: a window holds ten, not four times two. */
    @Test
    void result_ofPiecesThatDoNotDivideUsualOnes_isAskedForUpToTheWindow() {
        alongHosts(0, filled(8 * PIECE, 1));
        alongHosts(1, filled(8 * PIECE, 2));
        world.link(1, 0).deliver();

        assertThat(granted(0)).hasSize(10);
        world.settle();
    }

    /** Two all-reduces as one call, of which the first takes all that may travel with announcements. */
    private EngineWorld.End twoAllReduces(int rank, List<Tensor> tensors) {
        List<ScheduledCollective> collectives = new ArrayList<>();
        for (Tensor tensor : tensors) {
            AllReduce each = new AllReduce(tensor, tensor, ReduceOp.SUM);
            Schedule schedule = new RankOrderAllReduce().schedule(Place.of(each, rank, Layout.apart(2)));
            collectives.add(ScheduledCollective.of(each, DType.INT32, schedule, 2));
        }
        AllReduce both = new AllReduce(tensors, tensors, ReduceOp.SUM);
        return world.collective(rank, "", new Submission.Body.Valid(both, both.signature(), collectives), LONG);
    }

    @Test
    void result_thatIsShortAndTooMuchForTheCall_comesWithoutBeingAnnounced() {
        int count = 2 * EngineLimits.DEFAULT.eagerBytes() / Integer.BYTES;
        List<Tensor> here = List.of(filled(count, 1), filled(count, 10));
        List<EngineWorld.End> ends =
                List.of(twoAllReduces(0, here), twoAllReduces(1, List.of(filled(count, 2), filled(count, 20))));
        world.settle();

        assertThat(ends).allSatisfy(end -> assertThat(end.work).isNotNull());
        assertThat(here.getFirst().toIntArray()).containsOnly(3);
        assertThat(here.getLast().toIntArray()).containsOnly(30);
        int lastResult = 3;
        for (int rank = 0; rank < 2; rank++) {
            assertThat(world.link(rank, 1 - rank).sent(Frame.Announce.class))
                    .noneMatch(news -> news.edge().edge() == lastResult);
            assertThat(world.link(rank, 1 - rank).sent(Frame.Grant.class))
                    .anyMatch(grant -> grant.edge() == lastResult);
        }
    }

    @Test
    void largeCalls_manyAtOnce_stayWithinBothWindows() {
        for (int rank = 0; rank < 2; rank++) {
            for (int i = 0; i < 20; i++) {
                Tensor tensor = filled(8 * PIECE, 1);
                world.allReduce(rank, "call-" + i, tensor, tensor, ReduceOp.SUM, LONG);
            }
        }
        world.settle();

        assertThat(world.peakBytesInFlight()).isEqualTo(EngineLimits.DEFAULT.windowBytes());
        assertThat(world.engines)
                .allSatisfy(engine -> assertThat(engine.liveCalls()).isZero());
    }

    @Test
    void result_ofManyPieces_isWholeOnBothRanks() {
        Tensor here = filled(33 * PIECE + 5, 1);
        Tensor there = filled(33 * PIECE + 5, 2);
        allReduce(0, here, LONG);
        allReduce(1, there, LONG);
        world.settle();

        assertThat(here.toIntArray()).containsOnly(3);
        assertThat(there.toIntArray()).containsOnly(3);
        assertThat(answered(0)).containsExactlyInAnyOrderElementsOf(granted(1));
        assertThat(answered(1)).containsExactlyInAnyOrderElementsOf(granted(0));
    }

    /** Rank 1's operand does not come, so rank 0 never makes what it was asked for. */
    @Test
    void failedCall_answersWhatItWasAskedForAhead() {
        EngineWorld.End failing = allReduce(0, filled(8 * PIECE, 1), SHORT);
        EngineWorld.End other = allReduce(1, filled(8 * PIECE, 2), LONG);
        QueuedLink toRank1 = world.link(0, 1);
        QueuedLink toRank0 = world.link(1, 0);
        toRank0.deliver();
        while (toRank1.isBusy()) {
            toRank1.deliver();
        }
        while (!(toRank0.onTheWay().getFirst() instanceof Frame.Data)) {
            toRank0.deliver();
        }
        toRank0.hold(true);
        world.pass(SHORT);

        assertThat(failing.whyNot().text()).contains("timeout");
        assertThat(withdrawn(0)).hasSizeGreaterThanOrEqualTo(PathTuning.USUALLY_AHEAD);

        toRank0.hold(false);
        world.settle();
        assertThat(other.isThere()).isTrue();
        assertThat(answered(0)).containsExactlyInAnyOrderElementsOf(granted(1));
        assertThat(answered(1)).containsExactlyInAnyOrderElementsOf(granted(0));
    }
}
