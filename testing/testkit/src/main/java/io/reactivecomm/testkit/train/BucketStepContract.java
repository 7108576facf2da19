package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Scaling;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The contract of steps of gradient buckets that end early, in each of their phases, on each rank: all ranks hear of it, and the next step is right. */
public abstract class BucketStepContract extends BucketWorld {

    private static final int RANKS = 3;
    private static final String[] NAMES = {"a", "b", "c", "d"};

    /** Two scalars in each bucket. */
    private static final BucketOptions PAIRS =
            SMALL.withBucketBytes(8).withFirstBucketBytes(8).withScaling(Scaling.SUM);

    private List<GradientBuckets> buckets(List<ProcessGroup> groups, boolean isRegistered) {
        return buckets(groups, group -> {
            GradientBuckets learning = GradientBuckets.of(group, PAIRS);
            return isRegistered ? learning.registered(parameters(scalars(0, NAMES))) : learning;
        });
    }

    /** {@return gradients of which each rank has its own power of two, so that a sum tells who took part, in an order of its own} */
    private List<Gradient> own(int rank) {
        return shuffled(scalars(1 << rank, NAMES), rank);
    }

    private void requireStep(List<GradientBuckets> buckets) {
        List<List<Gradient>> gradients =
                IntStream.range(0, buckets.size()).mapToObj(this::own).toList();
        steps(buckets.size(), rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)))
                .forEach(Ended::requireSuccess);
        requireSums(gradients);
        gradients.forEach(BucketWorld::requireReleased);
    }

    private static void requireSums(List<List<Gradient>> gradients) {
        gradients.forEach(each ->
                each.forEach(gradient -> assertThat(gradient.tensor().toFloatArray())
                        .as(gradient.name())
                        .containsExactly((1 << gradients.size()) - 1)));
    }

    private static Flux<Gradient> throwing(List<Gradient> gradients, int at) {
        return Flux.fromIterable(gradients.subList(0, at)).concatWith(Flux.error(new IllegalStateException("planted")));
    }

    private void requireFailedStep(List<GradientBuckets> buckets, int culprit, int at) {
        List<List<Gradient>> gradients =
                IntStream.range(0, buckets.size()).mapToObj(this::own).toList();
        List<Ended> ends = steps(
                buckets.size(),
                rank -> (rank == culprit ? throwing(gradients.get(rank), at) : Flux.fromIterable(gradients.get(rank)))
                        .transform(buckets.get(rank)));
        for (int rank = 0; rank < buckets.size(); rank++) {
            if (rank == culprit) {
                assertThat(ends.get(rank).error())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("planted");
            } else {
                assertThat(ends.get(rank).error())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContainingAll("planted", "rank=" + culprit);
            }
        }
        gradients.forEach(BucketWorld::requireReleased);
    }

    static Stream<Arguments> places() {
        return Stream.of(true, false)
                .flatMap(isRegistered -> IntStream.range(0, RANKS).mapToObj(rank -> Arguments.of(isRegistered, rank)));
    }

    /** The first step of those that learn fails while it learns; that of the others, while ranks agree. */
    @ParameterizedTest
    @MethodSource("places")
    void passThatThrows_atAnyGradient_isATypedErrorOnAllRanks_andTheNextStepIsRight(boolean isRegistered, int culprit) {
        inSharedWorld(RANKS, groups -> {
            for (int at = 0; at < NAMES.length; at++) {
                List<GradientBuckets> buckets = buckets(groups, isRegistered);
                requireFailedStep(buckets, culprit, at);
                requireFailedStep(buckets, culprit, at);
                requireStep(buckets);
                requireFailedStep(buckets, culprit, at);
                requireStep(buckets);
            }
        });
    }

    /** A rank that has begun to agree and left does so all the same: the others may have it from that. */
    @Tag("smoke")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void cancelling_whileRanksAgree_isNoDisagreement(boolean isRegistered) {
        inSharedWorld(RANKS, groups -> {
            List<GradientBuckets> buckets = buckets(groups, isRegistered);
            List<List<Gradient>> gradients =
                    IntStream.range(0, RANKS).mapToObj(this::own).toList();
            Disposable left = Flux.fromIterable(gradients.getFirst())
                    .transform(buckets.getFirst())
                    .subscribe();
            left.dispose();
            List<Ended> others = Objects.requireNonNull(Flux.range(1, RANKS - 1)
                    .flatMap(
                            rank -> begun(Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank))), RANKS)
                    .collectList()
                    .block(LIMIT));
            assertThat(others)
                    .allSatisfy(end -> assertThat(end.error())
                            .isInstanceOf(GroupClosedException.class)
                            .hasMessageContaining("rank=0"));
            Mono.when(gradients.getFirst().stream()
                            .map(each -> each.tensor().released())
                            .toList())
                    .block(LIMIT);
            requireStep(buckets);
        });
    }

    /** Whatever phase each rank is in as it hears of the end: the next step makes the same calls on all. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void firstSteps_thatEndEarlyAtAnyMoment_leaveNoRankBehind(boolean isRegistered) {
        inSharedWorld(RANKS, groups -> {
            for (int round = 0; round < 40; round++) {
                int culprit = round % RANKS;
                boolean cancels = round % 2 == 0;
                List<GradientBuckets> buckets = buckets(groups, isRegistered);
                List<List<Gradient>> gradients =
                        IntStream.range(0, RANKS).mapToObj(this::own).toList();
                List<Mono<Ended>> begun = new ArrayList<>();
                for (int rank = 0; rank < RANKS; rank++) {
                    Flux<Gradient> pass = Flux.fromIterable(gradients.get(rank));
                    Flux<Gradient> late =
                            cancels ? pass : pass.concatWith(Flux.error(new IllegalStateException("planted")));
                    Flux<Gradient> step = (rank == culprit ? late : pass).transform(buckets.get(rank));
                    begun.add(begun(rank == culprit && cancels ? step.take(1) : step));
                }
                begun.forEach(BucketWorld::await);
                gradients.forEach(each -> Mono.when(each.stream()
                                .map(one -> one.tensor().released())
                                .toList())
                        .block(LIMIT));
                requireStep(buckets);
            }
        });
    }

    /** It has its place among the steps all the same, which the others wait in. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void stepThatIsCancelledBeforeItsTurn_onOneRank_isATypedErrorOnTheOthers(int culprit) {
        inSharedWorld(RANKS, groups -> {
            List<GradientBuckets> buckets = buckets(groups, true);
            requireStep(buckets);
            List<List<Gradient>> first =
                    IntStream.range(0, RANKS).mapToObj(this::own).toList();
            CountDownLatch cancelled = new CountDownLatch(1);
            List<Mono<Ended>> ends = IntStream.range(0, RANKS)
                    .mapToObj(rank -> begun(Mono.fromRunnable(() -> awaitLatch(cancelled))
                            .subscribeOn(Schedulers.boundedElastic())
                            .thenMany(Flux.fromIterable(first.get(rank)))
                            .transform(buckets.get(rank))))
                    .toList();
            List<List<Gradient>> second =
                    IntStream.range(0, RANKS).mapToObj(this::own).toList();
            AtomicInteger subscribed = new AtomicInteger();
            List<Mono<Ended>> others = new ArrayList<>();
            for (int rank = 0; rank < RANKS; rank++) {
                Flux<Gradient> pass = Flux.fromIterable(second.get(rank));
                if (rank == culprit) {
                    pass.doOnSubscribe(ignored -> subscribed.incrementAndGet())
                            .transform(buckets.get(rank))
                            .subscribe()
                            .dispose();
                } else {
                    others.add(begun(pass.transform(buckets.get(rank))));
                }
            }
            cancelled.countDown();
            ends.forEach(each -> await(each).requireSuccess());
            requireSums(first);
            others.forEach(each -> assertThat(await(each).error())
                    .isInstanceOf(GroupClosedException.class)
                    .hasMessageContaining("rank=" + culprit));
            assertThat(subscribed).hasValue(0);
            requireStep(buckets);
        });
    }

    /** What a rank subscribes to after the end was known there is not begun. */
    @Test
    void stepThatFailedBeforeItBeginsHere_runsNoBackwardPass() {
        inSharedWorld(RANKS, groups -> {
            List<GradientBuckets> buckets = buckets(groups, true);
            Ended failed = await(begun(throwing(own(0), 1).transform(buckets.getFirst())));
            assertThat(failed.error()).hasMessage("planted");
            Flux.fromIterable(groups)
                    .flatMap(group -> group.named("told").barrier(), RANKS)
                    .blockLast(LIMIT);
            AtomicInteger subscribed = new AtomicInteger();
            for (int rank = 1; rank < RANKS; rank++) {
                Flux<Gradient> pass =
                        Flux.fromIterable(own(rank)).doOnSubscribe(ignored -> subscribed.incrementAndGet());
                assertThat(await(begun(pass.transform(buckets.get(rank)))).error())
                        .isInstanceOf(InvalidCallException.class);
            }
            assertThat(subscribed).hasValue(0);
            requireStep(buckets);
        });
    }

    /** A plain call has met a step: nobody knows what the others know, so they ask again. */
    @Test
    void stepThatMetAnotherCall_isFollowedByOneThatAgreesAnew() {
        inSharedWorld(2, groups -> {
            List<ProcessGroup> named =
                    groups.stream().map(group -> group.named("drift")).toList();
            List<GradientBuckets> buckets = buckets(named, false);
            requireStep(buckets);
            List<GradientBuckets> others = buckets(named, false);
            requireStep(others);
            Tensor sum = kept(Tensor.of(new float[1]));
            Mono<?> plain = named.getFirst()
                    .allReduce(sum, ReduceOp.SUM)
                    .then()
                    .onErrorResume(CommException.class, error -> Mono.empty());
            Ended end = await(begun(Flux.fromIterable(own(1)).transform(GradientBuckets.of(named.getLast(), PAIRS)))
                    .doOnSubscribe(ignored -> plain.subscribe()));
            assertThat(end.error()).isInstanceOf(MismatchException.class);
            requireStep(buckets);
            requireStep(others);
        });
    }
}
