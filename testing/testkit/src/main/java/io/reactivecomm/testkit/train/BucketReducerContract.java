package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.EndlessWork;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.Scaling;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The contract of reducers: calls of the program's own in the place of a bucket's all-reduce. */
public abstract class BucketReducerContract extends BucketWorld {

    private static final int RANKS = 3;

    /** Waited for in full, twice. */
    private static final Duration SHORT = Duration.ofMillis(300);

    private final BucketReducer gathering = reducer("gathering", this::byReductionToRoot);

    private static BucketReducer reducer(
            String label, BiFunction<ProcessGroup, BucketReducer.Bucket, Mono<Work>> calls) {
        return new BucketReducer() {
            @Override
            public String label() {
                return label;
            }

            @Override
            public @Nullable String refusal(DType type) {
                return type == DType.FLOAT64 ? "it takes no doubles" : null;
            }

            @Override
            public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {
                return calls.apply(group, bucket);
            }
        };
    }

    /** Two calls that depend on each other. */
    private Mono<Work> byReductionToRoot(ProcessGroup group, BucketReducer.Bucket bucket) {
        return group.reduce(bucket.tensor(), 0, bucket.reduction())
                .then(Mono.defer(() -> group.broadcast(bucket.tensor(), 0)));
    }

    private static BucketOptions with(BucketReducer reducer) {
        return SMALL.withReducer(reducer);
    }

    private List<Parameter> floats() {
        return model(6, DType.FLOAT32);
    }

    private List<Ended> step(List<GradientBuckets> buckets, List<List<Gradient>> gradients) {
        return steps(RANKS, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));
    }

    private List<List<Gradient>> gradients() {
        return List.of(gradients(floats(), 0), gradients(floats(), 1), gradients(floats(), 2));
    }

    @Tag("smoke")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reducer_bringsWhatTheAllReduceWould(boolean isRegistered) {
        List<ProcessGroup> groups = world(RANKS);
        for (Scaling scaling : List.of(Scaling.SUM, Scaling.AVERAGE, Scaling.PRESCALE, Scaling.predivide(2))) {
            List<List<byte[]>> expected = results(groups, SMALL.withScaling(scaling), isRegistered, "plain");
            assertThat(results(groups, with(gathering).withScaling(scaling), isRegistered, "reduced"))
                    .usingRecursiveComparison()
                    .isEqualTo(expected);
        }
    }

    private List<List<byte[]>> results(
            List<ProcessGroup> groups, BucketOptions options, boolean isRegistered, String name) {
        List<GradientBuckets> buckets = buckets(groups, group -> {
            GradientBuckets made = GradientBuckets.of(group.named(name), options);
            return isRegistered ? made.registered(floats()) : made;
        });
        List<List<Gradient>> gradients = gradients();
        step(buckets, gradients).forEach(Ended::requireSuccess);
        gradients.forEach(BucketWorld::requireReleased);
        return gradients.stream()
                .map(rank -> rank.stream().map(each -> bytes(each.tensor())).toList())
                .toList();
    }

    @Test
    void reducer_seesEachBucket_withItsParameters_asTheyWereRegistered() {
        List<Parameter> model = List.of(
                new Parameter("matrix", DType.FLOAT32, home().device(0), 2, 3),
                new Parameter("bias", DType.FLOAT32, home().device(0), 4));
        List<List<Parameter>> seen = new CopyOnWriteArrayList<>();
        BucketReducer watching = reducer("watching", (group, bucket) -> {
            seen.add(bucket.parameters());
            return group.allReduce(bucket.tensor(), bucket.reduction());
        });
        BucketOptions together = BucketOptions.DEFAULT.withReducer(watching);
        List<GradientBuckets> buckets = buckets(
                world(RANKS), group -> GradientBuckets.of(group, together).registered(model));
        List<Ended> ends =
                steps(RANKS, rank -> Flux.fromIterable(gradients(model, rank)).transform(buckets.get(rank)));
        ends.forEach(Ended::requireSuccess);
        assertThat(seen).hasSize(RANKS).allSatisfy(each -> assertThat(each).isEqualTo(model));
    }

    @Test
    void reducer_hearsOfTheEndOfEachStepThatWentWell_onceBeforeTheProgramDoes() {
        List<List<Integer>> ended = new CopyOnWriteArrayList<>();
        List<GradientBuckets> buckets = buckets(
                world(RANKS),
                group -> GradientBuckets.of(group, with(new BucketReducer() {
                            @Override
                            public String label() {
                                return "watched";
                            }

                            @Override
                            public Mono<Work> reduce(ProcessGroup inside, Bucket bucket) {
                                return gathering.reduce(inside, bucket);
                            }

                            @Override
                            public void ended(List<Integer> numbers) {
                                ended.add(numbers);
                            }
                        }))
                        .registered(floats()));
        steps(RANKS, rank -> Flux.fromIterable(gradients().get(rank)).transform(buckets.get(rank)))
                .forEach(Ended::requireSuccess);
        assertThat(ended)
                .hasSize(RANKS)
                .allSatisfy(each -> assertThat(each)
                        .hasSizeGreaterThan(1)
                        .isEqualTo(IntStream.range(0, each.size()).boxed().toList()));
        ended.clear();
        steps(
                RANKS,
                rank -> rank == 1
                        ? Flux.<Gradient>error(new IllegalStateException("planted"))
                                .transform(buckets.get(rank))
                        : Flux.fromIterable(gradients().get(rank)).transform(buckets.get(rank)));
        assertThat(ended).isEmpty();
    }

    @Test
    void reducersOfOtherLabels_areOneErrorOnAllRanks() {
        BucketReducer other = reducer("scattering", this::byReductionToRoot);
        List<GradientBuckets> buckets = buckets(
                world(RANKS),
                group -> GradientBuckets.of(group, with(group.rank() == 1 ? other : gathering))
                        .registered(floats()));
        step(buckets, gradients())
                .forEach(end -> assertThat(end.error())
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContainingAll("reducer=gathering on ranks [0, 2]", "reducer=scattering on rank 1"));
    }

    @Test
    void reducerBesideNone_isOneErrorOnAllRanks() {
        List<GradientBuckets> buckets = buckets(
                world(RANKS),
                group -> GradientBuckets.of(group, group.rank() == 1 ? SMALL : with(gathering))
                        .registered(floats()));
        step(buckets, gradients())
                .forEach(end -> assertThat(end.error())
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContaining("reducer=gathering"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reducerThatFails_onOneRank_endsTheStepOnAll_andTheNextOneIsRight(boolean throwsIt) {
        boolean[] fails = {true};
        BucketReducer failing = reducer("failing", (group, bucket) -> {
            IllegalStateException planted = new IllegalStateException("planted");
            if (fails[0] && group.rank() == 1 && bucket.index() == 1) {
                if (throwsIt) {
                    throw planted;
                }
                return Mono.error(planted);
            }
            return byReductionToRoot(group, bucket);
        });
        List<GradientBuckets> buckets = buckets(
                world(RANKS), group -> GradientBuckets.of(group, with(failing)).registered(floats()));
        List<List<Gradient>> gradients = gradients();
        List<Ended> ends = step(buckets, gradients);
        gradients.forEach(BucketWorld::requireReleased);
        assertThat(ends.get(1).error()).hasMessageContaining("planted");
        assertThat(List.of(ends.get(0), ends.get(2)))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContainingAll("planted", "rank=1"));
        fails[0] = false;
        step(buckets, gradients()).forEach(Ended::requireSuccess);
    }

    static Stream<Arguments> throwing() {
        Supplier<Mono<Work>> onSubscription = () -> Mono.from(subscriber -> {
            throw new IllegalStateException("planted");
        });
        return Stream.of(
                Arguments.of("as it is subscribed to", onSubscription),
                Arguments.of("a class that is not there", throwing(() -> new NoClassDefFoundError("planted"))),
                Arguments.of("a stack that is used up", throwing(() -> new StackOverflowError("planted"))));
    }

    private static Supplier<Mono<Work>> throwing(Supplier<Error> error) {
        return () -> {
            throw error.get();
        };
    }

    /** Also what Reactor tells nobody of. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("throwing")
    void whateverAReducerThrows_endsTheStepOnAll(String name, Supplier<Mono<Work>> throwing) {
        BucketReducer failing = reducer(
                "failing", (group, bucket) -> group.rank() == 1 ? throwing.get() : byReductionToRoot(group, bucket));
        requireFailure(
                GroupView.AS_IT_IS, failing, end -> assertThat(end.error()).hasMessageContaining("planted"));
    }

    private enum GroupView {
        AS_IT_IS,
        WITH_A_SHORT_DEADLINE_ON_RANK_1;

        ProcessGroup of(ProcessGroup group) {
            return this == AS_IT_IS || group.rank() != 1 ? group : group.timeout(SHORT);
        }
    }

    static Stream<Arguments> endless() {
        return Stream.of(
                Arguments.of("without a call", (UnaryOperator<Mono<Work>>) good -> Mono.never()),
                Arguments.of("behind its calls", (UnaryOperator<Mono<Work>>) good -> good.then(Mono.never())),
                Arguments.of("a handle", (UnaryOperator<Mono<Work>>) good -> good.map(EndlessWork::new)));
    }

    /** The rank itself would wait for ever, and each of its next steps behind this one. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("endless")
    void reducerThatDoesNotEnd_endsAtTheDeadline(String name, UnaryOperator<Mono<Work>> endless) {
        BucketReducer stopping = reducer("stopping", (group, bucket) -> {
            Mono<Work> good = byReductionToRoot(group, bucket);
            return group.rank() == 1 ? endless.apply(good) : good;
        });
        requireFailure(
                GroupView.WITH_A_SHORT_DEADLINE_ON_RANK_1,
                stopping,
                end -> assertThat(end.error()).isInstanceOf(CommTimeoutException.class));
    }

    /** It ends well, once another rank's step has failed with the composite call. The other ranks know that the step has failed. */
    @Test
    void reducerThatEndsAfterTheDeadline_hasFailed() {
        Sinks.Empty<Void> failedElsewhere = Sinks.empty();
        BucketReducer late = reducer("late", (group, bucket) -> {
            Mono<Work> good = byReductionToRoot(group, bucket);
            return group.rank() == 1 ? good.delayUntil(work -> failedElsewhere.asMono()) : good;
        });
        Ended end = failing(GroupView.WITH_A_SHORT_DEADLINE_ON_RANK_1, late, failedElsewhere::tryEmitEmpty);
        assertThat(end.error()).isInstanceOf(CommTimeoutException.class);
    }

    private void requireFailure(GroupView view, BucketReducer failing, Consumer<Ended> rankOne) {
        rankOne.accept(failing(view, failing, () -> {}));
    }

    /** Requires that nothing is borrowed on any rank, and that the group goes on. {@return rank 1's end} */
    private Ended failing(GroupView view, BucketReducer failing, Runnable whenRankZeroHasFailed) {
        List<ProcessGroup> groups = world(RANKS);
        List<GradientBuckets> buckets = buckets(
                groups,
                group -> GradientBuckets.of(view.of(group.named("failing")), with(failing))
                        .registered(floats()));
        List<List<Gradient>> gradients = gradients();
        List<Ended> ends = steps(
                RANKS,
                rank -> Flux.fromIterable(gradients.get(rank))
                        .transform(buckets.get(rank))
                        .doOnError(error -> {
                            if (rank == 0) {
                                whenRankZeroHasFailed.run();
                            }
                        }));
        gradients.forEach(BucketWorld::requireReleased);
        List<GradientBuckets> others = buckets(
                groups,
                group ->
                        GradientBuckets.of(group.named("next"), with(gathering)).registered(floats()));
        step(others, gradients()).forEach(Ended::requireSuccess);
        return ends.get(1);
    }

    @Tag("smoke")
    @Test
    void reducersThatCallDifferently_areAMismatch() {
        BucketReducer differing = reducer(
                "differing",
                (group, bucket) -> group.rank() == 1
                        ? group.allReduce(bucket.tensor(), bucket.reduction())
                        : byReductionToRoot(group, bucket));
        List<GradientBuckets> buckets = buckets(
                world(RANKS),
                group -> GradientBuckets.of(group, with(differing)).registered(floats()));
        step(buckets, gradients()).forEach(end -> assertThat(end.error()).isInstanceOf(MismatchException.class));
    }

    @Test
    void typeThatTheReducerRefuses_isRefusedWithItsReason() {
        ProcessGroup group = world(1).getFirst();
        GradientBuckets buckets = kept(GradientBuckets.of(group, with(gathering)));
        assertThatThrownBy(() -> buckets.registered(model(3, DType.FLOAT64)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("layer0", "reducer=gathering", "it takes no doubles");
        List<Gradient> learned =
                List.of(new Gradient("a", kept(home().take(Tensor.of(new double[] {1}), home().device(0)))));
        assertThat(steps(1, rank -> Flux.fromIterable(learned).transform(buckets))
                        .getFirst()
                        .error())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("it takes no doubles");
    }
}
