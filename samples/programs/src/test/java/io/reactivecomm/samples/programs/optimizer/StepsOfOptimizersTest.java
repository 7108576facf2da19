package io.reactivecomm.samples.programs.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import io.reactivecomm.compression.reduce.CompressionOptions;
import io.reactivecomm.testkit.LocalWorldRuns;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Steps that fail, that are not an optimizer's first, or that go nowhere. */
@Timeout(60)
class StepsOfOptimizersTest {

    private static final int COUNT = 24;
    private static final int STEPS = 8;
    private static final long WARM_UP = 3;

    /** Two encodings a step: of the rank's own elements, and of the sum. The second step after the warm-up fails. */
    private static final int FAILS = 2;

    private static final float[] BAD = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};

    private static final ZeroOneSchedule OFTEN_ALONE = new ZeroOneSchedule(2, 2, 100, 4);

    /** An optimizer with a warm-up or without. */
    private enum Kind {
        ONE_BIT_ADAM(average -> new OneBitAdam(average, AdamOptions.DEFAULT, COUNT), WARM_UP),
        ONE_BIT_LAMB(
                average -> new OneBitLamb(average, LambOptions.DEFAULT, List.of(new LayerRange("all", 0, COUNT))),
                WARM_UP),
        ZERO_ONE_ADAM(average -> new ZeroOneAdam(average, AdamOptions.DEFAULT, OFTEN_ALONE, COUNT), 0);

        private final Function<RankAverage, Optimizer> make;
        private final long warmUp;

        Kind(Function<RankAverage, Optimizer> make, long warmUp) {
            this.make = make;
            this.warmUp = warmUp;
        }
    }

    private static float[] gradient(int rank, int step) {
        float[] gradient = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            gradient[i] = (float) Math.sin(1 + i * 1.7 + step * 0.9 + rank * 0.4);
        }
        return gradient;
    }

    /** One rank's compression, averages and compute thread. */
    private record Place(CompressedAllReduce compression, RankAverage average, Scheduler compute)
            implements AutoCloseable {

        static Place of(ProcessGroup group, CompressionOptions options) {
            Scheduler compute = Schedulers.newSingle("compute", true);
            CompressedAllReduce compression = CompressedAllReduce.of(options);
            return new Place(compression, new RankAverage(group, compute, COUNT, compression, true), compute);
        }

        boolean step(Optimizer optimizer, float[] parameters, float[] gradient, float rate) {
            return Mono.defer(() -> optimizer.step(parameters, gradient, rate))
                    .subscribeOn(compute)
                    .block();
        }

        @Override
        public void close() {
            average.close();
            compression.close();
            compute.dispose();
        }
    }

    /** @param failing the step that fails at first, or -1 for none */
    private static float[] train(ProcessGroup group, Kind kind, FailingOneBit codec, int failing) {
        try (Place place = Place.of(group, CompressionOptions.inTwoSteps(codec).withWarmUp(kind.warmUp))) {
            Optimizer optimizer = kind.make.apply(place.average());
            float[] parameters = gradient(7, 7);
            for (int step = 0; step < STEPS; step++) {
                if (step == failing) {
                    int again = step;
                    assertThatThrownBy(() -> place.step(optimizer, parameters, gradient(0, again), 0.1f))
                            .hasStackTraceContaining("the one failure");
                }
                place.step(optimizer, parameters, gradient(0, step), 0.1f);
            }
            return parameters;
        }
    }

    @ParameterizedTest
    @EnumSource(names = "ONE_BIT_.*", mode = EnumSource.Mode.MATCH_ALL)
    void step_thatFails_andIsTakenAgain_hasChangedNothing(Kind kind) throws Exception {
        LocalWorldRuns.onEachRank(1, group -> {
            float[] smooth = train(group, kind, FailingOneBit.after(Integer.MAX_VALUE), -1);
            assertThat(train(group, kind, FailingOneBit.after(FAILS), (int) WARM_UP + 1))
                    .isEqualTo(smooth);
            return true;
        });
    }

    /** {@return the steps that were taken, with a first try of some whose gradient on one rank is not finite} */
    private static float[] train(ProcessGroup group, Kind kind, Set<Integer> bad) {
        try (Place place =
                Place.of(group, CompressionOptions.inTwoSteps(new OneBit()).withWarmUp(kind.warmUp))) {
            Optimizer optimizer = kind.make.apply(place.average());
            float[] parameters = gradient(7, 7);
            for (int step = 0; step < STEPS; step++) {
                if (bad.contains(step)) {
                    float[] before = parameters.clone();
                    float[] gradient = gradient(group.rank(), step);
                    gradient[5] = group.rank() == step % 2 ? BAD[step % BAD.length] : gradient[5];
                    assertThat(place.step(optimizer, parameters, gradient, 0.1f))
                            .as("step %d is taken", step)
                            .isFalse();
                    assertThat(parameters).isEqualTo(before);
                }
                assertThat(place.step(optimizer, parameters, gradient(group.rank(), step), 0.1f))
                        .as("step %d is taken", step)
                        .isTrue();
            }
            optimizer.settle(parameters).block();
            return parameters;
        }
    }

    /** Also the first of all, and the last of the warm-up, and the first after it. */
    @ParameterizedTest
    @EnumSource
    void step_thatIsNotFinite_changesNothing_onAnyRank(Kind kind) throws Exception {
        // 0/1 Adam meets in each of the first steps.
        Set<Integer> bad = kind == Kind.ZERO_ONE_ADAM ? Set.of(0, 1) : Set.of(0, 2, 3, 4, 7);
        List<float[]> smooth = LocalWorldRuns.onEachRank(2, group -> train(group, kind, Set.of()));
        List<float[]> others = LocalWorldRuns.onEachRank(2, group -> train(group, kind, bad));
        assertThat(others.getFirst()).isEqualTo(smooth.getFirst()).doesNotContain(Float.NaN);
        assertThat(others.getLast()).isEqualTo(smooth.getLast());
    }

    /** Steps 2 and 3 are one interval: what one rank has in the first of them shows where they meet, in the second or out of turn. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void zeroOneAdam_localStepThatIsNotFinite_goesBackToTheLastMeeting(boolean settles) throws Exception {
        List<float[]> ranks = LocalWorldRuns.onEachRank(2, group -> {
            try (Place place = Place.of(group, CompressionOptions.inTwoSteps(new OneBit()))) {
                Optimizer optimizer = Kind.ZERO_ONE_ADAM.make.apply(place.average());
                float[] parameters = gradient(7, 7);
                place.step(optimizer, parameters, gradient(group.rank(), 0), 0.1f);
                place.step(optimizer, parameters, gradient(group.rank(), 1), 0.1f);
                float[] met = parameters.clone();
                float[] bad = gradient(group.rank(), 2);
                bad[5] = group.rank() == 1 ? Float.NEGATIVE_INFINITY : bad[5];
                place.step(optimizer, parameters, bad, 0.1f);
                if (settles) {
                    optimizer.settle(parameters).block();
                } else {
                    assertThat(place.step(optimizer, parameters, gradient(group.rank(), 3), 0.1f))
                            .isFalse();
                }
                assertThat(parameters).isEqualTo(met);
                for (int step = 2; step < STEPS; step++) {
                    assertThat(place.step(optimizer, parameters, gradient(group.rank(), step), 0.1f))
                            .isTrue();
                }
                return parameters;
            }
        });
        List<float[]> smooth = LocalWorldRuns.onEachRank(2, group -> train(group, Kind.ZERO_ONE_ADAM, Set.of()));
        assertThat(ranks.getFirst()).isEqualTo(smooth.getFirst());
        assertThat(ranks.getLast()).isEqualTo(smooth.getLast());
    }

    @ParameterizedTest
    @EnumSource
    void stateOfAnotherOptimizer_isRefused(Kind kind) throws Exception {
        LocalWorldRuns.onEachRank(1, group -> {
            try (Place place =
                    Place.of(group, CompressionOptions.inTwoSteps(new OneBit()).withWarmUp(1))) {
                place.step(
                        new OneBitAdam(place.average(), AdamOptions.DEFAULT, COUNT),
                        new float[COUNT],
                        gradient(0, 0),
                        0.1f);
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> kind.make.apply(place.average()))
                        .withMessageContaining("begins with the state of another: name=momentum, step=1; reset");
                place.compression().state().reset();
                assertThat(kind.make.apply(place.average())).isNotNull();
            }
            return true;
        });
    }

    @Test
    void zeroOneAdam_learningRateOfZero_staysWhereItIs_andGoesOn() throws Exception {
        List<float[]> ranks = LocalWorldRuns.onEachRank(2, group -> {
            try (Place place = Place.of(group, CompressionOptions.inTwoSteps(new OneBit()))) {
                Optimizer optimizer = Kind.ZERO_ONE_ADAM.make.apply(place.average());
                float[] parameters = gradient(7, 7);
                for (int step = 0; step < STEPS; step++) {
                    place.step(optimizer, parameters, gradient(group.rank(), step), 0);
                }
                optimizer.settle(parameters).block();
                assertThat(parameters).isEqualTo(gradient(7, 7));
                place.step(optimizer, parameters, gradient(group.rank(), STEPS), 0.1f);
                optimizer.settle(parameters).block();
                return parameters;
            }
        });
        assertThat(ranks.getFirst())
                .isEqualTo(ranks.getLast())
                .isNotEqualTo(gradient(7, 7))
                .doesNotContain(Float.NaN);
    }
}
