package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Composite calls in which ranks do different things, and of which they hear in an unlucky order: orders that the simulator has found. */
class CompositeDisputeTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final long SUB_GROUP = 7;
    private static final Failure CAUSE = new Failure(Failure.Kind.INVALID, 2, "the body failed");

    private final EngineLimits limits = LimitsTest.tight();
    private final EngineWorld world = new EngineWorld(4, EngineLimits.DEFAULT, 19);
    private final List<EngineWorld> more = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
        more.forEach(EngineWorld::close);
    }

    /** A run on one rank, and what has become of it. */
    private static final class Body extends RunEnd {

        private final EngineWorld world;
        private final int rank;
        private final Composite run;

        private Body(EngineWorld world, int rank, GroupState group, @Nullable Body outer, String operation) {
            this.world = world;
            this.rank = rank;
            CallKey.Ticket key =
                    new CallKey.Ticket(0, group.id(), "", 0, 1, outer == null ? null : outer.run.enclosure());
            this.run = new Composite(
                    group, key, outer == null ? null : outer.run, operation, world.now(), Composite.NO_DEADLINE, this);
            world.engines.get(rank).begin(run, world.now());
            world.turn(rank);
        }

        private EngineWorld.End call(Collective call) {
            return world.within(
                    run,
                    rank,
                    new Submission.Address.Collectively(new CallKey.Ticket(0, 0, "", 0, 1, run.enclosure())),
                    call);
        }

        private EngineWorld.End receive(int source) {
            return world.within(
                    run,
                    rank,
                    new Submission.Address.From("", 0, source),
                    new Receive(Tensor.of(new byte[3]), source, 0));
        }

        private void leave() {
            world.engines.get(rank).left(run, null, world.now());
            world.turn(rank);
        }

        private void fail() {
            world.engines.get(rank).failed(run, CAUSE, world.now());
            world.turn(rank);
        }
    }

    private Body begin(int rank) {
        return begin(rank, null, "runs");
    }

    private Body begin(int rank, @Nullable Body outer, String operation) {
        return new Body(world, rank, world.groups.get(rank), outer, operation);
    }

    private static AllReduce sum() {
        Tensor tensor = Tensor.of(new long[] {1});
        return new AllReduce(tensor, tensor, ReduceOp.SUM);
    }

    @Test
    void callInDispute_whoseCompositeFails_doesNotWaitForItsDeadline() {
        List<Body> bodies = IntStream.range(0, 4).mapToObj(this::begin).toList();
        List<EngineWorld.End> ends = new ArrayList<>(IntStream.range(0, 3)
                .mapToObj(rank -> bodies.get(rank).call(sum()))
                .toList());
        world.settle();
        ends.add(bodies.get(3).call(new Barrier()));

        bodies.get(3).fail();
        world.settle();

        assertThat(ends).allMatch(EngineWorld.End::isThere);
        assertThat(bodies).allMatch(body -> body.ended && CAUSE.equals(body.failure));
    }

    @Test
    void messageOfAComposite_inWhosePlaceACallHasFailedHere_isNotWaitedFor() {
        Body here = begin(0);
        Body there = begin(1);
        begin(1, there, "inner").receive(0);
        world.settle();
        world.link(0, 1).hold(true);
        EngineWorld.End instead = here.call(new Barrier());
        world.pass(LONG);
        assertThat(instead.whyNot().kind()).isEqualTo(Failure.Kind.TIMEOUT);

        here.leave();

        assertThat(here.ended).isTrue();
        assertThat(here.failure).isNull();
    }

    @Test
    void callOfAnInnerCompositeThatIsOver_isTold_thoughOuterOnesDiffer() {
        Body here = begin(0, null, "other");
        begin(0, here, "inner").leave();
        Body inner = begin(1, begin(1), "inner");
        EngineWorld.End more = inner.call(new Barrier());
        while (world.link(1, 0).isBusy()) {
            world.link(1, 0).deliver();
        }
        while (world.link(0, 1).isBusy()) {
            world.link(0, 1).deliver();
        }

        assertThat(more.whyNot().text()).startsWith("inner is over on a rank without a call that others made in it");
        here.leave();
        world.settle();
        assertThat(inner.failure).isEqualTo(more.failure);
        assertThat(here.stopped)
                .isNotNull()
                .satisfies(failure -> assertThat(failure.text()).contains("different calls under one identity"));
    }

    @Test
    void messageInACompositeWhoseGroupHasEnded_isNotWaitedFor() {
        List<GroupState> all = new ArrayList<>();
        for (int rank = 0; rank < 4; rank++) {
            GroupState group = new GroupState(SUB_GROUP, 0, List.of(0, 1, 2, 3), rank);
            world.engines.get(rank).register(group);
            all.add(group);
        }
        Body here = begin(0);
        Body inSubGroup = new Body(world, 1, all.get(1), begin(1), "inner");
        inSubGroup.receive(0);
        world.settle();
        world.engines.get(1).abort(all.get(1), "enough", world.now());
        world.turn(1);
        world.settle();

        here.leave();

        assertThat(here.ended).isTrue();
        assertThat(here.failure).isNull();
    }

    @Test
    void callThatAPeerMakesOtherwise_wasMade_thoughItHasEndedHere() {
        // Rank 3 opens its own call before it sees another's.
        IntStream.range(0, 3).forEach(rank -> world.link(rank, 3).hold(true));
        List<Body> bodies = IntStream.range(0, 4).mapToObj(this::begin).toList();
        List<EngineWorld.End> ends = IntStream.range(0, 3)
                .mapToObj(rank -> bodies.get(rank).call(new Broadcast(Tensor.of(new byte[3]), 0)))
                .toList();
        world.settle();
        assertThat(ends.getFirst().work).isNotNull();
        bodies.get(3).call(sum());
        world.settle();
        assertThat(world.engines.getFirst().parkedOpenings()).isPositive();

        bodies.getFirst().leave();
        IntStream.range(0, 3).forEach(rank -> world.link(rank, 3).hold(false));
        world.settle();

        assertThat(bodies.getFirst().ended).isTrue();
        assertThat(bodies.getFirst().failure).isNull();
        assertThat(world.engines.getFirst().parkedOpenings()).isZero();
    }

    @Test
    void receiver_hearsOfACompositesFailure_beforeThatOfAMessageInIt() {
        EngineWorld scarce = new EngineWorld(3, limits, 19);
        more.add(scarce);
        IntStream.range(0, limits.messageCredit())
                .forEach(tag -> scarce.send(0, 1, tag + 1, Tensor.of(new byte[3]), LONG));
        List<Body> bodies = IntStream.range(0, 3)
                .mapToObj(rank -> new Body(scarce, rank, scarce.groups.get(rank), null, "runs"))
                .toList();
        Composite sends = bodies.getFirst().run;
        scarce.within(sends, 0, new Submission.Address.To("", 0, 1), new Send(Tensor.of(new byte[3]), 1, 0));
        scarce.settle();
        scarce.link(2, 1).hold(true);
        bodies.get(2).fail();
        EngineWorld.End received = bodies.get(1).receive(0);
        scarce.settle();

        assertThat(received.whyNot()).isEqualTo(CAUSE);
        assertThat(bodies.get(1).stopped).isEqualTo(CAUSE);
    }
}
