package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.ResultOrder;
import io.reactivecomm.train.Scaling;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * The contract of sparse gradients among dense ones.
 *
 * <pre>
 *              rank 0            rank 1            sum
 *   table      row 4: 1 2        rows 4, 0: 3 4    row 0: 5 6
 *                                           5 6    row 4: 4 6
 *   bias       10                20                30
 * </pre>
 */
public abstract class BucketRowsContract extends BucketWorld {

    private static final int RANKS = 2;
    private static final long ROWS = 6;

    private SparseTensor rows(long[] indices, float... values) {
        Tensor flat = Tensor.of(values, indices.length, values.length == 0 ? 2 : values.length / indices.length);
        return kept(new SparseTensor(kept(Tensor.of(indices)), kept(home().take(flat, home().device(0))), ROWS));
    }

    private Gradient table(int rank) {
        return Gradient.sparse("table", rank == 0 ? rows(new long[] {4}, 1, 2) : rows(new long[] {4, 0}, 3, 4, 5, 6));
    }

    private Gradient bias(int rank) {
        return scalars(10 * (rank + 1), "bias").getFirst();
    }

    private List<GradientBuckets> summing(BucketOptions options, boolean isRegistered) {
        List<Parameter> model = List.of(
                new Parameter("bias", DType.FLOAT32, home().device(0), 1),
                Parameter.sparse("table", DType.FLOAT32, home().device(0), ROWS, 2));
        return buckets(world(RANKS), group -> {
            GradientBuckets made = GradientBuckets.of(group, options);
            return isRegistered ? made.registered(model) : made;
        });
    }

    private List<Ended> step(List<GradientBuckets> buckets, List<List<Gradient>> gradients) {
        List<Ended> ends =
                steps(RANKS, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)));
        gradients.forEach(BucketRowsContract::requireAllReleased);
        ends.forEach(end -> end.results().stream()
                .map(Gradient::rows)
                .filter(Objects::nonNull)
                .forEach(this::kept));
        return ends;
    }

    private static void requireAllReleased(List<Gradient> gradients) {
        requireReleased(gradients);
        gradients.stream()
                .map(Gradient::rows)
                .filter(Objects::nonNull)
                .forEach(
                        each -> assertThat(each.indices().released().toFuture()).isDone());
    }

    private static SparseTensor result(Ended end) {
        Gradient table = end.results().stream()
                .filter(each -> each.name().equals("table"))
                .findFirst()
                .orElseThrow();
        return Objects.requireNonNull(table.rows());
    }

    private static void requireRows(SparseTensor sum, long[] indices, float... values) {
        assertThat(sum.rows()).isEqualTo(ROWS);
        assertThat(sum.indices().toLongArray()).isEqualTo(indices);
        assertThat(sum.values().toFloatArray()).isEqualTo(values);
    }

    @Tag("smoke")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rows_addUp_besideDenseGradients_stepAfterStep(boolean isRegistered) {
        List<GradientBuckets> buckets = summing(SMALL.withScaling(Scaling.SUM), isRegistered);
        for (int step = 0; step < 3; step++) {
            for (Ended end : step(buckets, List.of(List.of(table(0), bias(0)), List.of(bias(1), table(1))))) {
                end.requireSuccess();
                assertThat(end.names()).containsExactlyInAnyOrder("bias", "table");
                requireRows(result(end), new long[] {0, 4}, 5, 6, 4, 6);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ResultOrder.class)
    void rows_areScaled_asDenseGradientsAre(ResultOrder order) {
        for (Scaling scaling : List.of(Scaling.AVERAGE, Scaling.PRESCALE, Scaling.predivide(4))) {
            List<GradientBuckets> buckets = summing(SMALL.withScaling(scaling).withOrder(order), true);
            step(buckets, List.of(List.of(table(0), bias(0)), List.of(table(1), bias(1))))
                    .forEach(end -> {
                        end.requireSuccess();
                        requireRows(result(end), new long[] {0, 4}, 2.5f, 3, 2, 3);
                    });
        }
    }

    @Test
    void rowsThatOneRankLacks_comeBackOnAll() {
        List<GradientBuckets> buckets = summing(SMALL.withScaling(Scaling.SUM), true);
        List<Ended> ends = step(buckets, List.of(List.of(table(0), bias(0)), List.of(bias(1))));
        ends.forEach(Ended::requireSuccess);
        requireRows(result(ends.get(0)), new long[] {4}, 1, 2);
        requireRows(result(ends.get(1)), new long[] {4}, 1, 2);
    }

    /** Nobody else can: they are not handed out. Those that were handed in stay the producer's. */
    @ParameterizedTest
    @EnumSource(ResultOrder.class)
    void rowsThatNobodyTakes_areClosed(ResultOrder order) {
        List<GradientBuckets> buckets = summing(SMALL.withScaling(Scaling.SUM).withOrder(order), true);
        List<List<Gradient>> gradients = List.of(List.of(bias(0), table(0)), List.of(bias(1), table(1)));
        List<Ended> ends = steps(RANKS, rank -> {
            Flux<Gradient> reduced = Flux.fromIterable(gradients.get(rank))
                    .publishOn(Schedulers.single())
                    .transform(buckets.get(rank));
            return rank == 0 ? reduced : reduced.take(1);
        });
        ends.forEach(end -> end.results().stream()
                .map(Gradient::rows)
                .filter(Objects::nonNull)
                .forEach(this::kept));
        requireAllReleased(gradients.get(0));
        step(buckets, List.of(List.of(table(0), bias(0)), List.of(bias(1), table(1))))
                .forEach(Ended::requireSuccess);
        assertThat(gradients)
                .allSatisfy(
                        each -> assertThat(Objects.requireNonNull(each.getLast().rows())
                                        .indices()
                                        .toLongArray())
                                .isNotEmpty());
    }

    @Test
    void rowsOfNobody_areNone() {
        List<GradientBuckets> buckets = summing(SMALL.withScaling(Scaling.SUM), true);
        Gradient none = Gradient.sparse("table", rows(new long[0]));
        List<Ended> ends = step(buckets, List.of(List.of(none), List.of()));
        ends.forEach(Ended::requireSuccess);
        requireRows(result(ends.getFirst()), new long[0]);
    }

    @Test
    void denseGradient_whereRowsAreRegistered_failsTheStep() {
        List<GradientBuckets> buckets = summing(SMALL.withScaling(Scaling.SUM), true);
        Gradient dense =
                new Gradient("table", kept(home().take(Tensor.allocate(DType.FLOAT32, ROWS, 2), home().device(0))));
        assertThat(step(buckets, List.of(List.of(dense, bias(0)), List.of(table(1), bias(1)))))
                .allSatisfy(end -> assertThat(end.error())
                        .hasMessageContainingAll("is not what was registered", "table FLOAT32[6, 2] sparse"));
    }

    @Tag("smoke")
    @Test
    void rowsOnOneRank_andADenseGradientOnTheOther_areAMismatch() {
        List<GradientBuckets> buckets = summing(SMALL.withScaling(Scaling.SUM), false);
        Gradient dense =
                new Gradient("table", kept(home().take(Tensor.allocate(DType.FLOAT32, ROWS, 2), home().device(0))));
        assertThat(step(buckets, List.of(List.of(dense, bias(0)), List.of(table(1), bias(1)))))
                .allSatisfy(end -> assertThat(end.error())
                        .isInstanceOf(MismatchException.class)
                        .hasMessageContaining("sparse"));
    }

    @Test
    void rows_beyondTheTable_failTheStep_onAllRanks_andTheNextOneIsRight() {
        List<GradientBuckets> buckets = summing(SMALL.withScaling(Scaling.SUM), true);
        Gradient beyond = Gradient.sparse("table", rows(new long[] {ROWS}, 1, 2));
        assertThat(step(buckets, List.of(List.of(beyond, bias(0)), List.of(table(1), bias(1)))))
                .allSatisfy(end -> assertThat(end.error()).isNotNull());
        step(buckets, List.of(List.of(table(0), bias(0)), List.of(table(1), bias(1))))
                .forEach(Ended::requireSuccess);
    }

    @Test
    void sparseGradients_liveInNoBucket() {
        ProcessGroup group = world(1).getFirst();
        GradientBuckets buckets =
                kept(GradientBuckets.sum(group).registered(List.of(Parameter.sparse("table", DType.FLOAT32, ROWS, 2))));
        assertThatThrownBy(buckets::allocate)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sparse gradients live in no bucket");
    }
}
