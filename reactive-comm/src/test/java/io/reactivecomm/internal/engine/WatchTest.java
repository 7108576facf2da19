package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.MonitoredBarrier;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.PeerNews;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that wait, in virtual time: when the others are asked, what is said, and when a deadline strikes. */
class WatchTest {

    private static final Duration DEFAULT = Duration.ofMinutes(10);

    private final EngineWorld world = new EngineWorld(4, EngineLimits.DEFAULT, 1);

    @AfterEach
    void close() {
        world.close();
    }

    private EngineWorld.End reduce(int rank, String name, Duration timeout) {
        Tensor tensor = Tensor.of(new float[] {rank, 1});
        return world.allReduce(rank, name, tensor, tensor, ReduceOp.SUM, timeout);
    }

    @Test
    void call_waitingForFiveSeconds_isWarnedOfByName() {
        for (int rank = 0; rank < 3; rank++) {
            reduce(rank, "layer1.weight", DEFAULT);
        }
        reduce(3, "layer2.weight", DEFAULT);
        world.pass(Duration.ofSeconds(5).minusNanos(1));
        assertThat(world.warnings).allMatch(List::isEmpty);

        world.pass(Duration.ofNanos(1));

        assertThat(world.warnings.get(0))
                .singleElement()
                .asString()
                .startsWith("all-reduce is waiting: rank=0, missing=[3], call=layer1.weight#0, waited=5 s")
                .contains("rank 3 last issued all-reduce(FLOAT32 × 2, SUM) layer2.weight#0")
                .endsWith("it fails 600 s after it began");
        assertThat(world.warnings.get(3)).singleElement().asString().contains("missing=[0, 1, 2]", "layer2.weight#0");
    }

    /** The program has every call. */
    private record HasAll() implements ProgramCalls {

        @Override
        public boolean isUnclaimed(CallKey.Ticket key) {
            return true;
        }
    }

    @Test
    void call_thatARankHasAssembledAndNotSubscribedTo_isToldSo() {
        world.groups.get(3).assembledBy(new HasAll());
        List<EngineWorld.End> ends = List.of(reduce(0, "x", DEFAULT), reduce(1, "x", DEFAULT), reduce(2, "x", DEFAULT));
        world.pass(Duration.ofSeconds(5));
        assertThat(world.warnings.get(0))
                .singleElement()
                .asString()
                .contains("missing=[3]", "rank 3 has assembled x#0 and not subscribed to it, and last issued nothing");

        world.pass(DEFAULT);

        assertThat(ends.getFirst().whyNot().missing()).containsExactly(3);
        assertThat(ends.getFirst().whyNot().text())
                .contains("rank 3 has assembled x#0 and not subscribed to it, and last issued nothing");
    }

    /** As two ranks do that subscribe to the same calls through flatMap, from both ends. */
    @Test
    void calls_inOppositeOrders_areWarnedOfOnce_andTheTimeoutSaysWhy() {
        Duration timeout = Duration.ofSeconds(12);
        List<EngineWorld.End> ends = new ArrayList<>();
        for (int call = 0; call < 100; call++) {
            for (int rank = 0; rank < 4; rank++) {
                EngineWorld.End end = reduce(rank, rank == 1 ? "last" + call : "first" + call, timeout);
                if (rank == 0) {
                    ends.add(end);
                }
            }
        }
        world.pass(Duration.ofSeconds(5));
        assertThat(world.warnings.get(0))
                .singleElement()
                .asString()
                .contains(
                        "missing=[1], call=first0#0",
                        "rank 1 waits in 100 other calls of this group, the first is last0#0",
                        "99 more calls of this group wait");
        world.pass(Duration.ofSeconds(5));
        assertThat(world.warnings.get(0)).hasSize(2);
        world.pass(Duration.ofSeconds(2));
        assertThat(ends)
                .allSatisfy(end -> assertThat(end.whyNot().text())
                        .contains(
                                "missing=[1]",
                                "rank 1 waits in 100 other calls of this group",
                                "flatMap subscribes to 256 at a time",
                                "concurrency")
                        .doesNotContain("is alive"));
    }

    /** Whoever takes what becomes of a run, and has no use for it. */
    private record Ignored() implements Composite.Sink {

        @Override
        public void left(@Nullable Failure cause) {}

        @Override
        public void stopped(Failure cause) {}

        @Override
        public void ended(@Nullable Failure cause) {}
    }

    @Test
    void composite_thatARankHasAssembledAndNotSubscribedTo_isToldOfToThoseWhoWaitInIt() {
        world.groups.get(3).assembledBy(new HasAll());
        CallKey.Ticket key = new CallKey.Ticket(0, 0, "exchange", 4, 1);
        for (int rank = 0; rank < 3; rank++) {
            Composite run = new Composite(
                    world.groups.get(rank), key, null, "exchange", world.now(), Composite.NO_DEADLINE, new Ignored());
            world.engines.get(rank).begin(run, world.now());
            world.within(
                    run,
                    rank,
                    new Submission.Address.Collectively(new CallKey.Ticket(0, 0, "", 0, 1, run.enclosure())),
                    new Barrier());
        }
        world.pass(Duration.ofSeconds(5));
        assertThat(world.warnings.get(0))
                .singleElement()
                .asString()
                .contains("call=exchange#4/#0", "rank 3 has assembled exchange#4 and not subscribed to it");
    }

    @Test
    void call_thatIsSubscribedToAfterThat_isMissedNoMore() {
        world.groups.get(3).assembledBy(new HasAll());
        EngineWorld.End first = reduce(0, "x", DEFAULT);
        reduce(1, "x", DEFAULT);
        world.pass(Duration.ofSeconds(5));
        reduce(3, "x", DEFAULT);
        world.pass(DEFAULT);
        assertThat(first.whyNot().missing()).containsExactly(2);
    }

    /** Hundreds of large calls may be under way in good order: one line tells that they are slow. */
    @Test
    void calls_thatAllHaveIssued_areWarnedOfOnceEachInterval() {
        world.link(2, 3).hold(true);
        for (int call = 0; call < 40; call++) {
            for (int rank = 0; rank < 4; rank++) {
                world.barrier(rank, "layer" + call, DEFAULT);
            }
        }

        world.pass(Duration.ofSeconds(9));

        assertThat(world.warnings.get(1)).singleElement().asString().contains("missing=[]");
        world.pass(Duration.ofSeconds(3));
        assertThat(world.warnings.get(1)).hasSize(2).last().asString().contains("39 more such warnings were left out");
    }

    /** The question was asked because the call waited, and the answer is older than the dispute. */
    @Test
    void call_thatARankHadNotIssuedWhenAsked_isNamedInADisputeThatComesLater() {
        EngineWorld.End first = reduce(0, "x", DEFAULT);
        reduce(1, "x", DEFAULT);
        world.link(3, 0).hold(true);
        world.pass(Duration.ofSeconds(5));
        world.barrier(3, "x", DEFAULT);
        world.barrier(2, "x", DEFAULT);
        world.settle();
        assertThat(first.isThere()).isFalse();

        world.link(3, 0).hold(false);
        world.settle();

        assertThat(first.whyNot().text()).contains("rank 2 called barrier()", "rank 3 called barrier()");
    }

    @Test
    void call_thatARankNeverIssues_failsOnAllAtTheDeadline() {
        List<EngineWorld.End> ends = List.of(reduce(0, "x", DEFAULT), reduce(1, "x", DEFAULT), reduce(2, "x", DEFAULT));
        long begun = world.now();
        world.pass(DEFAULT.minusNanos(1));
        assertThat(ends).noneMatch(EngineWorld.End::isThere);

        world.pass(Duration.ofNanos(1));

        for (EngineWorld.End end : ends) {
            assertThat(end.at - begun).isEqualTo(DEFAULT.toNanos());
            assertThat(end.whyNot().kind()).isEqualTo(Failure.Kind.TIMEOUT);
            assertThat(end.whyNot().missing()).containsExactly(3);
            assertThat(end.whyNot().text())
                    .contains("missing=[3], worldSize=4, call=x#0, waited=600 s")
                    .contains("check that rank 3 is alive and issues this call, or raise the timeout");
        }
        EngineWorld.End late = reduce(3, "x", DEFAULT);
        assertThat(ends)
                .extracting(EngineWorld.End::whyNot)
                .as("at once, without a word on the links")
                .contains(late.whyNot());
    }

    @Test
    void deadlines_ofDifferentLengths_strikeInTheirOrderAndSpareTheOthers() {
        EngineWorld.End slow = reduce(0, "slow", Duration.ofSeconds(30));
        EngineWorld.End quick = reduce(0, "quick", Duration.ofSeconds(2));
        EngineWorld.End middle = reduce(0, "middle", Duration.ofSeconds(10));
        long begun = world.now();

        world.pass(Duration.ofSeconds(12));

        assertThat(quick.at - begun).isEqualTo(Duration.ofSeconds(2).toNanos());
        assertThat(middle.at - begun).isEqualTo(Duration.ofSeconds(10).toNanos());
        assertThat(slow.isThere()).isFalse();
        for (int rank = 1; rank < 4; rank++) {
            reduce(rank, "slow", DEFAULT);
        }
        world.settle();
        assertThat(slow.work).isNotNull();
        assertThat(world.engines).allMatch(engine -> engine.nextDeadline() == Long.MAX_VALUE);
    }

    @Test
    void rank_thatIsSilent_isMissingAndNamed() {
        reduce(3, "x", DEFAULT);
        world.settle();
        for (int rank = 0; rank < 3; rank++) {
            world.link(3, rank).hold(true);
        }
        EngineWorld.End end = reduce(0, "y", Duration.ofSeconds(20));
        reduce(1, "y", Duration.ofSeconds(30));
        reduce(2, "y", Duration.ofSeconds(30));

        world.pass(Duration.ofSeconds(20));

        assertThat(end.whyNot().missing()).containsExactly(3);
        assertThat(end.whyNot().text()).contains("rank 3 does not answer");
        assertThat(world.warnings.get(0)).anySatisfy(text -> assertThat(text).contains("no answer from [3]"));
    }

    @Test
    void dispute_withAllAnswers_isSettledAtOnce() {
        EngineWorld.End odd = world.barrier(2, "x", DEFAULT);
        List<EngineWorld.End> others =
                List.of(reduce(0, "x", DEFAULT), reduce(1, "x", DEFAULT), reduce(3, "x", DEFAULT));
        long begun = world.now();

        world.settle();

        for (EngineWorld.End end : List.of(odd, others.get(0), others.get(1), others.get(2))) {
            assertThat(end.whyNot().kind()).isEqualTo(Failure.Kind.MISMATCH);
            assertThat(end.whyNot().culprit()).isEqualTo(2);
            assertThat(end.whyNot().text())
                    .contains("call=x#0, rank 0 called all-reduce(FLOAT32 × 2, SUM) by gather-fold,"
                            + " rank 1 called all-reduce(FLOAT32 × 2, SUM) by gather-fold, rank 2 called barrier() by dissemination,"
                            + " rank 3 called all-reduce(FLOAT32 × 2, SUM) by gather-fold");
            assertThat(end.at).isEqualTo(begun);
        }
    }

    @Test
    void dispute_withARankThatHasNotIssuedTheCall_saysSo_andItIsToldLater() {
        world.barrier(2, "x", DEFAULT);
        EngineWorld.End end = reduce(0, "x", DEFAULT);
        world.settle();

        assertThat(end.whyNot().text()).contains("rank 1 has not issued it").contains("rank 3 has not issued it");
        // What it calls it knows better than those who asked before.
        assertThat(reduce(1, "x", DEFAULT).whyNot().text())
                .isEqualTo(end.whyNot()
                        .text()
                        .replace(
                                "rank 1 has not issued it",
                                "rank 1 called all-reduce(FLOAT32 × 2, SUM) by gather-fold"));
    }

    private void hold(int rank, boolean isHeld) {
        for (int other = 0; other < 4; other++) {
            if (other != rank) {
                world.link(rank, other).hold(isHeld);
            }
        }
    }

    /** As a JVM does in which the first call loads classes. */
    @Test
    void dispute_withARankThatAnswersLate_waitsForItsAnswer() {
        EngineWorld.End late = reduce(3, "x", DEFAULT);
        hold(3, true);
        EngineWorld.End odd = world.barrier(2, "x", DEFAULT);
        EngineWorld.End end = reduce(0, "x", DEFAULT);
        world.pass(Duration.ofMillis(1500));
        assertThat(end.isThere()).isFalse();
        hold(3, false);
        world.settle();

        assertThat(end.whyNot().text())
                .contains("rank 2 called barrier", "rank 3 called all-reduce")
                .doesNotContain("did not answer");
        assertThat(odd.whyNot()).isEqualTo(end.whyNot());
        assertThat(late.whyNot()).isEqualTo(end.whyNot());
    }

    @Test
    void dispute_withARankWhoseLoopIsHeldUp_waitsForItNoLonger() {
        EngineWorld.End late = reduce(3, "x", DEFAULT);
        hold(3, true);
        world.barrier(2, "x", DEFAULT);
        EngineWorld.End end = reduce(0, "x", DEFAULT);
        world.settle();
        assertThat(end.isThere()).isFalse();
        world.engines
                .getFirst()
                .news(new PeerNews.HeldUp(3, Duration.ofSeconds(1).toNanos(), "Foo.bar:1"), world.now());
        world.turn(0);
        world.settle();
        assertThat(end.whyNot().text()).contains("rank 3 did not answer");

        hold(3, false);
        world.settle();
        assertThat(late.whyNot().text())
                .as("its own call")
                .contains("rank 3 called all-reduce")
                .doesNotContain("did not answer");
    }

    @Test
    void dispute_withASilentRank_isSettledAfterItsTime() {
        hold(3, true);
        EngineWorld.End odd = world.barrier(2, "x", DEFAULT);
        EngineWorld.End end = reduce(0, "x", DEFAULT);
        reduce(3, "x", DEFAULT);
        long begun = world.now();

        world.pass(Duration.ofSeconds(3));

        assertThat(end.at - begun).isEqualTo(EngineLimits.DEFAULT.disputeNanos());
        assertThat(end.whyNot().text()).contains("rank 3 did not answer");
        assertThat(odd.whyNot()).isEqualTo(end.whyNot());
    }

    @Test
    void disputes_seenByAllAtOnce_haveOneVerdict() {
        List<EngineWorld.End> ends = List.of(
                reduce(0, "x", DEFAULT),
                world.barrier(1, "x", DEFAULT),
                reduce(2, "x", DEFAULT),
                world.barrier(3, "x", DEFAULT));
        world.settle();

        assertThat(ends)
                .extracting(EngineWorld.End::whyNot)
                .containsOnly(ends.getFirst().whyNot());
    }

    /** Rank 2 has said that it has not issued the call, and then issues it: when rank 1 gives up, only rank 3 is missing. */
    @Test
    void rank_thatComesLate_isNotMissing() {
        world.collective(0, "x", new MonitoredBarrier(true), Duration.ofSeconds(3));
        EngineWorld.End first = world.collective(1, "x", new MonitoredBarrier(true), Duration.ofSeconds(2));
        world.pass(Duration.ofMillis(1500));
        world.collective(2, "x", new MonitoredBarrier(true), Duration.ofSeconds(2));
        world.pass(Duration.ofSeconds(1));

        assertThat(first.whyNot().missing()).containsExactly(3);
    }
}
