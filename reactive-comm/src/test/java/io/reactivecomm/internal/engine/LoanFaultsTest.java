package io.reactivecomm.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Broadcast;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Reduce;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Loan;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Loans of rank 0 that are void, or break, as rank 1 reads them: nothing of them is believed, and all are given back, once. */
class LoanFaultsTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final int PIECES = 4;
    private static final int COUNT = PIECES * EngineLimits.DEFAULT.pieceBytes() / Float.BYTES;

    private final EngineWorld world = new EngineWorld(2, EngineLimits.DEFAULT, 1);
    private final QueuedLink link = world.link(0, 1);
    private final List<Payload> lent = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
    }

    /** The ways in which rank 1 reads: it folds, or it only copies. */
    enum Reading {
        FOLD,
        COPY;

        Collective call(Tensor tensor) {
            return this == FOLD ? new Reduce(tensor, 1, ReduceOp.SUM) : new Broadcast(tensor, 0);
        }
    }

    /** The moments at which something happens to a loan. */
    enum Moment {
        AT_BEGIN,
        AT_END
    }

    /** A payload of rank 0's that rank 1 reads in place. */
    private final class Payload implements Loan {

        private final Frame.Data data;
        private final Moment moment;
        private final Runnable event;
        private int begun;
        private int givenBack;
        private boolean isVoid;
        private boolean beganVoid;

        /** @param event happens at that moment */
        private Payload(Frame.Data data, Moment moment, Runnable event) {
            this.data = data;
            this.moment = moment;
            this.event = event;
        }

        private boolean isGood(Moment now) {
            assertThat(givenBack).as("read after it was given back").isZero();
            if (now == moment) {
                event.run();
            }
            return !isVoid;
        }

        @Override
        public MemorySegment memory() {
            return data.payload();
        }

        @Override
        public boolean isScarce() {
            return false;
        }

        @Override
        public boolean begin() {
            begun++;
            beganVoid = !isGood(Moment.AT_BEGIN);
            return !beganVoid;
        }

        /** Says nothing of what was void from the beginning, as loans within a JVM do not: who did not listen then believes it now. */
        @Override
        public boolean end() {
            return isGood(Moment.AT_END) || beganVoid;
        }

        @Override
        public void giveBack() {
            givenBack++;
            link.returned(data);
        }
    }

    static Stream<Arguments> faults() {
        return Stream.of(Reading.values())
                .flatMap(reading -> Stream.of(Moment.values())
                        .flatMap(
                                moment -> Stream.of(1, PIECES - 1).map(piece -> Arguments.of(reading, moment, piece))));
    }

    /** Has something happen to one of the payloads. */
    private void lend(int faulty, Moment moment, Runnable event) {
        link.lend(data -> {
            lent.add(new Payload(data, moment, lent.size() == faulty ? event : () -> {}));
            return lent.getLast();
        });
    }

    private void requireAllGivenBackOnce() {
        assertThat(lent).extracting(payload -> payload.givenBack).containsOnly(1);
    }

    /** If the last piece were believed, rank 1's call would be done: the news that it has failed is still on its way. */
    @ParameterizedTest
    @MethodSource("faults")
    void loanTakenBack_isNotBelieved_theCallFailsAsItsOwnerSays_andTheNextOneWorks(
            Reading reading, Moment moment, int piece) {
        lend(piece, moment, () -> {
            world.engines.get(0).time(world.now() + SHORT.toNanos());
            world.turn(0);
            link.hold(true);
            lent.forEach(payload -> payload.isVoid = true);
        });
        EngineWorld.End owner = begin(0, reading, SHORT);
        EngineWorld.End reader = begin(1, reading, LONG);
        world.settle();
        assertThat(owner.whyNot().kind()).isEqualTo(Failure.Kind.TIMEOUT);
        assertThat(lent.get(piece).begun).as("times that it was read").isEqualTo(1);
        assertThat(reader.isThere()).as("an end before the news of the owner's").isFalse();

        link.hold(false);
        world.settle();
        assertThat(reader.whyNot().kind()).isEqualTo(Failure.Kind.TIMEOUT);
        assertThat(reader.whyNot().culprit()).isZero();
        requireAllGivenBackOnce();
        assertThat(world.engines)
                .allSatisfy(engine -> assertThat(engine.liveCalls()).isZero());
        assertThat(world.engines.get(1).stagingBytes()).isZero();
        requireNextCallWorks(reading);
    }

    private EngineWorld.End begin(int rank, Reading reading, Duration timeout) {
        return world.collective(rank, "broken", reading.call(Tensor.allocate(DType.FLOAT32, COUNT)), timeout);
    }

    private void requireNextCallWorks(Reading reading) {
        lend(-1, Moment.AT_BEGIN, () -> {});
        Tensor result = Tensor.allocate(DType.FLOAT32, COUNT);
        world.collective(0, "next", reading.call(Tensor.of(ones())), LONG);
        EngineWorld.End end = world.collective(1, "next", reading.call(result), LONG);
        world.settle();
        assertThat(end.work).isNotNull();
        assertThat(result.toFloatArray()).containsOnly(1);
        requireAllGivenBackOnce();
    }

    private static float[] ones() {
        float[] ones = new float[COUNT];
        Arrays.fill(ones, 1);
        return ones;
    }

    /** A fault of memory is nobody's call alone: the driver aborts the world, and no loan is kept for it. */
    @ParameterizedTest
    @MethodSource("faults")
    void loanThatThrows_isGivenBack_andWithTheWorldAllOthersAre(Reading reading, Moment moment, int piece) {
        IllegalStateException fault = new IllegalStateException("memory is gone");
        lend(piece, moment, () -> {
            throw fault;
        });
        EngineWorld.End owner = begin(0, reading, LONG);
        EngineWorld.End reader = begin(1, reading, LONG);
        assertThat(settleAsTheDriverDoes()).isSameAs(fault);
        assertThat(lent.get(piece).givenBack).isEqualTo(1);
        assertThat(reader.whyNot().kind()).isEqualTo(Failure.Kind.CLOSED);
        assertThat(reader.whyNot().text()).contains("memory is gone");
        // With its last piece back the owner has done its part before it hears of the end.
        assertThat(owner.work != null).isEqualTo(piece == PIECES - 1);
        assertThat(owner.isThere()).isTrue();
        requireAllGivenBackOnce();
        assertThat(world.engines)
                .allSatisfy(engine -> assertThat(engine.liveCalls()).isZero());
    }

    /** {@return what was thrown, for which rank 1 aborted the world} */
    private RuntimeException settleAsTheDriverDoes() {
        try {
            world.settle();
        } catch (IllegalStateException e) {
            world.engines.get(1).abort(world.groups.get(1), String.valueOf(e.getMessage()), world.now());
            world.turn(1);
            world.settle();
            return e;
        }
        throw new AssertionError("no loan broke");
    }
}
