package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Steps with gradients that are not finite, on one rank or only as a sum. */
class FiniteCheckTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final List<String> NAMES = List.of("a", "b", "c");

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

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            results.put(reduced.name(), reduced.tensor().toFloatArray());
            return Mono.empty();
        }
    }

    private static Gradient gradient(String name, float... values) {
        return new Gradient(name, Tensor.of(values));
    }

    /** {@return a step of three gradients of two elements} @param name of the gradient whose second element is planted, or "" */
    private static Step planted(String name, float value) {
        return Step.of(NAMES.stream()
                .map(each -> gradient(each, 1, each.equals(name) ? value : 2))
                .toArray(Gradient[]::new));
    }

    /** Each gradient is in a bucket of its own, or two are in one. */
    private static GradientBuckets buckets(ProcessGroup group) {
        BucketOptions options = BucketOptions.DEFAULT.withScaling(Scaling.SUM).withBucketBytes(8);
        return GradientBuckets.of(group.named("gradients"), options)
                .registered(NAMES.stream()
                        .map(name -> new Parameter(name, DType.FLOAT32, 2))
                        .toList());
    }

    private List<GradientHooks> checking(FiniteCheck mode) {
        return runners(group -> GradientHooks.of(buckets(group)).withFiniteCheck(mode, group.named("check")));
    }

    private List<GradientHooks> runners(Function<ProcessGroup, GradientHooks> making) {
        return world.groups().stream().map(making).toList();
    }

    /** {@return how a step ends on each rank: a {@link StepEnd} or an error} */
    private static List<Object> run(List<GradientHooks> runners, IntFunction<Step> steps) {
        return IntStream.range(0, runners.size())
                .mapToObj(rank -> runners.get(rank)
                        .run(steps.apply(rank))
                        .<Object>map(end -> end)
                        .onErrorResume(Mono::just)
                        .toFuture())
                .toList()
                .stream()
                .map(end -> Mono.fromFuture(end).block(LIMIT))
                .toList();
    }

    private static void requireSkipped(List<Object> ends, List<Step> steps) {
        assertThat(ends)
                .allSatisfy(end -> assertThat(end).isInstanceOfSatisfying(StepEnd.class, skipped -> {
                    assertThat(skipped.skipped()).isTrue();
                    assertThat(skipped.isLocal()).isFalse();
                    assertThat(skipped.results()).isZero();
                }));
        assertThat(steps).allSatisfy(step -> assertThat(step.results).isEmpty());
    }

    private static void requireSoundStep(List<GradientHooks> runners) {
        List<Step> steps = List.of(planted("", 0), planted("", 0));
        assertThat(run(runners, steps::get))
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                StepEnd.class,
                                sound -> assertThat(sound.skipped()).isFalse()));
        assertThat(steps).allSatisfy(step -> {
            assertThat(step.results.keySet()).containsExactlyInAnyOrderElementsOf(NAMES);
            assertThat(step.results.values())
                    .allSatisfy(values -> assertThat(values).containsExactly(2, 4));
        });
    }

    private static List<Step> plantedOn(int culprit, String name, float value) {
        return IntStream.range(0, 2)
                .mapToObj(rank -> planted(rank == culprit ? name : "", value))
                .toList();
    }

    /** In the first, the middle and the last bucket, on either rank: nothing comes back anywhere, so no optimizer's state moves. */
    @ParameterizedTest
    @CsvSource({"0, a, NaN", "0, b, Infinity", "0, c, -Infinity", "1, a, Infinity", "1, b, NaN", "1, c, NaN"})
    void skip_dropsTheStepOnAllRanks_andTheNextIsRight(int culprit, String name, float value) {
        List<GradientHooks> runners = checking(FiniteCheck.SKIP);
        requireSoundStep(runners);
        List<Step> steps = plantedOn(culprit, name, value);
        requireSkipped(run(runners, steps::get), steps);
        requireSoundStep(runners);
    }

    @ParameterizedTest
    @CsvSource({"0, a, NaN", "0, b, Infinity", "1, c, NaN"})
    void fail_namesRankGradientAndIndex_onAllRanks(int culprit, String name, float value) {
        List<GradientHooks> runners = checking(FiniteCheck.FAIL);
        requireSoundStep(runners);
        assertThat(run(runners, plantedOn(culprit, name, value)::get))
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                InvalidCallException.class,
                                error -> assertThat(error)
                                        .hasMessageContainingAll(
                                                "a gradient is not finite",
                                                "name=" + name,
                                                "index=1",
                                                "rank=" + culprit)));
        requireSoundStep(runners);
    }

    @ParameterizedTest
    @EnumSource(FiniteCheck.class)
    void sumOfFiniteGradients_thatIsNotFinite_countsToo(FiniteCheck mode) {
        List<GradientHooks> runners = checking(mode);
        List<Step> steps = List.of(planted("b", 3e38f), planted("b", 3e38f));
        List<Object> ends = run(runners, steps::get);
        if (mode == FiniteCheck.SKIP) {
            requireSkipped(ends, steps);
        } else {
            assertThat(ends)
                    .allSatisfy(end -> assertThat(end)
                            .isInstanceOfSatisfying(
                                    InvalidCallException.class,
                                    error -> assertThat(error)
                                            .hasMessageContainingAll(
                                                    "the result of finite gradients is not finite",
                                                    "name=b",
                                                    "index=1",
                                                    "rank=")));
        }
        requireSoundStep(runners);
    }

    /** Each rank has a shard of the model, and reduces over a group of its own; the check's group stops both. */
    @ParameterizedTest
    @EnumSource(FiniteCheck.class)
    void shardOfAModel_stopsAllOthers(FiniteCheck mode) {
        try (LocalWorld first = ReactiveComm.local(1);
                LocalWorld second = ReactiveComm.local(1)) {
            List<LocalWorld> shards = List.of(first, second);
            List<GradientHooks> runners = runners(group -> GradientHooks.of(
                            buckets(shards.get(group.rank()).groups().getFirst()))
                    .withFiniteCheck(mode, group));
            List<Step> steps = plantedOn(1, "c", Float.NaN);
            List<Object> ends = run(runners, steps::get);
            if (mode == FiniteCheck.SKIP) {
                requireSkipped(ends, steps);
            } else {
                assertThat(ends)
                        .allSatisfy(end -> assertThat(end)
                                .isInstanceOfSatisfying(
                                        InvalidCallException.class,
                                        error -> assertThat(error)
                                                .hasMessageContainingAll("name=c", "index=1", "rank=")));
            }
            List<Step> sound = List.of(planted("", 0), planted("", 0));
            assertThat(run(runners, sound::get))
                    .allSatisfy(end -> assertThat(end).isInstanceOf(StepEnd.class));
            assertThat(sound).allSatisfy(step -> assertThat(step.results).hasSize(3));
        }
    }

    @Test
    void otherConsequenceOnOneRank_isAMismatch() {
        List<GradientHooks> runners = runners(group -> GradientHooks.of(buckets(group))
                .withFiniteCheck(group.rank() == 0 ? FiniteCheck.SKIP : FiniteCheck.FAIL, group));
        assertThat(run(runners, rank -> planted("", 0)))
                .allSatisfy(end -> assertThat(end)
                        .isInstanceOfSatisfying(
                                MismatchException.class,
                                error -> assertThat(error)
                                        .hasMessageContainingAll("finite check SKIP", "finite check FAIL")));
    }

    /** The rows of a sparse result are the hook's own until a program takes them. */
    @Test
    void skip_closesTheRowsOfSparseResults() {
        List<Gradient> reduced = new CopyOnWriteArrayList<>();
        List<GradientHooks> runners = runners(group -> {
            GradientHooks hooks = GradientHooks.of(GradientBuckets.sum(group.named("gradients"))
                    .registered(
                            List.of(Parameter.sparse("e", DType.FLOAT32, 3, 1), new Parameter("a", DType.FLOAT32, 1))));
            hooks.register((gradient, step) -> {
                reduced.add(gradient);
                return Mono.just(gradient);
            });
            return hooks.withFiniteCheck(FiniteCheck.SKIP, group.named("check"));
        });
        List<Step> steps = IntStream.range(0, 2)
                .mapToObj(rank -> Step.of(
                        Gradient.sparse(
                                "e", new SparseTensor(Tensor.of(new long[] {1}), Tensor.of(new float[] {1}, 1, 1), 3)),
                        gradient("a", rank == 0 ? Float.NaN : 1)))
                .toList();
        requireSkipped(run(runners, steps::get), steps);
        assertThat(reduced.stream().filter(each -> each.rows() != null).toList())
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.tensor().keep()).isFalse());
    }

    @Test
    void skippedStep_clearsTheLibrarysSums() {
        List<GradientHooks> runners = checking(FiniteCheck.SKIP).stream()
                .map(each -> each.withAccumulation(2, Accumulation.LIBRARY))
                .toList();
        run(runners, plantedOn(0, "a", Float.NaN)::get);
        List<Step> last = List.of(planted("", 0), planted("", 0));
        requireSkipped(run(runners, last::get), last);
        run(runners, rank -> planted("", 0));
        List<Step> next = List.of(planted("", 0), planted("", 0));
        assertThat(run(runners, next::get)).allSatisfy(end -> assertThat(end).isInstanceOf(StepEnd.class));
        assertThat(next).allSatisfy(step -> assertThat(step.results.get("a")).containsExactly(4, 8));
    }

    /** A step with a non-finite gradient is skipped before its norm is taken; the next one is clipped. */
    @Test
    void skip_isInFrontOfClipping() {
        List<GradientHooks> runners = checking(FiniteCheck.SKIP).stream()
                .map(each -> each.clipByGlobalNorm(1))
                .toList();
        List<Step> steps = plantedOn(1, "b", Float.POSITIVE_INFINITY);
        requireSkipped(run(runners, steps::get), steps);
        List<Step> next = List.of(planted("", 0), planted("", 0));
        run(runners, next::get);
        float norm = (float) Math.sqrt(3 * (4 + 16));
        assertThat(next)
                .allSatisfy(step -> assertThat(step.results.get("c"))
                        .containsExactly(new float[] {2 / norm, 4 / norm}, within(1e-6f)));
    }

    /** Results are held as the pass fails or is cancelled: nothing is handed out, and the next step is right. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void passThatFailsOrIsCancelledInTheMiddle_handsNothingOut(boolean isCancelled) {
        List<GradientHooks> runners = checking(FiniteCheck.SKIP);
        Step broken = new Step(
                Flux.concat(
                        planted("", 0).gradients,
                        isCancelled ? Flux.never() : Flux.error(new IllegalStateException("planted"))),
                new ConcurrentHashMap<>());
        Step other = new Step(Flux.concat(planted("", 0).gradients, Flux.never()), new ConcurrentHashMap<>());
        Mono<StepEnd> second = runners.get(1).run(other);
        Disposable first = runners.get(0).run(broken).subscribe(end -> {}, error -> {});
        if (isCancelled) {
            Disposable both = second.subscribe(end -> {}, error -> {});
            first.dispose();
            both.dispose();
        } else {
            assertThatThrownBy(() -> second.block(LIMIT)).hasMessageContaining("planted");
        }
        assertThat(broken.results).isEmpty();
        assertThat(other.results).isEmpty();
        requireSoundStep(runners);
    }

    @ParameterizedTest
    @EnumSource(FiniteCheck.class)
    void rankThatLeavesInTheMiddle_isAnErrorOfTheOther(FiniteCheck mode) {
        List<GradientHooks> runners = checking(mode);
        requireSoundStep(runners);
        Step waiting = new Step(Flux.concat(planted("", 0).gradients, Flux.never()), new ConcurrentHashMap<>());
        Disposable left = runners.get(1).run(waiting).subscribe(end -> {}, error -> {});
        Mono<StepEnd> own = runners.get(0).run(planted("", 0)).cache();
        own.subscribe(end -> {}, error -> {});
        world.groups().get(1).abort("planted");
        assertThatThrownBy(() -> own.block(LIMIT)).isInstanceOf(CommException.class);
        left.dispose();
    }

    @Test
    void integers_areFinite_andDevicesAreRefusedAtOnce() {
        ProcessGroup group = world.groups().getFirst();
        GradientBuckets buckets = GradientBuckets.sum(group)
                .registered(List.of(new Parameter("a", DType.FLOAT32, new Device("cuda", 0), 1)));
        GradientHooks hooks = GradientHooks.of(buckets);
        assertThatThrownBy(() -> hooks.withFiniteCheck(FiniteCheck.SKIP, group))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("cannot be checked", "it is on a device");
        List<GradientHooks> runners = runners(each -> new GradientHooks().withFiniteCheck(FiniteCheck.FAIL, each));
        List<StepEnd> ends = Flux.fromIterable(runners)
                .flatMap(each -> each.run(new TrainingStep() {
                    @Override
                    public Flux<Gradient> gradients() {
                        return Flux.just(new Gradient("a", Tensor.of(new int[] {-1})));
                    }

                    @Override
                    public Mono<Void> takeBack(Gradient reduced) {
                        return Mono.empty();
                    }
                }))
                .collectList()
                .block(LIMIT);
        assertThat(ends).containsExactly(new StepEnd(0, 1, 1), new StepEnd(0, 1, 1));
    }
}
