package io.reactivecomm.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivecomm.CommSwitches;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Steps of a local world through the runner. */
class GradientHooksTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final LocalWorld world = ReactiveComm.local(2);

    @AfterEach
    void close() {
        world.close();
    }

    /** One rank's step: what it produces, and what came back. */
    private record Step(Flux<Gradient> gradients, Map<String, Float> results) implements TrainingStep {

        static Step of(Flux<Gradient> gradients) {
            return new Step(gradients, new ConcurrentHashMap<>());
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            results.put(reduced.name(), value(reduced));
            return Mono.empty();
        }
    }

    private static float value(Gradient gradient) {
        return gradient.tensor().toFloatArray()[0];
    }

    private static Gradient gradient(String name, float value) {
        return new Gradient(name, Tensor.of(new float[] {value}));
    }

    private List<GradientHooks> runners(Function<ProcessGroup, List<GradientHook>> hooks) {
        return world.groups().stream()
                .map(group -> {
                    GradientHooks runner = new GradientHooks();
                    hooks.apply(group).forEach(runner::register);
                    return runner;
                })
                .toList();
    }

    /** {@return the error of each rank, or null} */
    private static List<@Nullable Throwable> run(List<GradientHooks> runners, List<Step> steps) {
        List<Mono<StepEnd>> ends = IntStream.range(0, runners.size())
                .mapToObj(rank -> runners.get(rank).run(steps.get(rank)).cache())
                .toList();
        ends.forEach(GradientHooksTest::start);
        List<@Nullable Throwable> errors = new ArrayList<>();
        ends.forEach(end -> errors.add(catchThrowable(() -> end.block(LIMIT))));
        return errors;
    }

    /** Its error is asked for later. */
    private static void start(Mono<?> end) {
        end.subscribe(value -> {}, error -> {});
    }

    private static void requireSoundStep(List<GradientHooks> runners) {
        List<Step> steps = List.of(Step.of(Flux.just(gradient("w", 1))), Step.of(Flux.just(gradient("w", 3))));
        assertThat(run(runners, steps)).containsOnlyNulls();
        assertThat(steps).allSatisfy(step -> assertThat(step.results).containsEntry("w", 2f));
    }

    private List<GradientHooks> averaging() {
        return runners(group -> List.of(ParallelHooks.dataParallel(group)));
    }

    private static Mono<Gradient> doubled(Gradient gradient) {
        return Mono.just(gradient(gradient.name(), 2 * value(gradient)));
    }

    @Test
    void run_hooksInOrder_gradientsInAnyOrder() {
        List<GradientHooks> runners = runners(group ->
                List.of((gradient, step) -> doubled(gradient), ParallelHooks.dataParallel(group, ReduceOp.SUM)));
        List<Step> steps = List.of(
                Step.of(Flux.just(gradient("a", 1), gradient("b", 2))),
                Step.of(Flux.just(gradient("b", 20), gradient("a", 10))));

        assertThat(run(runners, steps)).containsOnlyNulls();
        assertThat(steps).allSatisfy(step -> assertThat(step.results).isEqualTo(Map.of("a", 22f, "b", 44f)));
        requireStepEnd(runners);
    }

    private static void requireStepEnd(List<GradientHooks> runners) {
        List<StepEnd> ends = Flux.fromIterable(runners)
                .flatMap(runner -> runner.run(Step.of(Flux.just(gradient("a", 1)))))
                .collectList()
                .block(LIMIT);
        assertThat(ends).containsExactly(new StepEnd(1, 1, 1), new StepEnd(1, 1, 1));
    }

    @Test
    void run_withoutHooks_gradientsComeBack() {
        Step step = Step.of(Flux.just(gradient("a", 1), Gradient.absent("b")));

        assertThat(new GradientHooks().run(step).block(LIMIT)).isEqualTo(new StepEnd(0, 1, 1));
        assertThat(step.results).isEqualTo(Map.of("a", 1f));
    }

    @Test
    void run_otherNames_failsWhereTheyAreProduced_andTheNextStepIsRight() {
        List<GradientHooks> runners = averaging();
        List<Step> steps = List.of(Step.of(Flux.just(gradient("a", 1))), Step.of(Flux.just(gradient("b", 1))));

        assertThat(run(runners, steps)).anySatisfy(error -> assertThat(error).isInstanceOf(MismatchException.class));
        requireSoundStep(runners);
    }

    @Test
    void run_passThatFails_failsOnAllRanks_andTheNextStepIsRight() {
        List<GradientHooks> runners = averaging();
        List<Step> steps = List.of(
                Step.of(Flux.just(gradient("a", 1))), Step.of(Flux.error(new IllegalStateException("no more memory"))));
        List<@Nullable Throwable> errors = run(runners, steps);

        assertThat(errors.get(0)).isInstanceOf(InvalidCallException.class).hasMessageContaining("no more memory");
        assertThat(errors.get(1)).isInstanceOf(IllegalStateException.class).hasMessage("no more memory");
        requireSoundStep(runners);
    }

    @Test
    void run_hookThatThrows_failsOnAllRanks_andTheNextStepIsRight() {
        List<GradientHooks> runners = runners(group -> List.of(ParallelHooks.dataParallel(group), (gradient, step) -> {
            if (step.number() == 0 && group.rank() == 1) {
                throw new IllegalStateException("no clipping");
            }
            return Mono.just(gradient);
        }));
        // Rank 0 produces one that rank 1 does not before it fails, so neither can be done earlier.
        List<Step> steps = List.of(
                Step.of(Flux.just(gradient("a", 1), gradient("b", 1))),
                Step.of(Flux.concat(Mono.just(gradient("a", 1)), Mono.never())));
        List<@Nullable Throwable> errors = run(runners, steps);

        assertThat(errors.get(0)).isInstanceOf(InvalidCallException.class).hasMessageContaining("no clipping");
        assertThat(errors.get(1)).isInstanceOf(IllegalStateException.class).hasMessage("no clipping");
        requireSoundStep(runners);
    }

    @Test
    void run_cancelledOnOneRank_failsWhereMoreIsNeeded_andTheNextStepIsRight() {
        List<GradientHooks> runners = averaging();
        Step waiting = Step.of(Flux.just(gradient("a", 1)));
        Mono<StepEnd> other = runners.get(0).run(waiting).cache();
        start(other);
        runners.get(1).run(Step.of(Flux.never())).subscribe().dispose();

        assertThat(catchThrowable(() -> other.block(LIMIT))).isInstanceOf(GroupClosedException.class);
        requireSoundStep(runners);
    }

    @Test
    void run_takingBackThatFails_isThatRanksError() {
        List<GradientHooks> runners = averaging();
        TrainingStep failing = new TrainingStep() {
            @Override
            public Flux<Gradient> gradients() {
                return Flux.just(gradient("a", 1));
            }

            @Override
            public Mono<Void> takeBack(Gradient reduced) {
                throw new IllegalStateException("no optimizer");
            }
        };
        Mono<StepEnd> own = runners.get(0).run(failing).cache();
        start(own);

        assertThat(runners.get(1).run(Step.of(Flux.just(gradient("a", 1)))).block(LIMIT))
                .isNotNull();
        assertThat(catchThrowable(() -> own.block(LIMIT))).hasMessage("no optimizer");
        requireSoundStep(runners);
    }

    @Test
    void run_otherHooks_mismatch() {
        List<GradientHooks> runners = averaging();
        runners.get(1)
                .register(
                        (gradient, step) -> Mono.just(gradient),
                        HookScope.of(world.groups().get(1)));
        List<Step> steps = List.of(Step.of(Flux.just(gradient("a", 1))), Step.of(Flux.just(gradient("a", 1))));

        assertThat(run(runners, steps)).allSatisfy(error -> assertThat(error).isInstanceOf(MismatchException.class));
    }

    @Test
    void run_sameGroupTwice_isRefused() {
        List<GradientHooks> runners =
                runners(group -> List.of(ParallelHooks.dataParallel(group), ParallelHooks.modelParallel(group)));
        List<Step> steps = List.of(Step.of(Flux.just(gradient("a", 1))), Step.of(Flux.just(gradient("a", 1))));

        assertThat(run(runners, steps))
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("reduced over the same ranks before: name=a"));
    }

    @Test
    void run_sharedMemory_isRefused() {
        List<GradientHooks> runners = averaging();
        Tensor tied = Tensor.of(new float[] {1, 2});
        List<Step> steps = List.of(
                Step.of(Flux.just(new Gradient("a", tied), new Gradient("b", tied.slice(1, 1)))),
                Step.of(Flux.just(gradient("a", 1), gradient("b", 1))));

        assertThat(run(runners, steps).getFirst())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("first=a, second=b");
        requireSoundStep(runners);
    }

    @Test
    void hook_thatKeepsGradients_givesThemBackAtTheEndOfItsPass() {
        List<String> ends = new CopyOnWriteArrayList<>();
        List<GradientHooks> runners = runners(group -> List.of(
                new GradientHook() {
                    private final List<Gradient> kept = new ArrayList<>();

                    @Override
                    public void begins(StepView step) {
                        step.ended().subscribe(nothing -> {}, error -> ends.add("failed"), () -> ends.add("succeeded"));
                    }

                    @Override
                    public Mono<Gradient> apply(Gradient gradient, StepView step) {
                        kept.add(gradient);
                        return Mono.empty();
                    }

                    @Override
                    public Flux<Gradient> passEnded(StepView step) {
                        return Flux.fromIterable(List.copyOf(kept)).doFinally(end -> kept.clear());
                    }
                },
                ParallelHooks.dataParallel(group)));

        requireSoundStep(runners);
        requireSoundStep(runners);
        assertThat(ends).containsExactlyElementsOf(Collections.nCopies(4, "succeeded"));
    }

    @Test
    void scope_otherGradientsPassByTheHook() {
        List<GradientHooks> runners = world.groups().stream()
                .map(group -> {
                    GradientHooks runner = new GradientHooks();
                    runner.register(
                            ParallelHooks.dataParallel(group),
                            HookScope.of(group).withNames("dense"::equals));
                    return runner;
                })
                .toList();
        List<Step> steps = List.of(
                Step.of(Flux.just(gradient("dense", 1), gradient("expert", 7))),
                Step.of(Flux.just(gradient("dense", 3))));

        assertThat(run(runners, steps)).containsOnlyNulls();
        assertThat(steps.getFirst().results).isEqualTo(Map.of("dense", 2f, "expert", 7f));
    }

    @Test
    void source_thatComputesAsItIsSubscribedTo_handsGradientsOverMeanwhile() {
        List<String> events = new CopyOnWriteArrayList<>();
        GradientHooks runner = new GradientHooks();
        runner.register((gradient, step) -> {
            events.add("apply " + gradient.name());
            return Mono.just(gradient);
        });
        Flux<Gradient> pass = Flux.create(sink -> {
            for (String name : List.of("a", "b")) {
                events.add("compute " + name);
                sink.next(gradient(name, 1));
            }
            sink.complete();
        });

        assertThat(runner.run(Step.of(pass)).block(LIMIT)).isNotNull();
        assertThat(events).containsExactly("compute a", "apply a", "compute b", "apply b");
    }

    @Test
    void run_allReducesOff_gradientsComeBackAsTheyAre() {
        List<GradientHooks> runners = averaging();
        Flux.fromIterable(world.groups())
                .flatMap(group -> CommSwitches.of(group).off(Set.of(Operation.ALL_REDUCE)))
                .blockLast(LIMIT);
        List<Step> steps = List.of(Step.of(Flux.just(gradient("w", 1))), Step.of(Flux.just(gradient("w", 3))));
        assertThat(run(runners, steps)).containsOnlyNulls();
        assertThat(steps.get(0).results).containsEntry("w", 1f);
        assertThat(steps.get(1).results).containsEntry("w", 3f);

        Flux.fromIterable(world.groups())
                .flatMap(group -> CommSwitches.of(group).on(Set.of(Operation.ALL_REDUCE)))
                .blockLast(LIMIT);
        requireSoundStep(runners);
    }

    /** Reactor rethrows an error that is fatal to the JVM instead of signalling it. All ranks receive it. */
    @Test
    void run_fatalErrorInAHook_failsOnAllRanks_andIsThrownOn() {
        List<GradientHooks> runners = averaging();
        runners.get(1).register(new GradientHook() {
            @Override
            public void begins(StepView step) {
                if (step.number() == 0) {
                    throw new LinkageError("planted");
                }
            }

            @Override
            public Mono<Gradient> apply(Gradient gradient, StepView step) {
                return Mono.just(gradient);
            }
        });
        Mono<StepEnd> other =
                runners.get(0).run(Step.of(Flux.just(gradient("a", 1)))).cache();
        start(other);
        List<Throwable> own = new CopyOnWriteArrayList<>();
        Throwable thrown = catchThrowable(
                () -> runners.get(1).run(Step.of(Flux.just(gradient("a", 1)))).subscribe(end -> {}, own::add));

        assertThat(thrown).isInstanceOf(LinkageError.class);
        assertThat(catchThrowable(() -> other.block(LIMIT))).hasMessageContaining("LinkageError: planted");
        requireSoundStep(runners);
    }

    @Test
    void run_closedGroup_failsAtOnce() {
        List<GradientHooks> runners = averaging();
        world.close();

        assertThat(catchThrowable(() -> runners.getFirst()
                        .run(Step.of(Flux.error(new AssertionError("the pass runs"))))
                        .block(LIMIT)))
                .isInstanceOf(GroupClosedException.class);
    }

    @Test
    void hook_thatThrowsAsItBegins_failsOnAllRanks_andTheNextStepIsRight() {
        List<GradientHooks> runners = averaging();
        Disposable failing = runners.get(1).register(new GradientHook() {
            @Override
            public void begins(StepView step) {
                throw new IllegalStateException("no plan");
            }

            @Override
            public Mono<Gradient> apply(Gradient gradient, StepView step) {
                return Mono.just(gradient);
            }
        });
        List<Step> steps = List.of(Step.of(Flux.just(gradient("a", 1))), Step.of(Flux.just(gradient("a", 1))));
        List<@Nullable Throwable> errors = run(runners, steps);

        assertThat(errors.get(0)).isInstanceOf(InvalidCallException.class).hasMessageContaining("no plan");
        assertThat(errors.get(1)).isInstanceOf(IllegalStateException.class).hasMessage("no plan");
        failing.dispose();
        requireSoundStep(runners);
    }

    @Test
    void notices_comeToTheHook_andTheViewEndsWithTheCancellation() {
        List<String> events = new CopyOnWriteArrayList<>();
        GradientHooks runner = new GradientHooks();
        runner.register(new GradientHook() {
            @Override
            public void begins(StepView step) {
                step.ended()
                        .subscribe(
                                nothing -> {},
                                error -> events.add(error.getClass().getSimpleName()));
            }

            @Override
            public Mono<Gradient> apply(Gradient gradient, StepView step) {
                return Mono.never();
            }

            @Override
            public void absent(String name, StepView step) {
                events.add("absent " + name);
            }

            @Override
            public void kept(String name, StepView step) {
                events.add("kept " + name);
            }
        });
        runner.run(Step.of(Flux.just(Gradient.absent("a"), Gradient.kept("b"), gradient("c", 1))))
                .subscribe()
                .dispose();

        assertThat(events).containsExactly("absent a", "kept b", "CancellationException");
    }

    @Test
    void hook_withoutAGroup_thatMakesCalls_isRefused() {
        GradientHooks runner = new GradientHooks();
        runner.register((gradient, step) -> step.group().barrier().thenReturn(gradient));

        assertThat(catchThrowable(
                        () -> runner.run(Step.of(Flux.just(gradient("a", 1)))).block(LIMIT)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("HookScope.of(group)");
    }

    @Test
    void hook_thatReturnsNothing_failsWithAnErrorThatSaysSo() {
        GradientHooks runner = new GradientHooks();
        runner.register(new NoPublisher());

        assertThat(catchThrowable(
                        () -> runner.run(Step.of(Flux.just(gradient("a", 1)))).block(LIMIT)))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("a hook has returned no publisher");
    }

    /** A hook that breaks its contract. */
    private static final class NoPublisher implements GradientHook {

        @Override
        @SuppressWarnings({"DataFlowIssue", "NullAway", "ReturnOfNull"})
        public Mono<Gradient> apply(Gradient gradient, StepView step) {
            return null;
        }
    }

    /** Steps that fail, are cancelled or lack gradients on one rank, at any moment: the next one is right. */
    @Test
    void steps_withTroublesAtAnyMoment_leaveNothingBehind() {
        List<GradientHooks> runners = averaging();
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 100; round++) {
            List<Disposable> steps = new ArrayList<>();
            for (GradientHooks runner : runners) {
                Flux<Gradient> pass = random.nextInt(4) == 0
                        ? Flux.error(new IllegalStateException("no data"))
                        : Flux.just(gradient("v", 1), gradient("w", 2)).take(1 + random.nextInt(2));
                steps.add(runner.run(Step.of(pass.publishOn(Schedulers.parallel())))
                        .subscribe(end -> {}, error -> {}));
            }
            if (random.nextBoolean()) {
                steps.get(random.nextInt(2)).dispose();
            }
            requireSoundStep(runners);
        }
    }

    @Test
    void transform_resultsByDemand() {
        List<GradientHooks> runners = averaging();
        Flux<Gradient> other = Flux.just(gradient("a", 1), gradient("b", 1)).transform(runners.get(1));
        Mono<List<Gradient>> all = other.collectList().cache();
        start(all);

        StepVerifier.create(Flux.just(gradient("a", 3), gradient("b", 5)).transform(runners.get(0)), 0)
                .thenRequest(1)
                .assertNext(result -> assertThat(value(result)).isEqualTo(2))
                .thenRequest(1)
                .assertNext(result -> assertThat(value(result)).isEqualTo(3))
                .expectComplete()
                .verify(LIMIT);
        assertThat(all.block(LIMIT)).hasSize(2);
    }

    @Test
    void hold_delaysTheTerminalSignal() {
        List<Runnable> holds = new CopyOnWriteArrayList<>();
        List<GradientHooks> runners = runners(group -> List.of((gradient, step) -> {
            holds.add(step.hold());
            return Mono.just(gradient);
        }));
        Mono<StepEnd> end =
                runners.getFirst().run(Step.of(Flux.just(gradient("a", 1)))).cache();
        List<StepEnd> ended = new CopyOnWriteArrayList<>();
        end.subscribe(ended::add);

        assertThat(ended).isEmpty();
        holds.forEach(Runnable::run);
        assertThat(ended).containsExactly(new StepEnd(0, 1, 1));
    }
}
