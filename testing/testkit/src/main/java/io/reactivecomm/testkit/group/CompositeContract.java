package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GroupWorld;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Composite calls: several calls under one identity, which succeed together or fail everywhere, and shift no other. Messages in them are in
 * {@link CompositeMessageContract}: not every engine has any.
 */
public abstract class CompositeContract extends GroupWorld {

    private static final int CULPRIT = 1;

    /** The place where a body throws: before its first call, between the two, or behind them. */
    private enum Place {
        NOWHERE,
        BEFORE,
        BETWEEN,
        AFTER
    }

    private Mono<Long> sum(ProcessGroup group, long value) {
        return Mono.using(
                () -> home().take(Tensor.of(new long[] {value}), home().device(0)),
                tensor -> group.allReduce(tensor, ReduceOp.SUM)
                        .flatMap(work -> home().readLater(tensor))
                        .map(each -> each.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)),
                Tensor::close);
    }

    /** {@return the sum of the ranks' sums, each of their values} */
    private Mono<Long> twoSums(ProcessGroup inside, long value) {
        return sum(inside, value).flatMap(first -> sum(inside, first));
    }

    private Mono<Long> twoSums(ProcessGroup inside, long value, Place fault) {
        if (fault == Place.BEFORE) {
            throw new IllegalStateException("user code");
        }
        return sum(inside, value)
                .flatMap(first -> {
                    if (fault == Place.BETWEEN) {
                        throw new IllegalStateException("user code");
                    }
                    return sum(inside, first);
                })
                .doOnNext(second -> {
                    if (fault == Place.AFTER) {
                        throw new IllegalStateException("user code");
                    }
                });
    }

    /** {@return what becomes of something on each rank, all subscribed to at once} */
    static <T> List<CompletableFuture<T>> start(List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> call) {
        return groups.stream().map(call).toList().stream()
                .map(CompositeContract::start)
                .toList();
    }

    /** As {@link #start}, but one rank comes after all others have begun: whoever is asked what it called knows it. */
    static <T> List<CompletableFuture<T>> startLast(
            int last, List<ProcessGroup> groups, Function<ProcessGroup, Mono<T>> call) {
        List<Mono<T>> calls = groups.stream().map(call).toList();
        List<CompletableFuture<T>> ends = new ArrayList<>();
        for (int rank = 0; rank < calls.size(); rank++) {
            ends.add(rank == last ? new CompletableFuture<>() : start(calls.get(rank)));
        }
        Flux.fromIterable(groups)
                .flatMap(group -> group.named("begun").barrier(), groups.size())
                .blockLast(LIMIT);
        ends.set(last, start(calls.get(last)));
        return ends;
    }

    static <T> CompletableFuture<T> start(Mono<T> call) {
        CompletableFuture<T> end = new CompletableFuture<>();
        call.single().subscribe(end::complete, end::completeExceptionally);
        return end;
    }

    static <T> T value(CompletableFuture<T> future) {
        return future.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }

    static Throwable error(CompletableFuture<?> future) {
        Throwable thrown = catchThrowable(
                () -> future.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join());
        assertThat(thrown).isInstanceOf(CompletionException.class);
        return Objects.requireNonNull(thrown.getCause());
    }

    @Tag("smoke")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void body_ofTwoCalls_isOneCall(int size) {
        List<ProcessGroup> world = world(size);
        long all = (long) size * (size - 1) / 2;
        for (int run = 0; run < 3; run++) {
            start(world, group -> group.composite("two sums").mono(inside -> twoSums(inside, group.rank())))
                    .forEach(each -> assertThat(value(each)).isEqualTo(size * all));
        }
        requireTogether(world);
    }

    @Test
    void body_withoutCalls_completes() {
        List<ProcessGroup> world = world(2);
        start(world, group -> group.composite("nothing").mono(inside -> Mono.just(group.rank())))
                .forEach(each -> assertThat(value(each)).isBetween(0, 1));
        start(
                        world,
                        group -> group.composite("empty")
                                .mono(inside -> Mono.<Integer>empty())
                                .defaultIfEmpty(7))
                .forEach(each -> assertThat(value(each)).isEqualTo(7));
        requireTogether(world);
    }

    @ParameterizedTest
    @CsvSource({
        "BEFORE, 0",
        "BEFORE, 1",
        "BEFORE, 2",
        "BETWEEN, 0",
        "BETWEEN, 1",
        "BETWEEN, 2",
        "AFTER, 0",
        "AFTER, 1",
        "AFTER, 2"
    })
    void bodyThatThrows_failsTheCompositeOnAllRanks_andShiftsNothing(Place place, int culprit) {
        List<ProcessGroup> world = world(3);
        List<CompletableFuture<Long>> ends = start(
                world,
                group -> group.composite("two sums")
                        .mono(inside -> twoSums(inside, 1, group.rank() == culprit ? place : Place.NOWHERE)));
        for (int rank = 0; rank < world.size(); rank++) {
            if (rank == culprit) {
                assertThat(error(ends.get(rank)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("user code");
            } else if (place != Place.AFTER) {
                assertThat(error(ends.get(rank)))
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("two sums failed")
                        .hasMessageContaining("user code")
                        .hasMessageContaining("rank=" + culprit);
            } else {
                ends.get(rank)
                        .handle((value, thrown) -> 0)
                        .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                        .join();
            }
        }
        requireTogether(world);
        start(world, group -> group.composite("two sums").mono(inside -> twoSums(inside, 1)))
                .forEach(each -> assertThat(value(each)).isEqualTo(9));
    }

    @Test
    void errorOfABody_cannotBeCaughtByOthers() {
        List<ProcessGroup> world = world(2);
        List<CompletableFuture<Long>> ends = start(
                world,
                group -> group.composite("two sums")
                        .mono(inside -> twoSums(inside, 1, group.rank() == CULPRIT ? Place.BETWEEN : Place.NOWHERE)
                                .onErrorReturn(InvalidCallException.class, -1L)));
        assertThat(error(ends.get(CULPRIT))).isInstanceOf(IllegalStateException.class);
        assertThat(error(ends.get(0))).isInstanceOf(InvalidCallException.class).hasMessageContaining("user code");
        requireTogether(world);
    }

    @Test
    void bodyWithoutACallThatOthersMake_failsThem() {
        List<ProcessGroup> world = world(3);
        List<CompletableFuture<Long>> ends = start(
                world,
                group -> group.composite("sums")
                        .mono(inside -> group.rank() == CULPRIT ? sum(inside, 1) : twoSums(inside, 1)));
        for (int rank : new int[] {0, 2}) {
            assertThat(error(ends.get(rank)))
                    .isInstanceOf(MismatchException.class)
                    .hasMessageContaining(
                            "sums is over on a rank without a call that others made in it: rank=" + CULPRIT);
        }
        ends.get(CULPRIT)
                .handle((value, thrown) -> 0)
                .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join();
        requireTogether(world);
    }

    @Test
    void lateRank_failsAtOnce_andItsBodyIsNotRun() {
        List<ProcessGroup> world = world(2);
        AtomicInteger runs = new AtomicInteger();
        Mono<Long> late = world.get(0).composite("sums").mono(inside -> {
            runs.incrementAndGet();
            return sum(inside, 1);
        });
        assertThatThrownBy(() -> world.get(1)
                        .composite("sums")
                        .mono(inside -> Mono.error(new IllegalStateException("user code")))
                        .block(LIMIT))
                .hasMessage("user code");
        requireTold(world);
        assertThatThrownBy(() -> late.block(LIMIT))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("user code");
        assertThat(runs).hasValue(0);
        requireTogether(world);
    }

    /** Its loop sleeps, and nothing that the body does would wake it. */
    @Test
    void lateRank_whoseBodyWouldOnlyWait_failsAtOnce() {
        List<ProcessGroup> world = world(2);
        Mono<Long> failing = world.get(0)
                .composite("step")
                .waitingOnly()
                .mono(inside -> Mono.error(new IllegalStateException("user code")));
        Mono<Long> waiting = world.get(1).composite("step").waitingOnly().mono(inside -> Mono.never());
        assertThat(error(start(failing))).hasMessage("user code");
        requireTogether(world);
        assertThat(error(start(waiting)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("user code");
        requireTogether(world);
    }

    @Test
    void innerCall_thatFailsByItself_endsNothing() {
        List<ProcessGroup> world = world(2);
        start(
                        world,
                        group -> group.composite("sums")
                                .mono(inside -> inside.broadcast(closedAfterwards(Tensor.of(new byte[1])), 99)
                                        .map(work -> -1L)
                                        .onErrorResume(InvalidCallException.class, wrong -> sum(inside, 1))))
                .forEach(each -> assertThat(value(each)).isEqualTo(2));
        requireTogether(world);
    }

    @Test
    void runs_matchByTheirNumber_inAnyOrder() {
        List<ProcessGroup> world = world(2);
        Random random = new Random(19);
        List<List<Mono<Long>>> calls = new ArrayList<>();
        for (ProcessGroup group : world) {
            List<Mono<Long>> own = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                long value = i;
                own.add(group.composite("number " + i)
                        .mono(inside -> twoSums(inside, value))
                        .doOnNext(sum -> assertThat(sum).isEqualTo(4 * value)));
            }
            Collections.shuffle(own, random);
            calls.add(own);
        }
        List<CompletableFuture<Long>> ends = new ArrayList<>();
        calls.forEach(own -> own.forEach(each -> ends.add(start(each))));
        ends.forEach(CompositeContract::value);
        requireTogether(world);
    }

    @Test
    void composite_isSubscribedToAgain() {
        List<ProcessGroup> world = world(2);
        List<Mono<Long>> calls = world.stream()
                .map(group -> group.composite("sums").mono(inside -> twoSums(inside, 1)))
                .toList();
        for (int run = 0; run < 3; run++) {
            List<CompletableFuture<Long>> ends =
                    calls.stream().map(CompositeContract::start).toList();
            ends.forEach(each -> assertThat(value(each)).isEqualTo(4));
        }
        requireTogether(world);
    }

    @Tag("smoke")
    @ParameterizedTest(name = "same calls inside={0}")
    @ValueSource(booleans = {false, true})
    void otherOperation_underOneTicket_isAMismatchOnAll(boolean isSame) {
        List<ProcessGroup> world = world(3);
        List<CompletableFuture<Long>> ends = startLast(
                CULPRIT,
                world,
                group -> group.composite(group.rank() == CULPRIT ? "left" : "right")
                        .mono(inside -> sum(isSame ? inside : inside.named(group.rank() == CULPRIT ? "l" : "r"), 1)));
        ends.forEach(each -> assertThat(error(each))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("rank 0 called composite right")
                .hasMessageContaining("rank 1 called composite left"));
        requireTogether(world);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void plainCall_underACompositesTicket_isAMismatchOnAll(int culprit) {
        List<ProcessGroup> world = world(3);
        List<CompletableFuture<Long>> ends = startLast(
                culprit,
                world,
                group -> group.rank() == culprit
                        ? sum(group, 1)
                        : group.composite("sums").mono(inside -> sum(inside, 1)));
        ends.forEach(each -> assertThat(error(each))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("rank " + culprit + " called all-reduce")
                .hasMessageContaining("called composite sums"));
        requireTogether(world);
    }

    @Test
    void nestedThreeDeep_succeeds_andFailsTogether() {
        List<ProcessGroup> world = world(2);
        for (boolean fails : new boolean[] {false, true, false}) {
            List<CompletableFuture<Long>> ends = start(
                    world,
                    group -> group.composite("one")
                            .mono(one -> sum(one, 1)
                                    .flatMap(first -> one.composite("two")
                                            .mono(two -> sum(two, first)
                                                    .flatMap(second -> two.composite("three")
                                                            .mono(three -> twoSums(
                                                                    three,
                                                                    second,
                                                                    fails && group.rank() == CULPRIT
                                                                            ? Place.BETWEEN
                                                                            : Place.NOWHERE)))))));
            if (fails) {
                assertThat(error(ends.get(CULPRIT))).isInstanceOf(IllegalStateException.class);
                assertThat(error(ends.get(0)))
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("user code");
            } else {
                ends.forEach(each -> assertThat(value(each)).isEqualTo(16));
            }
        }
        requireTogether(world);
    }

    @Test
    void nestedComposite_thatFails_isHandledByTheBody() {
        List<ProcessGroup> world = world(2);
        start(
                        world,
                        group -> group.composite("outer")
                                .mono(outer -> outer.composite("inner")
                                        .mono(inner -> Mono.<Long>error(new IllegalStateException("user code")))
                                        .onErrorResume(error -> sum(outer, 1))))
                .forEach(each -> assertThat(value(each)).isEqualTo(2));
        requireTogether(world);
    }

    @Test
    void subGroup_isCalledWithinTheComposite() {
        List<ProcessGroup> world = world(3);
        List<ProcessGroup> pair = group(world, 2, 0);
        List<CompletableFuture<Long>> ends = start(
                world,
                group -> group.composite("both").mono(inside -> {
                    ProcessGroup own = pair.stream()
                            .filter(each -> each.globalRank(each.rank()) == group.rank())
                            .findFirst()
                            .orElse(null);
                    return sum(inside, 1).flatMap(all -> own == null ? Mono.just(all) : sum(inside.within(own), all));
                }));
        assertThat(ends.stream().map(CompositeContract::value)).containsExactly(6L, 3L, 6L);
        requireTogether(world);
        requireTogether(pair);
    }

    @Test
    void within_takesOnlyMembersOfTheGroup() {
        List<ProcessGroup> world = world(2);
        List<ProcessGroup> alone = group(world, 0);
        assertThatThrownBy(() -> world.get(0).within(alone.getFirst())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> alone.getFirst()
                        .composite("x")
                        .mono(inside -> Mono.just(inside.within(world.get(0))))
                        .block(LIMIT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rank=1");
        requireTogether(world);
    }

    @Test
    void groupMadeInside_outlivesTheComposite() {
        List<ProcessGroup> world = world(2);
        List<ProcessGroup> made = new ArrayList<>(List.of(world.get(0), world.get(1)));
        start(
                        world,
                        group -> group.composite("group")
                                .mono(inside -> inside.newGroup(1, 0).doOnNext(child -> made.set(group.rank(), child))))
                .forEach(CompositeContract::value);
        requireTogether(List.of(made.get(1), made.get(0)));
    }

    @Test
    void objectsInside_areCountedInTheComposite() {
        List<ProcessGroup> world = world(2);
        start(
                        world,
                        group -> group.composite("objects")
                                .mono(inside -> inside.allGatherObject("r" + group.rank(), String.class)
                                        .flatMap(all -> inside.allGatherObject(String.join("", all), String.class))))
                .forEach(each -> assertThat(value(each)).containsExactly("r0r1", "r0r1"));
        requireTogether(world);
    }

    @Test
    void flux_emitsAsItGoes_andCompletesOnAll() {
        List<ProcessGroup> world = world(2);
        start(
                        world,
                        group -> group.composite("steps")
                                .flux(inside -> Flux.range(1, 20).concatMap(i -> sum(inside, i)))
                                .collectList())
                .forEach(each -> assertThat(value(each))
                        .isEqualTo(IntStream.rangeClosed(1, 20)
                                .mapToObj(i -> 2L * i)
                                .toList()));
        requireTogether(world);
    }

    @Test
    void fluxThatIsCancelled_endsItForThoseWhoNeedMore() {
        List<ProcessGroup> world = world(2);
        Mono<List<Long>> other = world.get(0)
                .composite("steps")
                .flux(inside -> Flux.range(1, 20).concatMap(i -> sum(inside, i)))
                .collectList();
        CompletableFuture<List<Long>> end = start(other);
        world.get(1)
                .composite("steps")
                .flux(inside -> Flux.range(1, 20).concatMap(i -> sum(inside, i), 1))
                .take(3)
                .blockLast(LIMIT);
        assertThat(error(end))
                .isInstanceOf(GroupClosedException.class)
                .hasMessageContaining("was cancelled on a rank: rank=1");
        requireTogether(world);
    }

    @Test
    void fluxThatIsCancelledAsItIsSubscribedTo_endsItForTheOthers() {
        List<ProcessGroup> world = world(2);
        CompletableFuture<Long> waiting = start(world.get(0).composite("flux").mono(inside -> sum(inside, 1)));
        world.get(CULPRIT).composite("flux").flux(inside -> sum(inside, 1)).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.cancel();
            }
        });
        assertThat(error(waiting)).isInstanceOf(GroupClosedException.class).hasMessageContaining("was cancelled");
        requireTogether(world);
        start(world, group -> group.composite("flux").mono(inside -> sum(inside, 1)))
                .forEach(each -> assertThat(value(each)).isEqualTo(2));
    }

    @Test
    void fluxThatIsCancelled_letsThoseWhoNeedNoMoreComplete() {
        List<ProcessGroup> world = world(2);
        CompletableFuture<Long> end = start(world.get(0).composite("steps").mono(inside -> sum(inside, 1)));
        world.get(1)
                .composite("steps")
                .flux(inside -> sum(inside, 1).concatWith(Mono.never()))
                .take(1)
                .blockLast(LIMIT);
        assertThat(value(end)).isEqualTo(2);
        requireTogether(world);
    }

    @Test
    void monoThatIsCancelled_runsOn() {
        List<ProcessGroup> world = world(2);
        Disposable detached = world.get(1)
                .composite("sums")
                .mono(inside -> twoSums(inside, 1))
                .subscribe();
        detached.dispose();
        assertThat(world.get(0)
                        .composite("sums")
                        .mono(inside -> twoSums(inside, 1))
                        .block(LIMIT))
                .isEqualTo(4);
        requireTogether(world);
    }

    @Test
    void deadline_countsUserCode_andEndsTheCompositeOnAll() {
        List<ProcessGroup> world = world(2);
        List<CompletableFuture<Long>> ends = start(
                world,
                group -> (group.rank() == CULPRIT ? group.timeout(Duration.ofMillis(50)) : group)
                        .composite("slow")
                        .mono(inside -> sum(inside, 1)
                                .flatMap(first -> group.rank() == CULPRIT ? Mono.never() : sum(inside, first))));
        ends.forEach(each ->
                assertThat(error(each)).isInstanceOf(CommTimeoutException.class).hasMessageContaining("slow"));
        requireTogether(world);
    }

    @Test
    void abortAndClose_endTheComposite() {
        List<ProcessGroup> world = world(2);
        List<ProcessGroup> child = group(world, 0, 1);
        CompletableFuture<Long> end = start(child.get(0).composite("sums").mono(inside -> sum(inside, 1)));
        child.get(1).abort("enough");
        assertThat(error(end)).isInstanceOf(GroupClosedException.class).hasMessageContaining("enough");
        CompletableFuture<Long> ended = start(world.get(0).composite("idle").mono(inside -> Mono.<Long>never()));
        world.get(0).close();
        assertThat(error(ended)).isInstanceOf(GroupClosedException.class);
    }

    @Test
    void tensorThatItBorrows_mayBeClosed_andIsStillCalledWith() {
        List<ProcessGroup> world = world(2);
        List<CompletableFuture<Long>> ends = start(world, group -> {
            Tensor tensor = closedAfterwards(Tensor.of(new long[] {1}));
            return group.composite("sums").borrowing(List.of(tensor)).mono(inside -> {
                tensor.close();
                return inside.allReduce(tensor, ReduceOp.SUM)
                        .then(Mono.defer(() -> inside.allReduce(tensor, ReduceOp.SUM)))
                        .map(work -> tensor.toLongArray()[0]);
            });
        });
        ends.forEach(each -> assertThat(value(each)).isEqualTo(4));
        requireTogether(world);
    }

    @Test
    void tensorThatIsClosed_failsTheCompositeOnAllRanks() {
        List<ProcessGroup> world = world(2);
        AtomicInteger runs = new AtomicInteger();
        List<CompletableFuture<Long>> ends = start(world, group -> {
            Tensor tensor = closedAfterwards(Tensor.of(new long[] {1}));
            if (group.rank() == CULPRIT) {
                tensor.close();
            }
            return group.composite("sums").borrowing(List.of(tensor)).mono(inside -> {
                runs.addAndGet(group.rank() == CULPRIT ? 1 : 0);
                return sum(inside, 1);
            });
        });
        ends.forEach(each -> assertThat(error(each))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("which is closed"));
        assertThat(runs).hasValue(0);
        requireTogether(world);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bodyThatDiesOnItsSubscribersThread_isToldToAll(boolean isFlux) {
        List<ProcessGroup> world = world(2);
        CompletableFuture<Long> other = start(world.get(0).composite("dies").mono(inside -> sum(inside, 1)));
        Function<ProcessGroup, Mono<Long>> body = inside -> {
            throw new NoClassDefFoundError("io.example.Missing");
        };
        CompletableFuture<Long> own = new CompletableFuture<>();
        Flux<Long> dying = isFlux
                ? world.get(1).composite("dies").flux(body)
                : world.get(1).composite("dies").mono(body).flux();
        assertThatThrownBy(() -> dying.subscribe(own::complete, own::completeExceptionally))
                .isInstanceOf(NoClassDefFoundError.class);
        assertThat(error(other)).isInstanceOf(InvalidCallException.class).hasMessageContaining("io.example.Missing");
        requireTogether(world);
    }

    @Test
    void bodyThatGivesNull_isToldSo() {
        List<ProcessGroup> world = world(1);
        assertThatThrownBy(() -> world.getFirst()
                        .composite("null")
                        .mono(inside -> CompositeContract.<Mono<Long>>none())
                        .block(LIMIT))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("null got no publisher from its body");
        requireTogether(world);
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // A mistake of a program's.
    private static <T> T none() {
        return null;
    }

    @Test
    void compositesTooDeepInOneAnother_areRefused() {
        List<ProcessGroup> world = world(1);
        assertThat(nested(world.getFirst(), 16).block(LIMIT)).isEqualTo(1);
        assertThatThrownBy(() -> nested(world.getFirst(), 17).block(LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("most=16");
        requireTogether(world);
    }

    private Mono<Long> nested(ProcessGroup group, int deep) {
        return deep == 0 ? sum(group, 1) : group.composite("deep").mono(inside -> nested(inside, deep - 1));
    }

    @Test
    void callAfterTheEnd_fails() {
        List<ProcessGroup> world = world(1);
        List<ProcessGroup> leaked = new ArrayList<>();
        world.getFirst()
                .composite("leaks")
                .mono(inside -> Mono.fromRunnable(() -> leaked.add(inside)))
                .block(LIMIT);
        assertThatThrownBy(() -> leaked.getFirst().barrier().block(LIMIT))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("leaks is over");
        requireTogether(world);
    }
}
