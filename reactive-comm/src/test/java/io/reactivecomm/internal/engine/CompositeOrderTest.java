package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Barrier;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Receive;
import io.reactivecomm.collective.Send;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs of composite calls under random orders of everything: what each rank does, when frames come, where one rank stops. Openings are scarce, so that
 * they are parked, held back and dropped.
 */
class CompositeOrderTest {

    private static final int SEEDS = 400;
    private static final int PARTS = 6;
    private static final int MESSAGES = 2;

    /** The way in which one rank stops before it has made all calls. */
    private enum Stop {
        NEVER,
        FAILS,
        LEAVES,
        CANCELS
    }

    /** One rank's body, which makes its calls in an order of its own, and is over when all have ended. */
    private static final class Body extends RunEnd {

        private final EngineWorld world;
        private final int rank;
        private final Composite run;
        private final List<String> toDo;
        private final Map<String, EngineWorld.End> begun = new LinkedHashMap<>();
        private final int stopsAfter;
        private boolean isBegun;
        private boolean isOver;

        private Body(EngineWorld world, int rank, List<String> toDo, int stopsAfter) {
            this.world = world;
            this.rank = rank;
            this.toDo = new ArrayList<>(toDo);
            this.stopsAfter = stopsAfter;
            CallKey.Ticket key = new CallKey.Ticket(0, 0, "", 0, 1);
            this.run =
                    new Composite(world.groups.get(rank), key, null, "order", world.now(), Composite.NO_DEADLINE, this);
        }

        /** {@return whether there is nothing left for it to do} */
        boolean isIdle() {
            return isOver || stopped != null;
        }

        /** {@return whether all that it wanted has come, which another rank's stop cannot take from it} */
        boolean hasAll() {
            return toDo.isEmpty() && begun.values().stream().allMatch(end -> end.work != null);
        }

        void step(Stop stop) {
            if (!isBegun) {
                isBegun = true;
                world.engines.get(rank).begin(run, world.now());
            } else if (begun.size() == stopsAfter) {
                stop(stop);
            } else if (!toDo.isEmpty()) {
                make(toDo.removeFirst());
            } else if (begun.values().stream().allMatch(EngineWorld.End::isThere)) {
                isOver = true;
                world.engines.get(rank).left(run, null, world.now());
            }
            world.turn(rank);
        }

        private void stop(Stop stop) {
            isOver = true;
            switch (stop) {
                case NEVER -> throw new AssertionError("it does not stop");
                case FAILS ->
                    world.engines
                            .get(rank)
                            .failed(run, new Failure(Failure.Kind.INVALID, rank, "it failed"), world.now());
                case LEAVES -> world.engines.get(rank).left(run, null, world.now());
                case CANCELS ->
                    world.engines
                            .get(rank)
                            .left(run, Failures.compositeCancelled(rank, "order", run.label()), world.now());
            }
        }

        private void make(String name) {
            Submission.Address address =
                    new Submission.Address.Collectively(new CallKey.Ticket(0, 0, name, 0, 1, run.enclosure()));
            Collective call = new Barrier();
            if (name.startsWith("message")) {
                int other = 1 - rank;
                address = rank == 0
                        ? new Submission.Address.To(name, 0, other)
                        : new Submission.Address.From(name, 0, other);
                call = rank == 0
                        ? new Send(Tensor.of(new byte[3]), other, 0)
                        : new Receive(Tensor.of(new byte[3]), other, 0);
            }
            begun.put(name, world.within(run, rank, address, call));
        }
    }

    @ParameterizedTest
    @EnumSource
    void calls_thatAllHaveBegunSucceed_andOthersFail(Stop stop) {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            EngineLimits limits = random.nextBoolean() ? LimitsTest.tight() : EngineLimits.DEFAULT;
            try (EngineWorld world = new EngineWorld(2 + random.nextInt(3), limits, seed)) {
                List<Body> bodies = bodies(world, random, stop);
                play(world, bodies, random, stop);
                require(world, bodies, stop, "seed=" + seed);
            }
        }
    }

    private static List<Body> bodies(EngineWorld world, Random random, Stop stop) {
        int culprit = random.nextInt(world.engines.size());
        List<Body> bodies = new ArrayList<>();
        for (int rank = 0; rank < world.engines.size(); rank++) {
            List<String> toDo = new ArrayList<>(
                    IntStream.range(0, PARTS).mapToObj(i -> "part " + i).toList());
            if (rank < 2) {
                IntStream.range(0, MESSAGES).forEach(i -> toDo.add("message " + i));
            }
            Collections.shuffle(toDo, random);
            int stopsAfter = stop == Stop.NEVER || rank != culprit ? Integer.MAX_VALUE : random.nextInt(toDo.size());
            bodies.add(new Body(world, rank, toDo, stopsAfter));
        }
        return bodies;
    }

    private static void play(EngineWorld world, List<Body> bodies, Random random, Stop stop) {
        for (int turn = 0; turn < 10_000 && !bodies.stream().allMatch(Body::isIdle); turn++) {
            Body next = bodies.get(random.nextInt(bodies.size()));
            if (random.nextBoolean() && !next.isIdle()) {
                next.step(stop);
            } else {
                world.deliverOne();
            }
        }
        world.settle();
    }

    private static void require(EngineWorld world, List<Body> bodies, Stop stop, String which) {
        for (Body body : bodies) {
            require(body.isBegun, which, "it began", body);
            require(body.ended, which, "it ended", body);
            require(body.begun.values().stream().allMatch(EngineWorld.End::isThere), which, "its calls ended", body);
            if (stop == Stop.NEVER) {
                require(body.failure == null, which, "it succeeded", body);
            } else if (body.stopsAfter == Integer.MAX_VALUE) {
                require(body.failure != null || body.hasAll(), which, "it failed, or had all it wanted", body);
            }
        }
        for (int i = 0; i < PARTS; i++) {
            requireTogether("part " + i, bodies, which);
        }
        for (int i = 0; i < MESSAGES; i++) {
            requireTogether("message " + i, bodies.subList(0, 2), which);
        }
        world.engines.forEach(engine -> {
            int left =
                    engine.liveComposites() + engine.liveCalls() + engine.parkedOpenings() + engine.waitingMessages();
            assertThat(left).as(which).isZero();
        });
    }

    /** Asserts it only where it does not hold: most of the time of these cases was that of assertions which describe themselves. */
    private static void require(boolean holds, String which, String what, Body body) {
        if (!holds) {
            throw new AssertionError(which + ": not so: " + what + ", rank=" + body.rank + ", failure=" + body.failure);
        }
    }

    private static void requireTogether(String name, List<Body> bodies, String which) {
        List<EngineWorld.End> ends = new ArrayList<>();
        bodies.forEach(body -> {
            EngineWorld.End end = body.begun.get(name);
            if (end != null) {
                ends.add(end);
            }
        });
        // A call that is made after the run has stopped here does not begin.
        long begun = ends.stream().filter(end -> end.failure == null).count();
        if (begun != 0 && begun != bodies.size()) {
            throw new AssertionError(
                    which + ": not all together: " + name + ", succeeded=" + begun + ", ranks=" + bodies.size());
        }
    }
}
