package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.SeededRandom;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The contract of hooks with steps that end early on one rank: all ranks hear of it without waiting for a deadline, nothing is borrowed then, and the
 * next step is right.
 */
public abstract class HookFaultContract extends HookWorld {

    static Stream<Arguments> places() {
        return IntStream.range(0, 3)
                .boxed()
                .flatMap(rank -> IntStream.range(0, COUNT).mapToObj(at -> Arguments.of(rank, at)));
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("places")
    void passThatThrows_isATypedErrorOnAllRanks_andTheNextStepIsRight(int culprit, int at) {
        inSharedWorld(3, groups -> {
            List<GradientHooks> hooks = sums(groups);
            List<Model> models = models(groups);
            requireStep(hooks, models);
            models.get(culprit).throwsAt = at;
            requirePlanted(step(hooks, models), culprit);
            requireStep(hooks, models);
        });
    }

    /** Who needs no more of it may have finished; who has not is told. */
    @Test
    void passThatThrowsAfterItsLastGradient_harmsNoLaterStep() {
        inSharedWorld(3, groups -> {
            List<GradientHooks> hooks = sums(groups);
            List<Model> models = models(groups);
            models.get(1).throwsAt = COUNT;
            List<Object> ends = step(hooks, models);
            assertThat(ends.get(1)).isInstanceOf(IllegalStateException.class);
            assertThat(Stream.of(ends.get(0), ends.get(2)).filter(end -> end != DONE))
                    .allSatisfy(end -> assertThat(end)
                            .isInstanceOfSatisfying(
                                    InvalidCallException.class,
                                    error -> assertThat(error).hasMessageContaining("planted")));
            requireStep(hooks, models);
        });
    }

    static Stream<Arguments> corners() {
        return IntStream.range(0, 4)
                .boxed()
                .flatMap(rank -> Stream.of(0, COUNT - 1).map(at -> Arguments.of(rank, at)));
    }

    @ParameterizedTest
    @MethodSource("corners")
    void passThatThrows_behindTwoHooks_endsBoth_onAllRanks(int culprit, int at) {
        inSharedWorld(4, groups -> {
            List<GradientHooks> hooks = square(groups, PASSES);
            List<Model> models = models(groups);
            requireStep(hooks, models);
            models.get(culprit).throwsAt = at;
            requirePlanted(step(hooks, models), culprit);
            requireStep(hooks, models);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void passThatThrows_behindAHookAndBuckets_endsBoth_onAllRanks(boolean bucketsFirst) {
        inSharedWorld(4, groups -> {
            Reducer reducer = (group, name) -> name.equals("rows") == bucketsFirst
                    ? GradientBuckets.sum(group.named(name))
                    : ParallelHooks.modelParallel(group.named(name));
            List<GradientHooks> hooks = square(groups, group -> PASSES, reducer);
            List<Model> models = models(groups);
            for (int at = 0; at < COUNT; at++) {
                for (int culprit = 0; culprit < 4; culprit++) {
                    models.get(culprit).throwsAt = at;
                    requirePlanted(step(hooks, models), culprit);
                    requireStep(hooks, models);
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void stepWithoutGradients_becauseThatThrows_isATypedErrorOnAllRanks(int culprit) {
        inSharedWorld(3, groups -> {
            List<GradientHooks> hooks = sums(groups);
            List<Model> models = models(groups);
            models.get(culprit).throwsAtOnce = true;
            requirePlanted(step(hooks, models), culprit);
            requireStep(hooks, models);
        });
    }

    /** Reactor makes no signal of what is fatal to the JVM: it is thrown at whoever subscribes, or asks for more. */
    @ParameterizedTest
    @CsvSource({"0, false", "1, false", "1, true"})
    void passThatDiesOfAFatalError_isATypedErrorOnAllRanks_andTheNextStepIsRight(int at, boolean bucketsFirst) {
        inSharedWorld(4, groups -> {
            Reducer reducer = (group, name) -> name.equals("rows") == bucketsFirst
                    ? GradientBuckets.sum(group.named(name))
                    : ParallelHooks.modelParallel(group.named(name));
            List<GradientHooks> hooks = square(groups, group -> PASSES, reducer);
            List<Model> models = models(groups);
            models.get(2).fatalAt = at;
            List<Mono<Object>> ends = Stream.of(0, 1, 3)
                    .map(rank -> end(hooks.get(rank).run(models.get(rank))).cache())
                    .toList();
            ends.forEach(Mono::subscribe);
            assertThatThrownBy(() -> hooks.get(2).run(models.get(2)).block(LIMIT))
                    .isInstanceOf(OutOfMemoryError.class);
            ends.forEach(each -> assertThat(each.block(LIMIT))
                    .isInstanceOfSatisfying(
                            InvalidCallException.class,
                            error -> assertThat(error).hasMessageContainingAll("OutOfMemoryError: planted", "rank=2")));
            Mono.when(models.stream()
                            .flatMap(model -> model.tensors.stream())
                            .map(Tensor::released)
                            .toList())
                    .block(LIMIT);
            requireStep(hooks, models);
        });
    }

    /** It ends the world, and the step has its end all the same. */
    @Test
    void takingBackThatDiesOfAFatalError_onTheLoop_endsTheStep() {
        List<ProcessGroup> groups = world(2);
        List<GradientHooks> hooks = sums(groups);
        List<Model> models = models(groups);
        models.getFirst().diesTakingBack = true;
        List<Object> ends = endsOf(hooks, models);
        assertThat(ends.getFirst()).isInstanceOf(OutOfMemoryError.class);
        assertThat(ends.getLast()).isInstanceOfAny(CommException.class, String.class);
    }

    /** The others wait for a call that this rank could not make: they hear why, and not only that it is missing. */
    @Test
    void gradientWhoseCallIsRefused_isTheErrorOfAllRanks() {
        inSharedWorld(2, groups -> {
            AtomicBoolean isFirst = new AtomicBoolean(true);
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(
                            (each, step) -> Mono.just(
                                    each.name().equals("w0") && isFirst.getAndSet(false)
                                            ? new Gradient("w".repeat(2_000), each.tensor())
                                            : each),
                            ParallelHooks.dataParallel(group, ReduceOp.SUM)));
            List<Model> models = models(groups);
            Mono<Object> first = end(hooks.getFirst().run(models.getFirst())).cache();
            first.subscribe();
            Flux.fromIterable(groups)
                    .flatMap(group -> group.named("told").barrier(), 2)
                    .blockLast(LIMIT);

            assertThat(end(hooks.getLast().run(models.getLast())).block(LIMIT))
                    .isInstanceOfSatisfying(
                            InvalidCallException.class,
                            error -> assertThat(error).hasMessageContainingAll("a name is too long", "rank=0"));
            assertThat(first.block(LIMIT)).isInstanceOf(IllegalArgumentException.class);
            requireStep(hooks, models);
        });
    }

    /** Each waits for a call that the other does not make, and has made all of its own. */
    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void names_thatDiffer_areAnErrorOnAllRanks_withoutWaiting(int ranks) {
        inSharedWorld(ranks, groups -> {
            List<GradientHooks> hooks = ranks == 4 ? square(groups, PASSES) : sums(groups);
            List<Model> models = models(groups);
            models.getLast().layer = "other";
            assertThat(step(hooks, models))
                    .hasOnlyElementsOfType(MismatchException.class)
                    .anySatisfy(error -> assertThat(error.toString()).containsPattern("missing=\\S*/(w|other)\\d"));
            requireStep(hooks, models);
        });
    }

    @Test
    void takingBackThatThrows_isThatRanksOwnMatter() {
        inSharedWorld(3, groups -> {
            List<GradientHooks> hooks = sums(groups);
            List<Model> models = models(groups);
            models.get(1).throwsTakingBack = true;
            List<Object> ends = step(hooks, models);
            assertThat(ends.get(1)).isInstanceOf(IllegalStateException.class);
            assertThat(List.of(ends.get(0), ends.get(2))).containsOnly(DONE);
            models.forEach(model -> model.requireSums(7));
            requireStep(hooks, models);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void cancellingARun_freesThePeers(int ranks) {
        inSharedWorld(ranks, groups -> {
            List<GradientHooks> hooks = ranks == 4 ? square(groups, PASSES) : sums(groups);
            List<Model> models = models(groups);
            models.getFirst().neverFrom = COUNT - 1;
            Disposable cancelled = hooks.getFirst().run(models.getFirst()).subscribe();
            Mono<List<Object>> others = Flux.range(1, ranks - 1)
                    .flatMap(rank -> end(hooks.get(rank).run(models.get(rank))), ranks)
                    .collectList()
                    .cache();
            others.subscribe();
            awaitLatch(models.getFirst().first);
            cancelled.dispose();
            assertThat(others.block(LIMIT))
                    .allSatisfy(end -> assertThat(end)
                            .isInstanceOfSatisfying(
                                    GroupClosedException.class,
                                    error -> assertThat(error).hasMessageContainingAll("cancelled", "rank=0")));
            Mono.when(models.getFirst().tensors.stream().map(Tensor::released).toList())
                    .block(LIMIT);
            requireStep(hooks, models);
        });
    }

    @Tag("smoke")
    @Test
    void cancellingARun_ofWhichNoMoreIsNeeded_harmsNobody() {
        inSharedWorld(3, groups -> {
            List<GradientHooks> hooks = sums(groups);
            List<Model> models = models(groups);
            models.getFirst().neverFrom = COUNT;
            Disposable cancelled = hooks.getFirst().run(models.getFirst()).subscribe();
            List<Object> others = Objects.requireNonNull(Flux.range(1, 2)
                    .flatMap(rank -> end(hooks.get(rank).run(models.get(rank))), 2)
                    .collectList()
                    .block(LIMIT));
            awaitLatch(models.getFirst().all);
            cancelled.dispose();
            assertThat(others).containsOnly(DONE);
            requireStep(hooks, models);
        });
    }

    /** Ranks 1 and 2 share a group with the culprit, and rank 3 one with each of these. */
    @Test
    void stepThatFailedBeforeItBeginsHere_runsNoBackwardPass_andEndsTheHooksOfOtherRanks() {
        inSharedWorld(4, groups -> {
            List<GradientHooks> hooks = square(groups, PASSES);
            List<Model> models = models(groups);
            models.getFirst().throwsAtOnce = true;
            assertThat(end(hooks.getFirst().run(models.getFirst())).block(LIMIT))
                    .isInstanceOf(IllegalStateException.class);
            Flux.fromIterable(groups)
                    .flatMap(group -> group.named("told").barrier(), 4)
                    .blockLast(LIMIT);

            // Rank 2 has the group behind from the culprit, and alone tells rank 3 in the one in front.
            Mono<Object> third = end(hooks.get(3).run(models.get(3))).cache();
            third.subscribe();
            assertThat(end(hooks.get(2).run(models.get(2))).block(LIMIT)).isInstanceOf(InvalidCallException.class);
            assertThat(third.block(LIMIT))
                    .isInstanceOfSatisfying(
                            InvalidCallException.class,
                            error -> assertThat(error).hasMessageContaining("planted"));
            assertThat(end(hooks.get(1).run(models.get(1))).block(LIMIT)).isInstanceOf(InvalidCallException.class);
            assertThat(models.get(1).passes).hasValue(0);
            assertThat(models.get(2).passes).hasValue(0);
            requireStep(hooks, models);
        });
    }

    /** Without {@link GradientHooks}: each subscription is the next step. */
    @Test
    void stepsOfOneFlux_ofWhichOneFails_goOn() {
        inSharedWorld(2, groups -> {
            List<Model> models = models(groups);
            List<Flux<Gradient>> steps = groups.stream()
                    .map(group -> Flux.defer(models.get(group.rank())::gradients)
                            .transform(GradientHooks.of(ParallelHooks.modelParallel(group))))
                    .toList();
            for (int at : new int[] {NEVER, 1, 0, NEVER}) {
                models.getLast().throwsAt = at;
                List<Object> ends = Objects.requireNonNull(Flux.fromIterable(steps)
                        .flatMapSequential(step -> end(step.then()), 2)
                        .collectList()
                        .block(LIMIT));
                if (at == NEVER) {
                    assertThat(ends).containsOnly(DONE);
                    models.forEach(model -> model.requireSums(3));
                } else {
                    requirePlanted(ends, 1);
                }
            }
        });
    }

    /** A fault of one rank in a step. */
    private enum Trouble {
        NONE,
        THROWS,
        MISSING,
        HOOK,
        CANCELS
    }

    /** Which ranks know what of a step's end depends on when each hears of it: whatever they know, a step without trouble is right. */
    @Test
    void stepsWithAnyTroubles_areFollowedByOneThatIsRight() {
        int rounds = Depth.count("hooks.rounds", 400);
        long from = Long.getLong("hooks.from", 1);
        inSharedWorld(4, groups -> {
            for (long seed = from; seed < from + rounds; seed++) {
                try {
                    troubled(groups, new SeededRandom(seed));
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("seed=" + seed, e);
                }
            }
        });
    }

    private void troubled(List<ProcessGroup> groups, SeededRandom dice) {
        List<AtomicBoolean> thrown =
                groups.stream().map(ignored -> new AtomicBoolean(true)).toList();
        List<GradientBuckets> made = new ArrayList<>();
        int buckets = dice.below(3);
        List<GradientHooks> hooks = square(
                groups, group -> throwingWhile(() -> !thrown.get(group.rank()).getAndSet(true)), (group, name) -> {
                    if (buckets == (name.equals("rows") ? 0 : 1)) {
                        return ParallelHooks.modelParallel(group.named(name));
                    }
                    made.add(GradientBuckets.sum(group.named(name)));
                    return made.getLast();
                });
        List<Model> models = models(groups);
        int steps = 1 + dice.below(4);
        for (int step = 0; step < steps; step++) {
            troubledStep(hooks, models, thrown, dice);
            thrown.forEach(each -> each.set(true));
            if (dice.percent(50)) {
                requireStep(hooks, models);
            }
        }
        requireStep(hooks, models);
        made.forEach(GradientBuckets::close);
    }

    /** One rank at most leaves a gradient out: what no rank has ever shown, buckets do not know. */
    private void troubledStep(
            List<GradientHooks> hooks, List<Model> models, List<AtomicBoolean> thrown, SeededRandom dice) {
        List<Disposable> left = new ArrayList<>();
        List<Mono<Object>> ends = new ArrayList<>();
        Trouble most = dice.oneOf(List.of(Trouble.values()));
        int culprit = dice.below(models.size());
        for (int rank = 0; rank < models.size(); rank++) {
            Trouble trouble = rank == culprit
                    ? most
                    : dice.percent(80)
                            ? Trouble.NONE
                            : dice.oneOf(List.of(Trouble.THROWS, Trouble.HOOK, Trouble.CANCELS));
            Model model = models.get(rank);
            model.throwsAt = trouble == Trouble.THROWS ? dice.below(COUNT + 1) : NEVER;
            model.missing = trouble == Trouble.MISSING ? dice.below(COUNT) : NEVER;
            thrown.get(rank).set(trouble != Trouble.HOOK);
            if (trouble == Trouble.CANCELS) {
                left.add(hooks.get(rank).run(model).subscribe(none -> {}, error -> {}));
            } else {
                Mono<Object> end = end(hooks.get(rank).run(model)).cache();
                end.subscribe();
                ends.add(end);
            }
        }
        left.forEach(Disposable::dispose);
        Mono.when(ends).block(LIMIT);
        Mono.when(models.stream()
                        .flatMap(model -> model.tensors.stream())
                        .map(Tensor::released)
                        .toList())
                .block(LIMIT);
    }

    private static GradientHook throwingWhile(BooleanSupplier isToThrow) {
        return (gradient, step) -> {
            if (isToThrow.getAsBoolean()) {
                throw new IllegalStateException("planted");
            }
            return Mono.just(gradient);
        };
    }
}
