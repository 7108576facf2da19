package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.collective.Form;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.MissingGradients;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.ResultOrder;
import io.reactivecomm.train.Scaling;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** The contract of gradients that some ranks lack: three parameters in two buckets, and every pattern of missing ones. A gradient comes back on all ranks, or on none. */
public abstract class PresenceContract extends BucketWorld {

    private static final List<String> NAMES = List.of("a", "b", "c");

    private static final int[] COUNTS = {3, 2, 4};

    /** Rows of the table, if c is sparse. */
    private static final int ROWS = 4;

    /** Content of memory that must not be summed. */
    private static final float GARBAGE = 99;

    /** Two gradients, and one, in a bucket; small integers add up exactly. */
    private static final BucketOptions OPTIONS =
            BucketOptions.DEFAULT.withBucketBytes(20).withFirstBucketBytes(20).withScaling(Scaling.SUM);

    /** The ways in which gradients are handed over, and their buckets reduced. */
    private enum Form {
        OWN_TENSORS,
        ANNOUNCED,
        IN_ORDER,
        AVERAGED,
        FLOAT16,
        SPARSE,
        HOMES,
        KEPT;

        boolean hasHomes() {
            return this == HOMES || this == KEPT;
        }

        BucketOptions options() {
            return switch (this) {
                case IN_ORDER -> OPTIONS.withOrder(ResultOrder.PARAMETER);
                case AVERAGED -> OPTIONS.withScaling(Scaling.AVERAGE);
                case FLOAT16 -> OPTIONS.withCommunicationType(DType.FLOAT16);
                case OWN_TENSORS, ANNOUNCED, SPARSE, HOMES, KEPT -> OPTIONS;
            };
        }
    }

    static Stream<Arguments> forms() {
        return Arrays.stream(Form.values())
                .flatMap(form -> Stream.concat(
                        Stream.of(Arguments.of(form, 2, 0)),
                        thirds(form).mapToObj(third -> Arguments.of(form, 3, third))));
    }

    /** {@return the patterns of the third rank} The suite tries one for each form. */
    private static IntStream thirds(Form form) {
        int all = 1 << NAMES.size();
        return Depth.isWhole() ? IntStream.range(0, all) : IntStream.of((3 + 5 * form.ordinal()) % all);
    }

    private List<Parameter> parameters(Form form) {
        return IntStream.range(0, NAMES.size())
                .mapToObj(i -> i == 2 && form == Form.SPARSE
                        ? Parameter.sparse(NAMES.get(i), DType.FLOAT32, home().device(0), ROWS, 1)
                        : new Parameter(NAMES.get(i), DType.FLOAT32, home().device(0), COUNTS[i]))
                .toList();
    }

    private static boolean isThere(int pattern, int rank, int parameter) {
        return (pattern >> (NAMES.size() * rank + parameter) & 1) == 1;
    }

    /** {@return the element of a gradient, in which each rank has a bit of its own} */
    private static float element(int rank, int parameter, int at) {
        return (1 << 3 * rank) * (1 + (parameter + at) % 4);
    }

    private static float[] elements(int rank, int parameter) {
        float[] elements = new float[COUNTS[parameter]];
        for (int at = 0; at < elements.length; at++) {
            elements[at] = element(rank, parameter, at);
        }
        return elements;
    }

    /** One rank's tensors, used again in each step. */
    private final class Rank {

        private final int rank;
        private final Form form;
        private final GradientBuckets buckets;
        private final List<Tensor> tensors = new ArrayList<>();
        private final boolean hasRows;

        private Rank(ProcessGroup group, Form form) {
            this.rank = group.rank();
            this.form = form;
            this.hasRows = form == Form.SPARSE;
            this.buckets = kept(GradientBuckets.of(group, form.options()).registered(parameters(form)));
            if (form.hasHomes()) {
                buckets.allocate().forEach(each -> tensors.add(each.tensor()));
            } else {
                for (int count : COUNTS) {
                    tensors.add(kept(home().take(Tensor.of(new float[count]), home().device(0))));
                }
            }
        }

        private void write(int parameter, float[] values) {
            try (Tensor own = Tensor.of(values)) {
                home().write(own, tensors.get(parameter));
            }
        }

        private Flux<Gradient> step(int pattern) {
            List<Gradient> pass = new ArrayList<>();
            for (int i = 0; i < NAMES.size(); i++) {
                if (isThere(pattern, rank, i)) {
                    pass.add(produced(i));
                } else {
                    lack(i, pass);
                }
            }
            return Flux.fromIterable(shuffled(pass, rank + pattern)).transform(buckets);
        }

        private Gradient produced(int parameter) {
            if (parameter == 2 && hasRows) {
                return Gradient.sparse(
                        NAMES.get(parameter),
                        kept(new SparseTensor(
                                kept(Tensor.of(new long[] {rank})),
                                kept(home().take(Tensor.of(new float[] {1 + rank}, 1, 1), home().device(0))),
                                ROWS)));
            }
            write(parameter, elements(rank, parameter));
            return new Gradient(NAMES.get(parameter), tensors.get(parameter));
        }

        private void lack(int parameter, List<Gradient> pass) {
            String name = NAMES.get(parameter);
            switch (form) {
                case ANNOUNCED -> pass.add(Gradient.absent(name));
                case HOMES -> fill(parameter, GARBAGE);
                case KEPT -> {
                    fill(parameter, 1 + rank);
                    pass.add(Gradient.kept(name));
                }
                case OWN_TENSORS, IN_ORDER, AVERAGED, FLOAT16, SPARSE -> {
                    // Nothing is said of it.
                }
            }
        }

        private void fill(int parameter, float value) {
            float[] values = new float[COUNTS[parameter]];
            Arrays.fill(values, value);
            write(parameter, values);
        }
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("forms")
    void everyPatternOfMissingGradients_isTheSameOnAllRanks(Form form, int size, int third) {
        inSharedWorld(size, groups -> {
            List<Rank> ranks =
                    groups.stream().map(group -> new Rank(group, form)).toList();
            for (int ofTwo = 0; ofTwo < 1 << NAMES.size() * 2; ofTwo++) {
                int pattern = ofTwo | third << NAMES.size() * 2;
                List<Ended> ends = steps(size, rank -> ranks.get(rank).step(pattern));
                for (int rank = 0; rank < size; rank++) {
                    Ended end = ends.get(rank);
                    end.requireSuccess();
                    requireResults(form, ranks.get(rank), pattern, size, end.results());
                }
            }
            ranks.forEach(rank -> rank.buckets.close());
        });
    }

    private void requireResults(Form form, Rank rank, int pattern, int size, List<Gradient> results) {
        Map<String, Gradient> byName = new HashMap<>();
        results.forEach(each -> assertThat(byName.put(each.name(), each)).isNull());
        if (form == Form.IN_ORDER) {
            assertThat(results).extracting(Gradient::name).isSorted();
        }
        for (int parameter = 0; parameter < NAMES.size(); parameter++) {
            String name = NAMES.get(parameter);
            String what = "pattern=" + Integer.toBinaryString(pattern) + ", rank=" + rank.rank + ", name=" + name;
            List<Integer> having = having(pattern, size, parameter);
            if (having.isEmpty()) {
                assertThat(byName).as(what).doesNotContainKey(name);
            } else if (parameter == 2 && rank.hasRows) {
                requireRows(
                        what,
                        having,
                        kept(Objects.requireNonNull(result(byName, name).rows())));
            } else {
                assertThat(byName).as(what).containsKey(name);
                Tensor result = result(byName, name).tensor();
                assertThat(result.toFloatArray()).as(what).isEqualTo(expected(form, pattern, size, parameter));
                if (form.hasHomes() || having.contains(rank.rank)) {
                    assertThat(result).as(what).isSameAs(rank.tensors.get(parameter));
                }
            }
        }
    }

    private static Gradient result(Map<String, Gradient> byName, String name) {
        return Objects.requireNonNull(byName.get(name));
    }

    private static List<Integer> having(int pattern, int size, int parameter) {
        return IntStream.range(0, size)
                .filter(rank -> isThere(pattern, rank, parameter))
                .boxed()
                .toList();
    }

    private static float[] expected(Form form, int pattern, int size, int parameter) {
        float[] sum = new float[COUNTS[parameter]];
        for (int rank = 0; rank < size; rank++) {
            for (int at = 0; at < sum.length; at++) {
                if (isThere(pattern, rank, parameter)) {
                    sum[at] += element(rank, parameter, at);
                } else if (form == Form.KEPT) {
                    sum[at] += 1 + rank;
                }
            }
        }
        if (form == Form.AVERAGED) {
            for (int at = 0; at < sum.length; at++) {
                sum[at] /= size;
            }
        }
        return sum;
    }

    private static void requireRows(String what, List<Integer> having, SparseTensor sum) {
        assertThat(sum.indices().toLongArray())
                .as(what)
                .isEqualTo(having.stream().mapToLong(Integer::longValue).toArray());
        float[] values = sum.values().toFloatArray();
        for (int i = 0; i < values.length; i++) {
            assertThat(values[i]).as(what).isEqualTo(1 + having.get(i));
        }
    }

    /** Also the one that would show which gradients there are. */
    @Test
    void stepWithoutGradients_ends_andTheNextOneIsRight() {
        inSharedWorld(2, groups -> {
            for (boolean isRegistered : new boolean[] {true, false}) {
                List<GradientBuckets> buckets = buckets(groups, group -> {
                    GradientBuckets learning = GradientBuckets.of(group, OPTIONS);
                    return isRegistered ? learning.registered(parameters(scalars(0, "a"))) : learning;
                });
                steps(2, rank -> Flux.<Gradient>empty().transform(buckets.get(rank)))
                        .forEach(Ended::requireSuccess);
                List<List<Gradient>> came = List.of(scalars(1, "a"), scalars(2, "a"));
                for (Ended end :
                        steps(2, rank -> Flux.fromIterable(came.get(rank)).transform(buckets.get(rank)))) {
                    end.requireSuccess();
                    assertThat(end.results().getFirst().tensor().toFloatArray()).containsExactly(3);
                }
            }
        });
    }

    @Test
    void missingGradients_leftOut_comeBackWhereTheyCame() {
        inSharedWorld(2, groups -> {
            List<GradientBuckets> buckets = buckets(
                    groups,
                    group -> GradientBuckets.of(group, OPTIONS.withMissing(MissingGradients.LEFT_OUT))
                            .registered(parameters(scalars(0, "a", "b"))));
            List<List<Gradient>> came = List.of(scalars(1, "a", "b"), scalars(2, "b"));
            List<Ended> ends =
                    steps(2, rank -> Flux.fromIterable(came.get(rank)).transform(buckets.get(rank)));
            assertThat(ends.get(0).names()).containsExactlyInAnyOrder("a", "b");
            assertThat(ends.get(1).names()).containsExactly("b");
            assertThat(came.get(0).getFirst().tensor().toFloatArray()).containsExactly(1);
        });
    }

    /** Adam with weight decay: a parameter that no rank uses in a step does not move, and one that some rank uses moves alike on all. */
    @Test
    void optimizers_ofReplicas_stayEqual_andMoveOnlyWithGradients() {
        inSharedWorld(2, groups -> {
            List<String> names = List.of("used", "mine", "unused");
            List<GradientBuckets> buckets = buckets(
                    groups,
                    group -> GradientBuckets.average(group)
                            .registered(parameters(scalars(0, names.toArray(String[]::new)))));
            List<Map<String, Adam>> replicas = groups.stream()
                    .map(group -> {
                        Map<String, Adam> replica = new HashMap<>();
                        names.forEach(name -> replica.put(name, new Adam()));
                        return replica;
                    })
                    .toList();
            for (int step = 0; step < 6; step++) {
                List<List<Gradient>> came = step % 2 == 0
                        ? List.of(scalars(1, "used", "mine"), scalars(2, "used"))
                        : List.of(scalars(1, "used"), scalars(2, "used"));
                List<Ended> ends =
                        steps(2, rank -> Flux.fromIterable(came.get(rank)).transform(buckets.get(rank)));
                for (int rank = 0; rank < 2; rank++) {
                    Map<String, Adam> replica = replicas.get(rank);
                    ends.get(rank)
                            .results()
                            .forEach(each -> Objects.requireNonNull(replica.get(each.name()))
                                    .update(each.tensor().toFloatArray()[0]));
                }
            }
            assertThat(replicas.get(0)).isEqualTo(replicas.get(1));
            assertThat(Objects.requireNonNull(replicas.get(0).get("used")).steps)
                    .isEqualTo(6);
            assertThat(Objects.requireNonNull(replicas.get(0).get("mine")).steps)
                    .isEqualTo(3);
            assertThat(replicas.get(0).get("unused")).isEqualTo(new Adam());
        });
    }

    /** One weight and its state in Adam with decoupled weight decay. */
    private static final class Adam {

        private double weight = 1;
        private double mean;
        private double square;
        private int steps;

        void update(double gradient) {
            steps++;
            mean = 0.9 * mean + 0.1 * gradient;
            square = 0.999 * square + 0.001 * gradient * gradient;
            double step = mean / (1 - Math.pow(0.9, steps)) / (Math.sqrt(square / (1 - Math.pow(0.999, steps))) + 1e-8);
            weight -= 0.01 * (step + 0.1 * weight);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Adam that && weight == that.weight && mean == that.mean && square == that.square;
        }

        @Override
        public int hashCode() {
            return Double.hashCode(weight);
        }
    }
}
