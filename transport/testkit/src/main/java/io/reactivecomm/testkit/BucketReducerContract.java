package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.bucket.BucketOptions;
import io.reactivecomm.bucket.BucketReducer;
import io.reactivecomm.bucket.GradientBuckets;
import io.reactivecomm.bucket.Parameter;
import io.reactivecomm.bucket.Scaling;
import io.reactivecomm.hook.Gradient;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of reducers: calls of the program's own in the place of a bucket's all-reduce. */
public abstract class BucketReducerContract extends BucketWorld {

    private static final int RANKS = 3;

    private final BucketReducer gathering = reducer("gathering", this::byReductionToRoot);

    private static BucketReducer reducer(String label, BiFunction<ProcessGroup, BucketReducer.Bucket, Mono<Work>> calls) {
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
        return group.reduce(bucket.tensor(), 0, bucket.reduction()).then(Mono.defer(() -> group.broadcast(bucket.tensor(), 0)));
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

    private List<List<byte[]>> results(List<ProcessGroup> groups, BucketOptions options, boolean isRegistered, String name) {
        List<GradientBuckets> buckets = buckets(groups, group -> {
            GradientBuckets made = GradientBuckets.of(group.named(name), options);
            return isRegistered ? made.registered(floats()) : made;
        });
        List<List<Gradient>> gradients = gradients();
        step(buckets, gradients).forEach(Ended::requireSuccess);
        gradients.forEach(BucketWorld::requireReleased);
        return gradients.stream().map(rank -> rank.stream().map(each -> bytes(each.tensor())).toList()).toList();
    }

    @Test
    void reducer_seesEachBucket_withItsParameters_asTheyWereRegistered() {
        List<Parameter> model = List.of(
                new Parameter("matrix", DType.FLOAT32, home().device(0), 2, 3), new Parameter("bias", DType.FLOAT32, home().device(0), 4));
        List<List<Parameter>> seen = new CopyOnWriteArrayList<>();
        BucketReducer watching = reducer("watching", (group, bucket) -> {
            seen.add(bucket.parameters());
            return group.allReduce(bucket.tensor(), bucket.reduction());
        });
        BucketOptions together = BucketOptions.DEFAULT.withReducer(watching);
        List<GradientBuckets> buckets = buckets(world(RANKS), group -> GradientBuckets.of(group, together).registered(model));
        List<Ended> ends = steps(RANKS, rank -> Flux.fromIterable(gradients(model, rank)).transform(buckets.get(rank)));
        ends.forEach(Ended::requireSuccess);
        assertThat(seen).hasSize(RANKS).allSatisfy(each -> assertThat(each).isEqualTo(model));
    }

    @Test
    void reducersOfOtherLabels_areOneErrorOnAllRanks() {
        BucketReducer other = reducer("scattering", this::byReductionToRoot);
        List<GradientBuckets> buckets = buckets(world(RANKS), group ->
                GradientBuckets.of(group, with(group.rank() == 1 ? other : gathering)).registered(floats()));
        step(buckets, gradients()).forEach(end -> assertThat(end.error())
                .isInstanceOf(MismatchException.class)
                .hasMessageContainingAll("reducer=gathering on ranks [0, 2]", "reducer=scattering on rank 1"));
    }

    @Test
    void reducerBesideNone_isOneErrorOnAllRanks() {
        List<GradientBuckets> buckets = buckets(world(RANKS), group ->
                GradientBuckets.of(group, group.rank() == 1 ? SMALL : with(gathering)).registered(floats()));
        step(buckets, gradients()).forEach(end -> assertThat(end.error()).isInstanceOf(MismatchException.class).hasMessageContaining("reducer=gathering"));
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
        List<GradientBuckets> buckets = buckets(world(RANKS), group -> GradientBuckets.of(group, with(failing)).registered(floats()));
        List<List<Gradient>> gradients = gradients();
        List<Ended> ends = step(buckets, gradients);
        gradients.forEach(BucketWorld::requireReleased);
        assertThat(ends.get(1).error()).hasMessageContaining("planted");
        assertThat(List.of(ends.get(0), ends.get(2)))
                .allSatisfy(end -> assertThat(end.error()).isInstanceOf(InvalidCallException.class).hasMessageContainingAll("planted", "rank=1"));
        fails[0] = false;
        step(buckets, gradients()).forEach(Ended::requireSuccess);
    }

    @Test
    void reducersThatCallDifferently_areAMismatch() {
        BucketReducer differing = reducer("differing", (group, bucket) -> group.rank() == 1
                ? group.allReduce(bucket.tensor(), bucket.reduction())
                : byReductionToRoot(group, bucket));
        List<GradientBuckets> buckets = buckets(world(RANKS), group -> GradientBuckets.of(group, with(differing)).registered(floats()));
        step(buckets, gradients()).forEach(end -> assertThat(end.error()).isInstanceOf(MismatchException.class));
    }

    @Test
    void typeThatTheReducerRefuses_isRefusedWithItsReason() {
        ProcessGroup group = world(1).getFirst();
        GradientBuckets buckets = kept(GradientBuckets.of(group, with(gathering)));
        assertThatThrownBy(() -> buckets.registered(model(3, DType.FLOAT64)))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContainingAll("layer0", "reducer=gathering", "it takes no doubles");
        List<Gradient> learned = List.of(new Gradient("a", kept(home().take(Tensor.of(new double[] {1}), home().device(0)))));
        assertThat(steps(1, rank -> Flux.fromIterable(learned).transform(buckets)).getFirst().error())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("it takes no doubles");
    }
}
