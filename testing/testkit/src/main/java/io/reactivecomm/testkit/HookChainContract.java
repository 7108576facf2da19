package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.bucket.GradientBuckets;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.hook.GradientHook;
import io.reactivecomm.hook.GradientHooks;
import io.reactivecomm.hook.ParallelHooks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** The contract of hooks that follow each other, whatever operators between or behind them do: every hook takes part in every step. */
public abstract class HookChainContract extends HookWorld {

    /** {@return a hook that throws when it is applied for the first time, on one rank} */
    private static GradientHook throwing(boolean isToThrow) {
        AtomicInteger applied = new AtomicInteger();
        return ready -> {
            if (isToThrow && applied.getAndIncrement() == 0) {
                throw new IllegalStateException("planted");
            }
            return ready;
        };
    }

    @Tag("smoke")
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void hookThatThrowsAsItIsApplied_shiftsNoOther(int culprit) {
        inSharedWorld(4, groups -> {
            List<GradientHooks> hooks = square(
                    groups,
                    group -> throwing(group.rank() == culprit),
                    (group, name) -> ParallelHooks.modelParallel(group));
            List<Model> models = models(groups);
            requirePlanted(step(hooks, models), culprit);
            assertThat(models.get(culprit).passes).hasValue(0);
            requireStep(hooks, models);
        });
    }

    @Test
    void chainInAChain_whoseHookThrowsAsItIsApplied_shiftsNoOther() {
        inSharedWorld(4, groups -> {
            List<GradientHooks> hooks = square(groups, group -> ready -> ready, (group, name) -> {
                boolean isLast = name.equals("columns");
                return isLast
                        ? throwing(group.globalRank(group.rank()) == 0).then(ParallelHooks.modelParallel(group))
                        : ParallelHooks.modelParallel(group);
            });
            List<Model> models = models(groups);
            requirePlanted(step(hooks, models), 0);
            requireStep(hooks, models);
        });
    }

    @Test
    void operatorBetweenTwoHooks_thatThrows_endsBoth() {
        inSharedWorld(4, groups -> {
            AtomicInteger thrown = new AtomicInteger();
            List<GradientHooks> hooks = square(
                    groups,
                    group -> ready -> ready.map(gradient -> {
                        if (group.rank() == 0 && thrown.getAndIncrement() == 0) {
                            throw new IllegalStateException("planted");
                        }
                        return gradient;
                    }),
                    (group, name) -> ParallelHooks.modelParallel(group));
            List<Model> models = models(groups);
            List<Object> ends = Objects.requireNonNull(Flux.range(0, 4)
                    .flatMapSequential(rank -> end(hooks.get(rank).run(models.get(rank))), 4)
                    .collectList()
                    .block(LIMIT));
            assertThat(ends.get(0)).isInstanceOf(IllegalStateException.class);
            // Who shares the group behind is told; the others may have had all of the calls that they needed.
            assertThat(ends.subList(1, 4)).anySatisfy(end -> assertThat(end).isInstanceOf(InvalidCallException.class));
            assertThat(ends.subList(1, 4))
                    .allSatisfy(end -> assertThat(end).isInstanceOfAny(CommException.class, String.class));
            Mono.when(models.stream()
                            .flatMap(model -> model.tensors.stream())
                            .map(Tensor::released)
                            .toList())
                    .block(LIMIT);
            requireStep(hooks, models);
        });
    }

    /** The step ends on rank 3 between the hook behind and the one in front: that one opens all the same, and rank 1 learns from it why. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stepThatEndsBetweenTwoHooks_tellsItsCauseInFront(boolean isBuckets) {
        inSharedWorld(4, groups -> {
            AtomicBoolean isFirst = new AtomicBoolean(true);
            Reducer reducer = (group, name) -> isBuckets && name.equals("columns")
                    ? GradientBuckets.sum(group.named(name))
                    : ParallelHooks.modelParallel(group.named(name));
            List<GradientHooks> hooks = square(
                    groups,
                    group -> ready -> Flux.defer(() -> {
                        if (group.rank() == 3 && isFirst.getAndSet(false)) {
                            group.named("told").barrier().block(LIMIT);
                        }
                        return ready;
                    }),
                    reducer);
            List<Model> models = models(groups);
            models.get(2).throwsAtOnce = true;
            Mono<Object> first = end(hooks.get(1).run(models.get(1))).cache();
            first.subscribe();
            Mono<Object> third = end(hooks.get(3).run(models.get(3)))
                    .subscribeOn(Schedulers.boundedElastic())
                    .cache();
            third.subscribe();
            assertThat(end(hooks.get(2).run(models.get(2))).block(LIMIT)).isInstanceOf(IllegalStateException.class);
            Flux.fromIterable(groups.subList(0, 3))
                    .flatMap(group -> group.named("told").barrier(), 4)
                    .blockLast(LIMIT);

            for (Mono<Object> each : List.of(first, third)) {
                assertThat(each.block(LIMIT))
                        .isInstanceOfSatisfying(
                                InvalidCallException.class,
                                error -> assertThat(error).hasMessageContaining("planted"));
            }
            assertThat(models.get(3).passes).hasValue(0);
            assertThat(end(hooks.get(0).run(models.get(0))).block(LIMIT)).isInstanceOf(InvalidCallException.class);
            requireStep(hooks, models);
        });
    }

    @Test
    void hookThatKeepsTheContextToItself_isOneLikeOthers() {
        inSharedWorld(3, groups -> {
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(
                            ready -> Flux.create(sink -> ready.subscribe(sink::next, sink::error, sink::complete)),
                            ParallelHooks.dataParallel(group, ReduceOp.SUM)));
            requireStep(hooks, models(groups));
        });
    }

    /** The last hook waits for what is under way in the first, and not for an operator that keeps its end to itself. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void operatorBetweenTwoHooks_thatNeverEnds_keepsNoStepFromItsEnd(boolean isBuckets) {
        inSharedWorld(4, groups -> {
            Reducer reducer = (group, name) -> isBuckets && name.equals("columns")
                    ? GradientBuckets.sum(group.named(name))
                    : ParallelHooks.modelParallel(group.named(name));
            List<GradientHooks> hooks =
                    square(groups, group -> ready -> ready.onErrorResume(error -> Flux.never()), reducer);
            List<Model> models = models(groups);
            models.get(3).throwsAt = 1;
            step(hooks, models)
                    .forEach(end -> assertThat(end)
                            .isInstanceOfSatisfying(
                                    RuntimeException.class,
                                    error -> assertThat(error).hasMessageContaining("planted")));
            requireStep(hooks, models);
        });
    }

    /** Reactor's operators are left as they stood, and the step has its end past them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void operatorBehindAHook_thatDiesOfAFatalError_endsTheStep(boolean isBuckets) {
        List<ProcessGroup> groups = world(2);
        AtomicBoolean isFirst = new AtomicBoolean(true);
        List<GradientHooks> hooks = hooks(
                groups,
                group -> List.of(
                        isBuckets ? GradientBuckets.sum(group) : ParallelHooks.dataParallel(group, ReduceOp.SUM),
                        ready -> ready.doOnNext(gradient -> {
                            if (group.rank() == 0 && isFirst.getAndSet(false)) {
                                throw new OutOfMemoryError("planted");
                            }
                        })));
        List<Model> models = models(groups);
        List<Object> ends = endsOf(hooks, models);
        assertThat(ends.getFirst()).isInstanceOf(OutOfMemoryError.class);
        assertThat(ends.getLast()).isInstanceOfAny(CommException.class, String.class);
    }

    /** An operator behind a hook that does not subscribe to it, or not as others do. */
    private enum Behind {
        TAKES_NONE(ready -> ready.take(0)),
        EMPTY(ready -> Flux.empty()),
        FAILS(ready -> Flux.error(planted())),
        FAILS_LATER(ready -> Flux.<Gradient>error(planted()).publishOn(Schedulers.parallel())),
        THROWS(ready -> new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Gradient> subscriber) {
                throw planted();
            }
        }),
        FAILS_AS_IT_IS_SUBSCRIBED_TO(ready -> ready.doOnSubscribe(subscription -> {
            throw planted();
        })),
        KEEPS_THE_SUBSCRIPTION(ready -> ready.cache().take(0).concatWith(Flux.error(planted()))),
        SUBSCRIBES_AND_FAILS(ready -> Flux.defer(() -> {
            ready.subscribe(ignored -> {}, ignored -> {});
            return Flux.error(planted());
        })),
        SUBSCRIBES_ELSEWHERE_AND_FAILS(
                ready -> ready.subscribeOn(Schedulers.boundedElastic()).mergeWith(Flux.error(planted())));

        private static IllegalStateException planted() {
            return new IllegalStateException("planted");
        }

        private final UnaryOperator<Flux<Gradient>> operator;

        Behind(UnaryOperator<Flux<Gradient>> operator) {
            this.operator = operator;
        }

        /** {@return a hook that is so once, if it is to be} */
        GradientHook once(boolean isToBe) {
            AtomicInteger applied = new AtomicInteger();
            return ready -> isToBe && applied.getAndIncrement() == 1 ? operator.apply(ready) : ready;
        }
    }

    static Stream<Arguments> operatorsBehind() {
        return Arrays.stream(Behind.values())
                .flatMap(behind -> Stream.of(false, true).map(isBuckets -> Arguments.of(behind, isBuckets)));
    }

    /** The hook takes part in the step, and so in the next one with the others. */
    @ParameterizedTest
    @MethodSource("operatorsBehind")
    void hookToWhichNobodySubscribes_endsTheStep_andShiftsNoLaterOne(Behind behind, boolean isBuckets) {
        inSharedWorld(2, groups -> {
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(
                            isBuckets ? GradientBuckets.sum(group.named("b")) : ParallelHooks.modelParallel(group),
                            behind.once(group.rank() == 1)));
            List<Model> models = models(groups);
            requireStep(hooks, models);
            List<Object> ends = endsOf(hooks, models);
            Mono.when(models.stream()
                            .flatMap(model -> model.tensors.stream())
                            .map(Tensor::released)
                            .toList())
                    .block(LIMIT);
            if (behind != Behind.TAKES_NONE && behind != Behind.EMPTY) {
                assertThat(ends.getLast()).isInstanceOf(IllegalStateException.class);
                requireErrorOrSums(behind, ends.getFirst(), models, 0);
            } else {
                assertThat(ends.getLast()).isEqualTo(DONE);
                assertThat(ends.getFirst())
                        .isInstanceOfSatisfying(
                                GroupClosedException.class,
                                error -> assertThat(error).hasMessageContainingAll("cancelled", "rank=1"));
            }
            requireStep(hooks, models);
            requireStep(hooks, models);
        });
    }

    /** Who has had all that he needs need not hear of the end. */
    private static void requireErrorOrSums(Behind behind, Object end, List<Model> models, int rank) {
        boolean mayHaveAll = behind == Behind.SUBSCRIBES_AND_FAILS || behind == Behind.SUBSCRIBES_ELSEWHERE_AND_FAILS;
        if (mayHaveAll && end.equals(DONE)) {
            models.get(rank).requireSums((1L << models.size()) - 1);
        } else {
            assertThat(end).isInstanceOf(CommException.class);
        }
    }

    /** A second subscription would be another step, on this rank only. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hookToWhichAnOperatorSubscribesTwice_isRefused(boolean isBuckets) {
        inSharedWorld(2, groups -> {
            AtomicInteger applied = new AtomicInteger();
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(
                            isBuckets ? GradientBuckets.sum(group.named("b")) : ParallelHooks.modelParallel(group),
                            ready -> group.rank() == 1 && applied.getAndIncrement() == 1 ? ready.repeat(1) : ready));
            List<Model> models = models(groups);
            requireStep(hooks, models);
            List<Object> ends = step(hooks, models);
            assertThat(ends.getFirst()).isEqualTo(DONE);
            assertThat(ends.getLast())
                    .isInstanceOfSatisfying(
                            InvalidCallException.class,
                            error -> assertThat(error).hasMessageContaining("subscribed to twice in one step"));
            requireStep(hooks, models);
            requireStep(hooks, models);
        });
    }

    /** A failed pass is run again in front of all hooks: no other rank hears of it. */
    @Test
    void passThatIsRetriedInFrontOfTheHooks_isOneStep() {
        inSharedWorld(2, groups -> {
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(
                            ready -> ready.collectList().retry(1).flatMapIterable(all -> all),
                            GradientBuckets.sum(group.named("b"))));
            List<Model> models = models(groups);
            for (int step = 0; step < 3; step++) {
                AtomicInteger left = new AtomicInteger(1);
                models.getLast().beforePass = () -> {
                    if (left.getAndDecrement() > 0) {
                        throw new IllegalStateException("planted");
                    }
                };
                assertThat(step(hooks, models)).containsOnly(DONE);
                models.forEach(model -> model.requireSums(3));
            }
        });
    }

    /** Reactor hands what is fatal to whoever subscribes, and the step counts on all ranks. */
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void operatorThatDiesAsItIsSubscribedTo_orApplied_isTheStepsError(boolean isApplied, boolean isNested) {
        inSharedWorld(2, groups -> {
            AtomicInteger applied = new AtomicInteger();
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> inChain(isNested, GradientBuckets.sum(group.named("b")), ready -> {
                        boolean dies = group.rank() == 1 && applied.getAndIncrement() == 1;
                        if (dies && isApplied) {
                            throw new StackOverflowError("planted");
                        }
                        return dies
                                ? ready.doOnSubscribe(subscription -> {
                                    throw new OutOfMemoryError("planted");
                                })
                                : ready;
                    }));
            List<Model> models = models(groups);
            requireStep(hooks, models);
            Mono<Object> first = end(hooks.getFirst().run(models.getFirst())).cache();
            first.subscribe();
            assertThatThrownBy(() -> hooks.getLast().run(models.getLast()).block(LIMIT))
                    .isInstanceOf(VirtualMachineError.class);
            assertThat(first.block(LIMIT))
                    .isInstanceOfSatisfying(
                            InvalidCallException.class,
                            error -> assertThat(error).hasMessageContainingAll("planted", "rank=1"));
            requireStep(hooks, models);
            requireStep(hooks, models);
        });
    }

    /** The other ranks would take the rest for a step without this rank's gradients. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hookThatThrowsAsItIsApplied_isNotKeptFromHooksBehind(boolean isBuckets) {
        inSharedWorld(2, groups -> {
            AtomicInteger applied = new AtomicInteger();
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(
                            ready -> {
                                if (group.rank() == 1 && applied.getAndIncrement() == 1) {
                                    throw new IllegalStateException("planted");
                                }
                                return ready;
                            },
                            ready -> ready.onErrorResume(error -> Flux.empty()),
                            isBuckets ? GradientBuckets.sum(group.named("b")) : ParallelHooks.modelParallel(group)));
            List<Model> models = models(groups);
            requireStep(hooks, models);
            requirePlanted(step(hooks, models), 1);
            requireStep(hooks, models);
        });
    }

    /** It waits for the turn of a step that was left, and is not taken for one that nobody came to. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void operatorThatDies_behindBucketsThatWaitForTheirTurn_isOneStep(boolean isNested) {
        inSharedWorld(2, groups -> {
            AtomicInteger applied = new AtomicInteger();
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> inChain(
                            isNested,
                            GradientBuckets.sum(group.named("b")),
                            ready -> group.rank() == 1 && applied.getAndIncrement() == 2
                                    ? ready.doOnSubscribe(subscription -> {
                                        throw new OutOfMemoryError("planted");
                                    })
                                    : ready));
            List<Model> models = models(groups);
            requireStep(hooks, models);
            CountDownLatch last = new CountDownLatch(1);
            models.getLast().beforeLast = last::countDown;
            Disposable left = hooks.getLast().run(models.getLast()).subscribe();
            awaitLatch(last);
            left.dispose();
            List<Model> others = models(groups);
            assertThatThrownBy(() -> hooks.getLast().run(others.getLast()).block(LIMIT))
                    .isInstanceOf(OutOfMemoryError.class);

            end(hooks.getFirst().run(models.getFirst())).block(LIMIT);
            assertThat(end(hooks.getFirst().run(others.getFirst())).block(LIMIT))
                    .isInstanceOf(CommException.class);
            requireStep(hooks, others);
            requireStep(hooks, others);
        });
    }

    private static List<GradientHook> inChain(boolean isNested, GradientHook first, GradientHook second) {
        return isNested ? List.of(first.then(second)) : List.of(first, second);
    }

    /** It dies on a thread that is nobody's, and the end of what is in front does not come to the buckets behind. */
    @Test
    void operatorBetweenBuckets_thatDiesAsItCompletes_keepsNoTurn() {
        inSharedWorld(2, groups -> {
            AtomicInteger applied = new AtomicInteger();
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(
                            GradientBuckets.sum(group.named("front")),
                            ready -> ready.map(each -> new Gradient(each.name() + "'", each.tensor())),
                            ready -> group.rank() == 1 && applied.getAndIncrement() == 1
                                    ? ready.doOnComplete(() -> {
                                        throw new NoClassDefFoundError("planted");
                                    })
                                    : ready,
                            GradientBuckets.sum(group.named("behind"))));
            List<Model> models = models(groups);
            assertThat(step(hooks, models)).containsOnly(DONE);
            List<Object> ends = endsOf(hooks, models);
            assertThat(ends.getLast()).isInstanceOf(NoClassDefFoundError.class);
            Mono.when(models.stream()
                            .flatMap(model -> model.tensors.stream())
                            .map(Tensor::released)
                            .toList())
                    .block(LIMIT);
            assertThat(step(hooks, models)).containsOnly(DONE);
            assertThat(step(hooks, models)).containsOnly(DONE);
        });
    }

    /** It dies before the buckets behind have a subscription that anything comes by, and those in front have not begun. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void operatorBetweenBuckets_thatDiesAsItIsSubscribedTo_keepsNoTurn(boolean isNested) {
        inSharedWorld(4, groups -> {
            AtomicInteger applied = new AtomicInteger();
            GradientHook dying = ready -> applied.getAndIncrement() == 1
                    ? ready.doOnSubscribe(subscription -> {
                        throw new OutOfMemoryError("planted");
                    })
                    : ready;
            Reducer reducer = (group, name) -> {
                boolean isInFront = isNested && name.equals("rows") && group.globalRank(group.rank()) == 3;
                GradientBuckets buckets = GradientBuckets.sum(group.named(name));
                return isInFront ? buckets.then(dying) : buckets;
            };
            List<GradientHooks> hooks =
                    square(groups, group -> !isNested && group.rank() == 3 ? dying : ready -> ready, reducer);
            List<Model> models = models(groups);
            requireStep(hooks, models);
            List<Mono<Object>> others = models.subList(0, 3).stream()
                    .map(model -> end(hooks.get(model.rank).run(model)).cache())
                    .toList();
            others.forEach(Mono::subscribe);
            assertThatThrownBy(() -> hooks.getLast().run(models.getLast()).block(LIMIT))
                    .isInstanceOf(OutOfMemoryError.class);
            others.forEach(each -> assertThat(each.block(LIMIT)).isInstanceOf(CommException.class));
            Mono.when(models.stream()
                            .flatMap(model -> model.tensors.stream())
                            .map(Tensor::released)
                            .toList())
                    .block(LIMIT);
            requireStep(hooks, models);
            requireStep(hooks, models);
        });
    }

    /** What dies behind passes through the operator in front, which keeps it to itself. */
    @Test
    void operatorBehindAHook_thatDiesAsItIsSubscribedTo_isTold_althoughOneInFrontSwallowsIt() {
        inSharedWorld(2, groups -> {
            AtomicInteger applied = new AtomicInteger();
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(
                            ready -> Flux.usingWhen(Mono.just(1), ignored -> ready, ignored -> Mono.empty()),
                            ParallelHooks.modelParallel(group),
                            ready -> group.rank() == 1 && applied.getAndIncrement() == 1
                                    ? ready.doOnSubscribe(subscription -> {
                                        throw new OutOfMemoryError("planted");
                                    })
                                    : ready));
            List<Model> models = models(groups);
            requireStep(hooks, models);
            Mono<Object> first = end(hooks.getFirst().run(models.getFirst())).cache();
            first.subscribe();
            assertThatThrownBy(() -> hooks.getLast().run(models.getLast()).block(LIMIT))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(first.block(LIMIT))
                    .isInstanceOfSatisfying(
                            InvalidCallException.class,
                            error -> assertThat(error).hasMessageContaining("planted"));
            Mono.when(models.stream()
                            .flatMap(model -> model.tensors.stream())
                            .map(Tensor::released)
                            .toList())
                    .block(LIMIT);
            requireStep(hooks, models);
        });
    }

    /** The second subscription comes before the first is in its place among the steps, and both are there to be left. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hookThatIsLeft_andToWhichAnOperatorSubscribesTwice_isOneStep(boolean isBuckets) {
        inSharedWorld(2, groups -> {
            AtomicInteger applied = new AtomicInteger();
            List<GradientHooks> hooks = hooks(groups, group -> {
                GradientHook reducing =
                        isBuckets ? GradientBuckets.sum(group.named("b")) : ParallelHooks.modelParallel(group);
                GradientHook twice = ready -> group.rank() == 1 && applied.getAndIncrement() == 1
                        ? Flux.deferContextual(context -> ready.doOnSubscribe(
                                first -> ready.contextWrite(context).subscribe(ignored -> {}, ignored -> {})))
                        : ready;
                return List.of(reducing.then(twice), Behind.FAILS.once(group.rank() == 1));
            });
            List<Model> models = models(groups);
            requireStep(hooks, models);
            List<Object> ends = endsOf(hooks, models);
            assertThat(ends.getLast()).isInstanceOf(IllegalStateException.class);
            assertThat(ends.getFirst()).isInstanceOf(CommException.class);
            Mono.when(models.stream()
                            .flatMap(model -> model.tensors.stream())
                            .map(Tensor::released)
                            .toList())
                    .block(LIMIT);
            requireStep(hooks, models);
            requireStep(hooks, models);
        });
    }

    /** An operator such as {@code cache()} cancels for nobody, so nothing else would tell its subscribers. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void subscriberThatAnOperatorKeeps_hearsOfTheStepsEnd(boolean isBuckets) {
        inSharedWorld(2, groups -> {
            AtomicInteger applied = new AtomicInteger();
            List<Mono<Object>> kept = new ArrayList<>();
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(
                            isBuckets ? GradientBuckets.sum(group.named("b")) : ParallelHooks.modelParallel(group),
                            ready -> {
                                if (group.rank() == 0 || applied.getAndIncrement() != 1) {
                                    return ready;
                                }
                                return Flux.defer(() -> {
                                    Mono<Object> end = end(ready.cache().then()).cache();
                                    end.subscribe();
                                    kept.add(end);
                                    return Flux.empty();
                                });
                            }));
            List<Model> models = models(groups);
            requireStep(hooks, models);
            assertThat(end(hooks.getLast().run(models.getLast())).block(LIMIT)).isEqualTo(DONE);
            // Buckets that have begun land first.
            assertThat(end(hooks.getFirst().run(models.getFirst())).block(LIMIT))
                    .isInstanceOfAny(GroupClosedException.class, String.class);
            assertThat(kept.getFirst().block(LIMIT)).isInstanceOf(CancellationException.class);
            Mono.when(models.stream()
                            .flatMap(model -> model.tensors.stream())
                            .map(Tensor::released)
                            .toList())
                    .block(LIMIT);
            requireStep(hooks, models);
        });
    }

    /** Neither subscribes to the one in front of it. */
    @ParameterizedTest
    @MethodSource("operatorsBehind")
    void hooksToWhichNobodySubscribes_inAChainOfTwo_orInChains_areSubscribedToAll(Behind behind, boolean isBuckets) {
        inSharedWorld(4, groups -> {
            Reducer reducer = (group, name) -> {
                GradientHook hook = isBuckets
                        ? GradientBuckets.sum(group.named(name))
                        : ParallelHooks.modelParallel(group.named(name));
                return hook.then(behind.once(group.globalRank(group.rank()) == 1));
            };
            List<GradientHooks> hooks = square(groups, group -> behind.once(group.rank() == 1), reducer);
            List<Model> models = models(groups);
            requireStep(hooks, models);
            List<Object> ends = endsOf(hooks, models);
            for (int rank : new int[] {0, 2, 3}) {
                requireErrorOrSums(behind, ends.get(rank), models, rank);
            }
            Mono.when(models.stream()
                            .flatMap(model -> model.tensors.stream())
                            .map(Tensor::released)
                            .toList())
                    .block(LIMIT);
            requireStep(hooks, models);
        });
    }

    /** It learns of the end by itself: no error comes to it from in front. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hookToWhichNobodySubscribes_behindAnOperatorThatNeverEnds_endsTheStep(boolean isBuckets) {
        inSharedWorld(2, groups -> {
            AtomicInteger applied = new AtomicInteger();
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(
                            ready -> group.rank() == 1 && applied.getAndIncrement() == 1 ? Flux.never() : ready,
                            isBuckets ? GradientBuckets.sum(group.named("b")) : ParallelHooks.modelParallel(group),
                            Behind.FAILS.once(group.rank() == 1)));
            List<Model> models = models(groups);
            requireStep(hooks, models);
            requirePlanted(step(hooks, models), 1);
            requireStep(hooks, models);
        });
    }

    /** A subscription on its way, as behind {@code subscribeOn}, that comes after the step. */
    @Test
    void subscriptionAfterTheEnd_isNoStep() {
        inSharedWorld(2, groups -> {
            List<Runnable> late = new ArrayList<>();
            AtomicInteger steps = new AtomicInteger();
            List<GradientHooks> hooks = hooks(
                    groups,
                    group -> List.of(GradientBuckets.sum(group.named("b")), ready -> {
                        if (group.rank() == 0 || steps.getAndIncrement() != 0) {
                            return ready;
                        }
                        late.add(ready::subscribe);
                        late.add(() ->
                                ready.contextWrite(lost -> Context.empty()).subscribe());
                        return ready.take(0);
                    }));
            List<Model> models = models(groups);
            assertThat(step(hooks, models).getLast()).isEqualTo(DONE);
            late.forEach(Runnable::run);
            requireStep(hooks, models);
            requireStep(hooks, models);
        });
    }
}
