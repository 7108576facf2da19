package io.reactivecomm.internal.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.device.Device;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.internal.train.BucketPlan.Place;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.Scaling;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BucketPlanTest {

    private static final BucketOptions OPTIONS =
            BucketOptions.DEFAULT.withScaling(Scaling.SUM).withBucketBytes(32).withFirstBucketBytes(8);

    private static Parameter parameter(String name, DType type, long count) {
        return new Parameter(name, type, count);
    }

    private static List<String> names(Bucket bucket) {
        return bucket.places().stream().map(place -> place.parameter().name()).toList();
    }

    private static List<List<String>> names(BucketPlan plan) {
        return plan.buckets().stream().map(BucketPlanTest::names).toList();
    }

    @Test
    void bucket_isClosedBeforeWhatWouldOverflowIt_andALargerOneIsAlone() {
        BucketPlan plan = new BucketPlan(
                List.of(
                        parameter("a", DType.FLOAT32, 1),
                        parameter("b", DType.FLOAT32, 1),
                        parameter("c", DType.FLOAT32, 1),
                        parameter("d", DType.FLOAT32, 7),
                        parameter("large", DType.FLOAT32, 9),
                        parameter("e", DType.FLOAT32, 8),
                        parameter("none", DType.FLOAT32, 0)),
                OPTIONS,
                2);
        assertThat(names(plan))
                .containsExactly(List.of("a", "b"), List.of("c", "d"), List.of("large"), List.of("e", "none"));
        assertThat(plan.flatBytes(Device.CPU))
                .as("the large one can do without")
                .isEqualTo(32);
        assertThat(plan.place("d")).isEqualTo(new Place(parameter("d", DType.FLOAT32, 7), 3, 1, 1));
        assertThat(plan.place("unknown")).isNull();
    }

    @Test
    void buckets_ofTheLargestGradients_withoutALimit_stayBelow2To63Bytes() {
        long most = Long.MAX_VALUE / 8;
        BucketPlan plan = new BucketPlan(
                List.of(
                        parameter("a", DType.FLOAT16, most),
                        parameter("b", DType.FLOAT16, most),
                        parameter("c", DType.FLOAT16, most)),
                OPTIONS.withCommunicationType(DType.FLOAT64)
                        .withBucketBytes(Long.MAX_VALUE)
                        .withFirstBucketBytes(Long.MAX_VALUE),
                2);
        assertThat(names(plan)).containsExactly(List.of("a"), List.of("b"), List.of("c"));
        assertThat(plan.flatBytes(Device.CPU)).isEqualTo(8 * most);
    }

    /** The drawing in the class's Javadoc. */
    @Test
    void types_haveBucketsOfTheirOwn_numberedByTheirLastParameters() {
        BucketPlan plan = new BucketPlan(
                List.of(
                        parameter("a", DType.FLOAT32, 1),
                        parameter("b", DType.FLOAT16, 1),
                        parameter("c", DType.FLOAT32, 1),
                        parameter("d", DType.FLOAT32, 3),
                        parameter("e", DType.FLOAT16, 2),
                        parameter("g", DType.FLOAT32, 1)),
                OPTIONS.withBucketBytes(8).withFirstBucketBytes(4),
                2);
        assertThat(names(plan))
                .containsExactly(List.of("a"), List.of("b"), List.of("c"), List.of("d"), List.of("e"), List.of("g"));
        assertThat(plan.buckets()).extracting(Bucket::type).contains(DType.FLOAT16, DType.FLOAT32);
    }

    @Test
    void communicationType_decidesOverSizesAndCompany() {
        List<Parameter> parameters = List.of(
                parameter("a", DType.FLOAT32, 2), parameter("b", DType.FLOAT16, 2), parameter("i", DType.INT32, 1));
        BucketPlan plan = new BucketPlan(parameters, OPTIONS.withCommunicationType(DType.BFLOAT16), 2);
        assertThat(names(plan)).containsExactly(List.of("a", "b"), List.of("i"));
        assertThat(plan.flatBytes(Device.CPU)).isEqualTo(8);
    }

    static List<Integer> seeds() {
        return IntStream.range(0, 200).boxed().toList();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void anyModel_isCovered_once_inOrder_withinTheLimits(int seed) {
        Random random = new Random(seed);
        DType[] types = {DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16, DType.INT8};
        List<Parameter> parameters = IntStream.range(0, random.nextInt(40))
                .mapToObj(i -> parameter("p" + i, types[random.nextInt(types.length)], random.nextInt(12)))
                .toList();
        BucketPlan plan = new BucketPlan(parameters, OPTIONS, 3);

        assertThat(plan.places().stream().map(Place::parameter)).containsExactlyElementsOf(parameters);
        Map<DType, Bucket> before = new HashMap<>();
        List<Integer> lasts = new ArrayList<>();
        for (Bucket bucket : plan.buckets()) {
            requireGapless(bucket);
            Bucket previous = before.put(bucket.type(), bucket);
            long limit = previous == null ? OPTIONS.firstBucketBytes() : OPTIONS.bucketBytes();
            assertThat(bucket.byteSize() <= limit || bucket.places().size() == 1)
                    .isTrue();
            if (previous != null) {
                long first = bucket.places().getFirst().parameter().count()
                        * bucket.type().byteSize();
                long previousLimit = previous.places().getFirst().index() == firstOf(plan, bucket.type()) ? 8 : 32;
                assertThat(previous.byteSize() + first)
                        .as("it was not closed without need")
                        .isGreaterThan(previousLimit);
            }
            lasts.add(bucket.places().getLast().index());
        }
        assertThat(lasts).isSorted().doesNotHaveDuplicates();
    }

    private static int firstOf(BucketPlan plan, DType type) {
        return plan.places().stream()
                .filter(place -> place.parameter().type() == type)
                .findFirst()
                .orElseThrow()
                .index();
    }

    private static void requireGapless(Bucket bucket) {
        long from = 0;
        for (Place place : bucket.places()) {
            assertThat(place.from()).isEqualTo(from);
            assertThat(place.bucket()).isEqualTo(bucket.index());
            assertThat(place.parameter().type()).isEqualTo(bucket.type());
            from += place.parameter().count();
        }
        assertThat(bucket.count()).isEqualTo(from);
    }

    @Test
    void whatCannotBe_isRefused() {
        Parameter twice = parameter("a", DType.FLOAT32, 1);
        assertThatThrownBy(() -> new BucketPlan(List.of(twice, twice), OPTIONS, 1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("name=a");
        assertThatThrownBy(() -> new BucketPlan(
                        List.of(parameter("i", DType.INT32, 1)), OPTIONS.withScaling(Scaling.AVERAGE), 1))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("i INT32[1]");
        assertThatThrownBy(() -> parameter("n", DType.INT8, -1)).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> OPTIONS.withBucketBytes(0)).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> OPTIONS.withCommunicationType(DType.INT8)).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> Scaling.predivide(Double.NaN)).isInstanceOf(InvalidCallException.class);
        assertThatThrownBy(() -> Scaling.predivide(0)).isInstanceOf(InvalidCallException.class);
    }
}
