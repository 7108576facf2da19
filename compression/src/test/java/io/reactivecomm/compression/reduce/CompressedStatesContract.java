package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.Threshold;
import io.reactivecomm.compression.internal.state.NamedState;
import io.reactivecomm.compression.internal.state.StateHome;
import io.reactivecomm.compression.internal.state.StateShape;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The states of compressed all-reduces: which step ranks are at, and what was saved of them. */
abstract class CompressedStatesContract extends CompressedWorld {

    @Tag("smoke")
    @Test
    void rankThatIsAhead_goesBackByOne() {
        for (boolean feedsBack : new boolean[] {true, false}) {
            List<ProcessGroup> groups = world(2);
            CompressionOptions options = ONE_BIT.withFeedback(feedsBack);
            List<CompressedAllReduce> reductions = reductions(2, options);
            SequentialReduction expected = expected(options, DType.FLOAT32, 60, 2);
            requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
            // As if the last step had failed on rank 1 after it went well on rank 0.
            StateShape shape = new StateShape(
                    options.label(),
                    DType.FLOAT32,
                    60,
                    2,
                    0,
                    Passage.kept(Route.TWO_STEPS, new RankParts(60, 2), DType.FLOAT32));
            NamedState ahead = reductions.getFirst().state().take("x", shape, StateHome.HOST);
            ahead.filled().block(LIMIT);
            HostMoves.run(ahead.next().kept().stream().map(Move::zeros).toList());
            ahead.wentWell(ahead.latest().adapted());
            reductions.getFirst().state().giveBack("x", ahead);
            assertThat(reductions.getFirst().state().step("x")).isEqualTo(3);
            requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
            assertThat(reductions)
                    .allSatisfy(each -> assertThat(each.state().step("x")).isEqualTo(4));
        }
    }

    @Test
    void ranksThatAreFartherApart_areAnErrorOnAll() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        SequentialReduction expected = expected(ONE_BIT, DType.FLOAT32, 60, 2);
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
        reductions.get(1).state().reset("x");
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 60, 2, 9), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContainingAll("name=x", "steps by rank=[2, 0]", "reset"));
        reductions.get(0).state().reset();
        requireSteps(groups, reductions, expected(ONE_BIT, DType.FLOAT32, 60, 2), DType.FLOAT32, 60, ReduceOp.SUM, 1);
    }

    @Test
    void secondStepOfAName_besideTheFirst_isAnErrorOnAll() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        NamedState taken = reductions
                .getFirst()
                .state()
                .take(
                        "x",
                        new StateShape(
                                ONE_BIT.label(),
                                DType.FLOAT32,
                                60,
                                2,
                                0,
                                Passage.kept(Route.TWO_STEPS, new RankParts(60, 2), DType.FLOAT32)),
                        StateHome.HOST);
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 60, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContainingAll("one step at a time", "name=x"));
        reductions.getFirst().state().giveBack("x", taken);
        requireWell(step(groups, reductions, inputs(DType.FLOAT32, 60, 2, 7), ReduceOp.SUM));
    }

    @Test
    void stateOfOtherElements_isRefusedOnAll() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        requireWell(step(groups, reductions, inputs(DType.FLOAT32, 60, 2, 7), ReduceOp.SUM));
        assertThat(step(groups, reductions, inputs(DType.FLOAT32, 61, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(CommException.class)
                        .hasMessageContainingAll("other elements", "× 60", "× 61"));
    }

    @Test
    void snapshots_goOnWhereTheyWereTaken() {
        List<ProcessGroup> groups = world(2);
        for (CompressionOptions options : List.of(ONE_BIT, CompressionOptions.byGather(Threshold.usual()))) {
            List<CompressedAllReduce> reductions = reductions(2, options);
            SequentialReduction expected = expected(options, DType.BFLOAT16, 60, 2);
            requireSteps(groups, reductions, expected, DType.BFLOAT16, 60, ReduceOp.AVG, 3);
            List<CompressedAllReduce> others = reductions(2, options);
            for (int rank = 0; rank < 2; rank++) {
                byte[] saved = reductions.get(rank).state().snapshot().toBytes();
                others.get(rank).state().restore(CompressionSnapshot.of(saved));
                assertThat(others.get(rank).state().snapshot().toBytes()).isEqualTo(saved);
            }
            requireSteps(groups, others, expected, DType.BFLOAT16, 60, ReduceOp.AVG, 2);
            assertThat(others.getFirst().state().step("x")).isEqualTo(5);
        }
    }

    @Test
    void snapshotOfOtherRanks_keepsTheStep_andForgetsTheErrors() {
        List<CompressedAllReduce> two = reductions(2, ONE_BIT);
        requireSteps(world(2), two, expected(ONE_BIT, DType.FLOAT32, 60, 2), DType.FLOAT32, 60, ReduceOp.SUM, 3);
        List<CompressedAllReduce> three = reductions(3, ONE_BIT);
        for (int rank = 0; rank < 3; rank++) {
            three.get(rank).state().restore(two.get(rank % 2).state().snapshot());
        }
        requireSteps(world(3), three, expected(ONE_BIT, DType.FLOAT32, 60, 3), DType.FLOAT32, 60, ReduceOp.SUM, 1);
        assertThat(three).allSatisfy(each -> assertThat(each.state().step("x")).isEqualTo(4));
    }

    /** Or the next call would begin anew, without an error. */
    @Test
    void snapshot_staysRestored_whenACallIsRefused() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        SequentialReduction expected = expected(ONE_BIT, DType.FLOAT32, 60, 2);
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
        List<CompressedAllReduce> others = reductions(2, ONE_BIT);
        for (int rank = 0; rank < 2; rank++) {
            others.get(rank).state().restore(reductions.get(rank).state().snapshot());
        }
        assertThat(step(groups, others, inputs(DType.FLOAT32, 61, 2, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).hasMessageContaining("other elements"));
        requireSteps(groups, others, expected, DType.FLOAT32, 60, ReduceOp.SUM, 1);
        assertThat(others).allSatisfy(each -> assertThat(each.state().step("x")).isEqualTo(3));
    }

    /** Nothing has gone well with that number of elements. */
    @Test
    void firstCallThatFails_leavesNoState() {
        List<ProcessGroup> groups = world(2);
        List<CompressedAllReduce> reductions = reductions(2, ONE_BIT);
        List<Tensor> different = List.of(
                inputs(DType.FLOAT32, 60, 1, 7).getFirst(),
                inputs(DType.FLOAT32, 61, 1, 7).getFirst());
        assertThat(step(groups, reductions, different, ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(MismatchException.class));
        assertThat(reductions)
                .allSatisfy(each -> assertThat(each.state().names()).isEmpty());
        requireSteps(groups, reductions, expected(ONE_BIT, DType.FLOAT32, 61, 2), DType.FLOAT32, 61, ReduceOp.SUM, 1);
    }

    @Test
    void callOnOtherRanks_thatFails_leavesTheErrors() {
        List<ProcessGroup> groups = world(2);
        AtomicBoolean fails = new AtomicBoolean(false);
        CompressionOptions options = CompressionOptions.inTwoSteps(new FaultyCodec(at -> {
            if (fails.get()) {
                throw new IllegalStateException("planted");
            }
        }));
        List<CompressedAllReduce> reductions = reductions(2, options);
        SequentialReduction expected = expected(ONE_BIT, DType.FLOAT32, 60, 2);
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 2);
        fails.set(true);
        assertThat(step(world(1), reductions, inputs(DType.FLOAT32, 60, 1, 7), ReduceOp.SUM))
                .allSatisfy(end -> assertThat(end.error()).hasMessageContaining("planted"));
        fails.set(false);
        requireSteps(groups, reductions, expected, DType.FLOAT32, 60, ReduceOp.SUM, 1);
    }
}
