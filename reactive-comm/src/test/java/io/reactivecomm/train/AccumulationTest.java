package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Groups of micro-steps, of which the last reduces. */
class AccumulationTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final LocalWorld world = ReactiveComm.local(2);

    @AfterEach
    void close() {
        world.close();
    }

    /** One rank's step: what it produces, and what came back. */
    private record Step(Flux<Gradient> gradients, Map<String, float[]> results) implements TrainingStep {

        static Step of(Gradient... gradients) {
            return new Step(Flux.just(gradients), new ConcurrentHashMap<>());
        }

        static Step failing() {
            return new Step(Flux.error(new IllegalStateException("planted")), new ConcurrentHashMap<>());
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            results.put(reduced.name(), reduced.tensor().toFloatArray());
            return Mono.empty();
        }

        /** {@return the first element of each result} */
        Map<String, Float> firsts() {
            Map<String, Float> firsts = new TreeMap<>();
            results.forEach((name, values) -> firsts.put(name, values[0]));
            return firsts;
        }
    }

    private static Gradient gradient(String name, float... values) {
        return new Gradient(name, Tensor.of(values));
    }

    private static GradientBuckets sums(ProcessGroup group, String... names) {
        List<Parameter> parameters = Arrays.stream(names)
                .map(name -> new Parameter(name, DType.FLOAT32, 1))
                .toList();
        return GradientBuckets.sum(group.named("gradients")).registered(parameters);
    }

    private List<GradientHooks> runners(UnaryOperator<GradientHooks> options) {
        return runners(options, "a", "b");
    }

    private List<GradientHooks> runners(UnaryOperator<GradientHooks> options, String... names) {
        return world.groups().stream()
                .map(group -> options.apply(GradientHooks.of(sums(group, names))))
                .toList();
    }

    /** Runs a step on all ranks at once. {@return how it ended on each: a {@link StepEnd} or an error} */
    private static List<Object> run(List<GradientHooks> runners, IntFunction<Step> steps) {
        return ends(IntStream.range(0, runners.size())
                .mapToObj(rank -> runners.get(rank).run(steps.apply(rank)))
                .toList());
    }

    private static List<Object> ends(List<Mono<StepEnd>> steps) {
        return steps.stream()
                .map(step ->
                        step.<Object>map(end -> end).onErrorResume(Mono::just).defaultIfEmpty("nothing"))
                .map(step -> step.toFuture())
                .toList()
                .stream()
                .map(end -> Mono.fromFuture(end).block(LIMIT))
                .toList();
    }

    private static List<Object> flush(List<GradientHooks> runners) {
        return ends(runners.stream().map(GradientHooks::flush).toList());
    }

    private static void requireLocal(List<Object> ends) {
        assertThat(ends)
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                StepEnd.class,
                                local -> assertThat(local.isLocal()).isTrue()));
    }

    private static void requireReduced(List<Object> ends, long number) {
        assertThat(ends)
                .allSatisfy(end -> assertThat(end).isInstanceOfSatisfying(StepEnd.class, reduced -> {
                    assertThat(reduced.kind()).isEqualTo(StepEnd.Kind.REDUCED);
                    assertThat(reduced.step()).isEqualTo(number);
                }));
    }

    /** A whole group of two on each rank, whose sum is 3 from rank 0 and 30 from rank 1. */
    private static void requireSoundGroup(List<GradientHooks> runners, long number) {
        requireLocal(run(runners, rank -> Step.of(gradient("a", rank == 0 ? 1 : 10))));
        List<Step> last = List.of(Step.of(gradient("a", 2)), Step.of(gradient("a", 20)));
        requireReduced(run(runners, last::get), number);
        assertThat(last).allSatisfy(step -> assertThat(step.firsts()).isEqualTo(Map.of("a", 33f)));
    }

    private static UnaryOperator<GradientHooks> library(int microSteps) {
        return hooks -> hooks.withAccumulation(microSteps, Accumulation.LIBRARY);
    }

    @Test
    void localSteps_giveNothingBack_andMakeNoCall() {
        List<GradientHooks> runners = runners(hooks -> hooks.withAccumulation(3));
        List<Step> steps = new ArrayList<>();
        // One rank alone: a call would wait for the other.
        for (int micro = 0; micro < 2; micro++) {
            Step step = Step.of(gradient("a", 1), gradient("b", 1));
            steps.add(step);
            assertThat(runners.getFirst().run(step).block(LIMIT)).isEqualTo(new StepEnd(0, 2, 0, StepEnd.Kind.LOCAL));
        }
        assertThat(steps).allSatisfy(step -> assertThat(step.results).isEmpty());
    }

    /** Frameworks add up in their own memory; the last micro-step lacks b, and its sum comes back all the same. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void frameworkSums_comeBackOfEachParameterThatAnyMicroStepHad(boolean areHomes) {
        List<GradientBuckets> buckets =
                world.groups().stream().map(group -> sums(group, "a", "b", "c")).toList();
        List<GradientHooks> runners = buckets.stream()
                .map(each -> GradientHooks.of(each).withAccumulation(2))
                .toList();
        List<List<Gradient>> own = buckets.stream()
                .map(each -> areHomes ? each.allocate() : List.of(gradient("a", 0), gradient("b", 0), gradient("c", 0)))
                .toList();
        for (int group = 0; group < 2; group++) {
            own.forEach(each -> each.forEach(gradient -> gradient.tensor().set(new float[1])));
            requireLocal(run(runners, rank -> {
                own.get(rank).get(1).tensor().set(new float[] {5 + rank});
                return Step.of(own.get(rank).get(1));
            }));
            List<Step> last = new ArrayList<>();
            own.forEach(each -> {
                each.get(0).tensor().set(new float[] {1});
                last.add(Step.of(each.get(0), Gradient.absent("c")));
            });
            requireReduced(run(runners, last::get), group);
            assertThat(last).allSatisfy(step -> assertThat(step.firsts()).isEqualTo(Map.of("a", 2f, "b", 11f)));
        }
        buckets.forEach(GradientBuckets::close);
    }

    @ParameterizedTest
    @EnumSource(Accumulation.class)
    void absenceInTheLastMicroStep_doesNotUndoAnEarlierGradient(Accumulation owner) {
        List<GradientHooks> runners = runners(hooks -> hooks.withAccumulation(2, owner));
        requireLocal(run(runners, rank -> Step.of(gradient("a", 1 + rank))));
        List<Step> last = List.of(Step.of(Gradient.absent("a")), Step.of(Gradient.absent("a"), gradient("b", 4)));
        requireReduced(run(runners, last::get), 0);
        assertThat(last).allSatisfy(step -> assertThat(step.firsts()).isEqualTo(Map.of("a", 3f, "b", 4f)));
    }

    @Test
    void homeThatIsKeptInAnyMicroStep_isSummedAsItStands() {
        List<GradientBuckets> buckets =
                world.groups().stream().map(group -> sums(group, "a", "b")).toList();
        List<GradientHooks> runners = buckets.stream()
                .map(each -> GradientHooks.of(each).withAccumulation(2))
                .toList();
        buckets.forEach(each -> each.allocate().getFirst().tensor().set(new float[] {7}));
        requireLocal(run(runners, rank -> Step.of(Gradient.kept("a"))));
        requireReduced(run(runners, rank -> Step.of(gradient("b", 1))), 0);
        assertThat(buckets)
                .allSatisfy(
                        each -> assertThat(each.allocate().getFirst().tensor().toFloatArray())
                                .containsExactly(14));
        buckets.forEach(GradientBuckets::close);
    }

    /** The framework's sums are those of a loop; the library's have the same bits. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT32", "FLOAT16"})
    void librarySums_haveTheBitsOfTheFrameworks(DType type) {
        int count = 1003;
        SplittableRandom random = new SplittableRandom(51);
        float[][][] fresh = new float[2][4][count];
        for (float[][] rank : fresh) {
            for (float[] micro : rank) {
                for (int i = 0; i < count; i++) {
                    micro[i] = rounded(type, (float) random.nextDouble(-8, 8));
                }
            }
        }
        assertThat(reduced(type, fresh, Accumulation.LIBRARY)).isEqualTo(reduced(type, fresh, Accumulation.FRAMEWORK));
    }

    private static float rounded(DType type, float value) {
        return type == DType.FLOAT16 ? Float.float16ToFloat(Float.floatToFloat16(value)) : value;
    }

    /** {@return the result of a group of as many micro-steps, the same bits on both ranks} @param fresh for each rank and micro-step the gradient */
    private byte[] reduced(DType type, float[][][] fresh, Accumulation owner) {
        int count = fresh[0][0].length;
        List<GradientHooks> runners = world.groups().stream()
                .map(group -> GradientHooks.of(GradientBuckets.sum(group.named("of " + owner))
                                .registered(List.of(new Parameter("a", type, count))))
                        .withAccumulation(fresh[0].length, owner))
                .toList();
        float[][] sums = new float[2][count];
        List<Tensor> handedOver = List.of(Tensor.allocate(type, count), Tensor.allocate(type, count));
        for (int micro = 0; micro < fresh[0].length; micro++) {
            for (int rank = 0; rank < 2; rank++) {
                float[] now = fresh[rank][micro];
                float[] sum = sums[rank];
                for (int i = 0; i < count; i++) {
                    sum[i] = rounded(type, sum[i] + now[i]);
                }
                write(handedOver.get(rank), owner == Accumulation.LIBRARY ? now : sum);
            }
            assertThat(run(runners, rank -> Step.of(new Gradient("a", handedOver.get(rank)))))
                    .allSatisfy(end -> assertThat(end).isInstanceOf(StepEnd.class));
        }
        byte[] result = bytes(handedOver.getFirst());
        assertThat(bytes(handedOver.getLast())).isEqualTo(result);
        return result;
    }

    private static void write(Tensor tensor, float[] values) {
        for (int i = 0; i < values.length; i++) {
            if (tensor.type() == DType.FLOAT16) {
                tensor.segment().setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(values[i]));
            } else {
                tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, values[i]);
            }
        }
    }

    private static byte[] bytes(Tensor tensor) {
        return tensor.segment().toArray(ValueLayout.JAVA_BYTE);
    }

    /** A whole batch of eight samples, at once and in four micro-steps of two: sums of integers, so the same bits. */
    @ParameterizedTest
    @EnumSource(Accumulation.class)
    void accumulationOfFour_equalsOneLargeBatch(Accumulation owner) {
        List<GradientHooks> whole = runners(hooks -> hooks, "a");
        List<Step> large = List.of(Step.of(gradient("a", 1 + 2 + 3 + 4)), Step.of(gradient("a", 10 + 20 + 30 + 40)));
        requireReduced(run(whole, large::get), 0);
        List<GradientHooks> runners = runners(hooks -> hooks.withAccumulation(4, owner), "a");
        Tensor[] sums = {Tensor.of(new float[1]), Tensor.of(new float[1])};
        List<Step> last = List.of();
        for (int micro = 1; micro <= 4; micro++) {
            int now = micro;
            last = IntStream.range(0, 2)
                    .mapToObj(rank -> {
                        float fresh = rank == 0 ? now : 10 * now;
                        float before =
                                owner == Accumulation.LIBRARY ? 0 : sums[rank].toFloatArray()[0];
                        sums[rank].set(new float[] {before + fresh});
                        return Step.of(new Gradient("a", sums[rank]));
                    })
                    .toList();
            List<Object> ends = run(runners, last::get);
            if (micro < 4) {
                requireLocal(ends);
            } else {
                requireReduced(ends, 0);
            }
        }
        assertThat(last)
                .allSatisfy(step ->
                        assertThat(step.firsts()).isEqualTo(large.getFirst().firsts()));
    }

    @Test
    void flush_endsAShortGroup_withoutScaling_andMakesNoCallIfNothingIsPending() {
        List<GradientHooks> runners = runners(library(4));
        assertThat(runners.getFirst().flush().blockOptional(LIMIT)).isEmpty();
        requireLocal(run(runners, rank -> Step.of(gradient("a", 1 + rank))));
        List<Step> last = List.of(Step.of(gradient("a", 10)), Step.of(gradient("a", 20), gradient("b", 5)));
        requireLocal(run(runners, last::get));
        requireReduced(flush(runners), 0);
        assertThat(last).allSatisfy(step -> assertThat(step.firsts()).isEqualTo(Map.of("a", 33f, "b", 5f)));
        assertThat(runners.getFirst().flush().blockOptional(LIMIT)).isEmpty();
    }

    @Test
    void flushAfterTransform_hasNoReceiver_andSaysSo() {
        GradientHooks runner = new GradientHooks().withAccumulation(2);
        assertThat(Flux.just(gradient("a", 1)).transform(runner).collectList().block(LIMIT))
                .isEmpty();
        assertThatThrownBy(() -> runner.flush().block(LIMIT))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("a flush has no receiver", "name=a", "run(TrainingStep)");
    }

    @Test
    void transform_givesTheResultsOfAGroup_inItsLastStep() {
        GradientHooks runner = new GradientHooks().withAccumulation(2, Accumulation.LIBRARY);
        assertThat(Flux.just(gradient("a", 1), gradient("b", 2))
                        .transform(runner)
                        .collectList()
                        .block(LIMIT))
                .isEmpty();
        Map<String, Float> results = Flux.just(gradient("b", 3), gradient("c", 4))
                .transform(runner)
                .limitRate(1)
                .collectMap(Gradient::name, each -> each.tensor().toFloatArray()[0])
                .block(LIMIT);
        assertThat(results).isEqualTo(Map.of("a", 1f, "b", 5f, "c", 4f));
    }

    @Test
    void otherNumberOfMicroSteps_isAMismatchOnAllRanks_andNamesBoth() {
        List<GradientHooks> same = runners(hooks -> hooks);
        List<GradientHooks> runners = List.of(same.get(0), same.get(1).withAccumulation(2));
        Mono<StepEnd> first = runners.get(0).run(Step.of(gradient("a", 1))).cache();
        first.subscribe(end -> {}, error -> {});
        assertThat(runners.get(1).run(Step.of(gradient("a", 1))).block(LIMIT)).isNotNull();
        Throwable second = catchThrowable(
                () -> runners.get(1).run(Step.of(gradient("a", 1))).block(LIMIT));
        assertThat(second)
                .isInstanceOf(MismatchException.class)
                .hasMessageContainingAll("gradient buckets", "2 of 2 micro-steps", "rank 0", "rank 1");
        assertThat(catchThrowable(() -> first.block(LIMIT))).hasMessage(second.getMessage());
    }

    @Test
    void ranksWhoseGroupsDifferInLength_getAMismatch() {
        List<GradientHooks> runners = runners(library(3));
        requireLocal(run(runners, rank -> Step.of(gradient("a", 1))));
        assertThat(runners.get(0).run(Step.of(gradient("a", 1))).block(LIMIT)).isNotNull();
        assertThat(flush(runners))
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                MismatchException.class,
                                error -> assertThat(error)
                                        .hasMessageContainingAll("1 of 3 micro-steps", "2 of 3 micro-steps")));
        requireLocal(run(runners, rank -> Step.of(gradient("a", 1))));
        requireReduced(flush(runners), 1);
    }

    /** Its own error comes at once, that of all ranks with the group's end. No sum of the group is left. */
    @ParameterizedTest
    @EnumSource(Accumulation.class)
    void failedMicroStep_failsItsGroupOnAllRanks_andTheNextIsRight(Accumulation owner) {
        List<GradientHooks> runners = runners(hooks -> hooks.withAccumulation(3, owner));
        requireLocal(run(runners, rank -> Step.of(gradient("a", 1))));
        List<Object> ends = run(runners, rank -> rank == 1 ? Step.failing() : Step.of(gradient("a", 1)));
        assertThat(ends.get(0)).isInstanceOf(StepEnd.class);
        assertThat(ends.get(1)).isInstanceOf(IllegalStateException.class);
        List<Step> last = List.of(Step.of(gradient("a", 1)), Step.of(gradient("a", 1)));
        assertThat(run(runners, last::get))
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                InvalidCallException.class,
                                error -> assertThat(error)
                                        .hasMessageContainingAll(
                                                "a micro-step of this group did not end well", "planted")));
        assertThat(last).allSatisfy(step -> assertThat(step.results).isEmpty());
        requireLocal(run(runners, rank -> Step.of(gradient("b", 1))));
        requireLocal(run(runners, rank -> Step.of(gradient("b", 1))));
        List<Step> next = List.of(Step.of(), Step.of());
        requireReduced(run(runners, next::get), 1);
        float sum = owner == Accumulation.LIBRARY ? 4 : 2;
        assertThat(next).allSatisfy(step -> assertThat(step.firsts()).isEqualTo(Map.of("b", sum)));
    }

    @Test
    void failedMicroStep_failsAFlush() {
        List<GradientHooks> runners = runners(library(3));
        assertThat(run(runners, rank -> rank == 1 ? Step.failing() : Step.of(gradient("a", 1)))
                        .get(1))
                .isInstanceOf(IllegalStateException.class);
        assertThat(flush(runners))
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                InvalidCallException.class,
                                error -> assertThat(error).hasMessageContaining("planted")));
        requireSoundGroupOfThree(runners);
    }

    private static void requireSoundGroupOfThree(List<GradientHooks> runners) {
        requireLocal(run(runners, rank -> Step.of(gradient("a", 1))));
        requireLocal(run(runners, rank -> Step.of(gradient("a", 1))));
        List<Step> last = List.of(Step.of(gradient("a", 1)), Step.of(gradient("a", 1)));
        requireReduced(run(runners, last::get), 1);
        assertThat(last).allSatisfy(step -> assertThat(step.firsts()).isEqualTo(Map.of("a", 6f)));
    }

    /** In the middle of its pass, or while it waits for its turn. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void cancelledMicroStep_failsItsGroup(boolean hasBegun) {
        List<GradientHooks> runners = runners(library(2));
        Step never = new Step(Flux.concat(Flux.just(gradient("a", 1)), Flux.never()), new ConcurrentHashMap<>());
        Disposable first = runners.getFirst().run(never).subscribe();
        if (hasBegun) {
            first.dispose();
            assertThat(runners.get(1).run(Step.of(gradient("a", 1))).block(LIMIT))
                    .isNotNull();
            assertThat(run(runners, rank -> Step.of(gradient("a", 1))))
                    .allSatisfy(end -> assertThat(end)
                            .isInstanceOfSatisfying(
                                    InvalidCallException.class,
                                    error -> assertThat(error)
                                            .hasMessageContainingAll("did not end well", "cancelled")));
        } else {
            List<GradientHooks> behind =
                    runners.stream().map(each -> each.withAccumulation(2)).toList();
            behind.getFirst().run(Step.of(gradient("a", 1))).subscribe().dispose();
            first.dispose();
            assertThat(behind.get(1).run(Step.of(gradient("a", 1))).block(LIMIT))
                    .isNotNull();
            assertThat(run(behind, rank -> Step.of(gradient("a", 1))))
                    .allSatisfy(end -> assertThat(end)
                            .isInstanceOfSatisfying(
                                    InvalidCallException.class,
                                    error -> assertThat(error)
                                            .hasMessageContainingAll("did not end well", "cancelled before it began")));
        }
    }

    /** The first has the sums of the group, and fails or is cancelled in the middle of its last pass: none of them gets into the next group. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void reducingStepThatFailsOrIsCancelled_clearsTheSums(boolean isCancelled) {
        List<GradientHooks> runners = runners(library(2), "a");
        requireLocal(run(runners, rank -> Step.of(gradient("a", 100))));
        Flux<Gradient> broken = isCancelled ? Flux.never() : Flux.error(new IllegalStateException("planted"));
        Mono<StepEnd> own = runners.get(0).run(new Step(broken, new ConcurrentHashMap<>()));
        Mono<StepEnd> other = runners.get(1).run(new Step(Flux.never(), new ConcurrentHashMap<>()));
        if (isCancelled) {
            List.of(own.subscribe(), other.subscribe()).forEach(Disposable::dispose);
        } else {
            own.subscribe(end -> {}, error -> {});
            assertThatThrownBy(() -> other.block(LIMIT)).hasMessageContaining("planted");
        }
        requireSoundGroup(runners, 1);
    }

    /** In the first micro-step there is no call; the reducing step notices. */
    @Test
    void rankThatLeavesBetweenMicroSteps_isAnErrorOfTheReducingStep() {
        List<GradientHooks> runners = runners(library(2));
        requireLocal(run(runners, rank -> Step.of(gradient("a", 1))));
        world.groups().get(1).close();
        assertThatThrownBy(
                        () -> runners.getFirst().run(Step.of(gradient("a", 1))).block(LIMIT))
                .isInstanceOf(CommException.class)
                .hasMessageContaining("rank");
    }

    @Test
    void gradientOfAnotherSizeThanBefore_failsTheGroup() {
        List<GradientHooks> runners = runners(library(2));
        requireLocal(run(runners, rank -> Step.of(gradient("a", 1))));
        assertThat(run(runners, rank -> rank == 0 ? Step.of(gradient("a", 1, 2)) : Step.of(gradient("a", 1))))
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                InvalidCallException.class,
                                error -> assertThat(error)
                                        .hasMessageContainingAll(
                                                "changed between the micro-steps of a group", "name=a")));
    }

    @Test
    void whatTheLibraryDoesNotAddUp_isRefusedBeforeTheFirstStep() {
        ProcessGroup group = world.groups().getFirst();
        for (Parameter parameter : List.of(
                Parameter.sparse("a", DType.FLOAT32, 2, 2),
                new Parameter("a", DType.FLOAT32, new Device("cuda", 0), 2))) {
            GradientBuckets buckets = GradientBuckets.sum(group).registered(List.of(parameter));
            GradientHooks hooks = new GradientHooks();
            assertThatThrownBy(() ->
                            hooks.withAccumulation(2, Accumulation.LIBRARY).register(buckets))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContainingAll("cannot be accumulated by the library", "Accumulation.FRAMEWORK");
            hooks.register(buckets);
            assertThatThrownBy(() -> hooks.withAccumulation(2, Accumulation.LIBRARY))
                    .isInstanceOf(InvalidCallException.class);
            hooks.withAccumulation(2);
            buckets.close();
        }
        assertThatThrownBy(() -> new GradientHooks().withAccumulation(0))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("microSteps=0");
        GradientHooks unregistered = new GradientHooks().withAccumulation(2, Accumulation.LIBRARY);
        SparseTensor rows = new SparseTensor(Tensor.of(new long[] {0}), Tensor.of(new float[] {1}, 1, 1), 3);
        assertThatThrownBy(() ->
                        unregistered.run(Step.of(Gradient.sparse("e", rows))).block(LIMIT))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("name=e", "it is sparse");
    }
}
