package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.schedule.choice.Wish;
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

/** Composite calls that end, on one of two ranks, while something of them is still on its way: orders that the simulator has found. */
class CompositeEndTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final long SUB_GROUP = 7;

    private final EngineLimits limits = LimitsTest.tight();
    private final EngineWorld world = new EngineWorld(2, limits, 19);

    @AfterEach
    void close() {
        world.close();
    }

    private Composite begin(int rank, @Nullable Composite outer, RunEnd end) {
        return begin(rank, 1, outer, end);
    }

    private Composite begin(int rank, int ordinal, @Nullable Composite outer, RunEnd end) {
        CallKey.Ticket key = new CallKey.Ticket(0, 0, "", 0, ordinal, outer == null ? null : outer.enclosure());
        Composite run =
                new Composite(world.groups.get(rank), key, outer, "ends", world.now(), Composite.NO_DEADLINE, end);
        world.engines.get(rank).begin(run, world.now());
        world.turn(rank);
        return run;
    }

    private EngineWorld.End barrier(Composite run, int rank) {
        return world.within(
                run,
                rank,
                new Submission.Address.Collectively(new CallKey.Ticket(0, 0, "", 0, 1, run.enclosure())),
                new Barrier());
    }

    private void leave(Composite run, int rank) {
        world.engines.get(rank).left(run, null, world.now());
        world.turn(rank);
    }

    @Test
    void callThatFailedByItself_wasMade_thoughTheBodyIsOver() {
        RunEnd mine = new RunEnd();
        RunEnd others = new RunEnd();
        Composite here = begin(0, null, mine);
        Composite there = begin(1, null, others);
        EngineWorld.End made = barrier(there, 1);
        Failure refusal = new Failure(Failure.Kind.INVALID, 0, "a bad argument");
        CallKey.Ticket key = new CallKey.Ticket(0, 0, "", 0, 1, here.enclosure());
        world.engines
                .get(0)
                .submit(
                        new Submission(
                                world.groups.get(0),
                                here,
                                new Submission.Address.Collectively(key),
                                new Submission.Body.Invalid(refusal),
                                world.now(),
                                LONG.toNanos(),
                                0,
                                "",
                                null,
                                new Ignoring()),
                        world.now());
        leave(here, 0);

        world.settle();
        leave(there, 1);

        assertThat(made.whyNot()).isEqualTo(refusal);
        assertThat(mine.ended && others.ended).isTrue();
        assertThat(mine.failure).isNull();
        assertThat(others.failure).isNull();
    }

    private static class Ignoring implements CallSink {

        @Override
        public void succeeded(Work result) {}

        @Override
        public void failed(Failure cause) {}
    }

    @Test
    void message_thatWasTakenWhenItsCallHadEnded_costsNoCredit() {
        for (int i = 0; i < limits.messageCredit(); i++) {
            String name = "m" + i;
            Composite here = begin(0, i + 1, null, new RunEnd());
            Composite there = begin(1, i + 1, null, new RunEnd());
            Tensor tensor = Tensor.of(new byte[3]);
            EngineWorld.End sent = world.within(here, 0, new Submission.Address.To(name, 0, 1), new Send(tensor, 1, 0));
            world.within(there, 1, new Submission.Address.From(name, 0, 0), new Receive(Tensor.of(new byte[3]), 0, 0));
            while (world.link(0, 1).isBusy()) {
                world.link(0, 1).deliver();
            }
            // Before it hears of the receive.
            world.engines.get(0).time(world.now() + LONG.toNanos());
            world.turn(0);
            assertThat(sent.whyNot().kind()).isEqualTo(Failure.Kind.TIMEOUT);
            leave(here, 0);
            world.settle();
        }

        EngineWorld.End sent = world.send(0, 1, 5, Tensor.of(new byte[3]), LONG);
        EngineWorld.End received = world.receive(1, 0, 5, Tensor.of(new byte[3]), LONG);
        world.settle();

        assertThat(sent.work).isNotNull();
        assertThat(received.work).isNotNull();
    }

    @Test
    void callThatARankWithoutRoomHasDropped_isNotForgotten() {
        EngineLimits none = new EngineLimits(
                1024,
                1024,
                2048,
                8 << 10,
                16 << 10,
                2,
                4 << 20,
                new EngineLimits.Openings(1, 64 << 10, 0, 16 << 10),
                4,
                8,
                5_000_000_000L,
                100_000_000L);
        try (EngineWorld roomless = new EngineWorld(2, none, 19)) {
            CallKey.Ticket key = new CallKey.Ticket(0, 0, "", 0, 1);
            List<Composite> runs = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++) {
                runs.add(new Composite(
                        roomless.groups.get(rank),
                        key,
                        null,
                        "ends",
                        roomless.now(),
                        Composite.NO_DEADLINE,
                        new RunEnd()));
                roomless.engines.get(rank).begin(runs.get(rank), roomless.now());
            }
            CallKey.Ticket call =
                    new CallKey.Ticket(0, 0, "", 0, 1, runs.getFirst().enclosure());
            EngineWorld.End waits =
                    roomless.within(runs.getFirst(), 0, new Submission.Address.Collectively(call), new Barrier());
            roomless.settle();
            assertThat(roomless.engines.get(1).parkedOpenings()).isZero();

            roomless.engines.get(1).left(runs.get(1), null, roomless.now());
            roomless.turn(1);
            roomless.settle();

            assertThat(waits.whyNot().text())
                    .startsWith("ends is over on a rank without a call that others made in it")
                    .contains("call=#0, missing=" + call.label() + ";");
        }
    }

    @Test
    void message_thatWaitsForCredit_failsWithItsComposite() {
        IntStream.range(0, limits.messageCredit()).forEach(tag -> world.send(0, 1, tag, Tensor.of(new byte[3]), LONG));
        RunEnd end = new RunEnd();
        Composite run = begin(0, null, end);
        EngineWorld.End waiting =
                world.within(run, 0, new Submission.Address.To("", 0, 1), new Send(Tensor.of(new byte[3]), 1, 0));
        Failure cause = new Failure(Failure.Kind.INVALID, 0, "the body failed");

        world.engines.get(0).failed(run, cause, world.now());
        world.turn(0);

        assertThat(waiting.whyNot()).isEqualTo(cause);
        assertThat(end.failure).isEqualTo(cause);
    }

    @Test
    void callOfASubGroup_inACompositeWhoseGroupHasEnded_isNotWaitedFor() {
        List<GroupState> pair = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            GroupState group = new GroupState(SUB_GROUP, 0, List.of(0, 1), rank);
            world.engines.get(rank).register(group);
            pair.add(group);
        }
        RunEnd end = new RunEnd();
        Composite run = begin(0, null, end);
        List<Failure> failures = new ArrayList<>();
        world.engines.get(0).submit(inSubGroup(pair.getFirst(), run, failures), world.now());
        world.turn(0);
        world.settle();

        world.engines.get(1).abort(world.groups.get(1), "enough", world.now());
        world.turn(1);
        world.settle();

        assertThat(failures)
                .singleElement()
                .satisfies(failure -> assertThat(failure.kind()).isEqualTo(Failure.Kind.CLOSED));
        assertThat(end.ended).isTrue();
        assertThat(world.engines.get(1).parkedOpenings()).isZero();
    }

    private Submission inSubGroup(GroupState group, Composite run, List<Failure> failures) {
        Collective call = new Barrier();
        Submission.Body body = new Submission.Body.Valid(
                call,
                Selection.DEFAULT
                        .algorithm(call, Layout.apart(2), Wish.NONE)
                        .schedule(Place.of(call, group.rank(), Layout.apart(2))),
                2);
        CallKey.Ticket key = new CallKey.Ticket(0, SUB_GROUP, "", 0, 1, run.enclosure());
        return new Submission(
                group,
                run,
                new Submission.Address.Collectively(key),
                body,
                world.now(),
                LONG.toNanos(),
                0,
                "",
                null,
                new Ignoring() {
                    @Override
                    public void failed(Failure cause) {
                        failures.add(cause);
                    }
                });
    }

    @Test
    void compositeInAFailedOne_failsWithItsCause() {
        Composite outer = begin(0, null, new RunEnd());
        Failure cause = new Failure(Failure.Kind.INVALID, 0, "the body failed");
        EngineWorld.End underWay = barrier(outer, 0);
        world.engines.get(0).failed(outer, cause, world.now());
        world.turn(0);
        assertThat(underWay.isThere()).isFalse();

        RunEnd inner = new RunEnd();
        begin(0, outer, inner);

        assertThat(inner.stopped).isEqualTo(cause);
        assertThat(inner.failure).isEqualTo(cause);
    }
}
