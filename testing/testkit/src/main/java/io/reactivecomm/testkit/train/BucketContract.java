package io.reactivecomm.testkit.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.CompositeCall;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Move;
import io.reactivecomm.kernel.HostMoves;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.collective.Oracle;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.ResultOrder;
import io.reactivecomm.train.Scaling;
import io.reactivecomm.train.TrainingStep;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The contract of what gradient buckets give: the results, bit by bit, and the order in which they come. */
public abstract class BucketContract extends BucketWorld {

    /** Requires the bits of an all-reduce of each gradient alone. */
    private static void requireReduced(List<Parameter> model, List<Gradient> gradients, ReduceOp op, int ranks) {
        for (int i = 0; i < model.size(); i++) {
            Parameter parameter = model.get(i);
            assertThat(bytes(gradients.get(i).tensor()))
                    .as(parameter.toString())
                    .isEqualTo(Oracle.folded(parameter.type(), op, i, ranks, parameter.count()));
        }
    }

    @Tag("smoke")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void average_ranksInDifferentOrders_hasTheBitsOfEachAlone(int ranks) {
        List<ProcessGroup> groups = world(ranks);
        List<Parameter> model = model(
                20,
                DType.FLOAT32,
                reducible(ReduceOp.AVG, DType.FLOAT16, DType.FLOAT32),
                DType.FLOAT64,
                reducible(ReduceOp.AVG, DType.BFLOAT16, DType.FLOAT64));
        List<GradientBuckets> buckets =
                buckets(groups, group -> GradientBuckets.of(group, SMALL).registered(model));
        List<List<Gradient>> gradients =
                groups.stream().map(group -> gradients(model, group.rank())).toList();
        List<Ended> ends = steps(
                ranks,
                rank -> Flux.fromIterable(shuffled(gradients.get(rank), rank)).transform(buckets.get(rank)));

        for (int rank = 0; rank < ranks; rank++) {
            ends.get(rank).requireSuccess();
            assertThat(ends.get(rank).results()).containsExactlyInAnyOrderElementsOf(gradients.get(rank));
            requireReduced(model, gradients.get(rank), ReduceOp.AVG, ranks);
            requireReleased(gradients.get(rank));
        }
    }

    @Test
    void sum_unregistered_takesRankZerosOrder_andKeepsIt() {
        List<ProcessGroup> groups = world(3);
        List<Parameter> model =
                model(12, DType.INT32, DType.FLOAT32, reducible(ReduceOp.SUM, DType.UINT8, DType.INT64));
        BucketOptions options = SMALL.withScaling(Scaling.SUM).withOrder(ResultOrder.PARAMETER);
        List<GradientBuckets> buckets = buckets(groups, group -> GradientBuckets.of(group, options));
        List<String> order = shuffled(model, 0).stream().map(Parameter::name).toList();
        for (int step = 0; step < 3; step++) {
            int salt = 10 * step;
            List<List<Gradient>> gradients =
                    groups.stream().map(group -> gradients(model, group.rank())).toList();
            List<Ended> ends = steps(
                    3,
                    rank -> Flux.fromIterable(shuffled(gradients.get(rank), rank + salt))
                            .transform(buckets.get(rank)));
            for (int rank = 0; rank < 3; rank++) {
                ends.get(rank).requireSuccess();
                assertThat(ends.get(rank).names()).isEqualTo(order);
                requireReduced(model, gradients.get(rank), ReduceOp.SUM, 3);
            }
        }
    }

    @Test
    void gradients_thatDoNotCome_countAsZeros() {
        List<ProcessGroup> groups = world(3);
        List<Parameter> model = model(9, DType.FLOAT32);
        List<GradientBuckets> buckets =
                buckets(groups, group -> GradientBuckets.of(group, SMALL).registered(model));
        List<List<Gradient>> gradients =
                groups.stream().map(group -> gradients(model, group.rank())).toList();
        // Rank 0 lacks one, rank 1 those of several whole buckets, rank 2 all.
        List<List<Gradient>> came = List.of(
                gradients.get(0).stream()
                        .filter(each -> !each.name().equals("layer4"))
                        .toList(),
                gradients.get(1).subList(0, 3),
                List.of());
        List<Ended> ends = steps(3, rank -> Flux.fromIterable(came.get(rank)).transform(buckets.get(rank)));

        for (int rank = 0; rank < 3; rank++) {
            ends.get(rank).requireSuccess();
            assertThat(ends.get(rank).names())
                    .containsExactlyInAnyOrderElementsOf(
                            came.get(0).stream().map(Gradient::name).toList());
            assertThat(ends.get(rank).results()).containsAll(came.get(rank));
        }
        for (int i = 0; i < model.size(); i++) {
            float[] result = gradients.get(0).get(i).tensor().toFloatArray();
            for (int at = 0; at < result.length; at++) {
                long first = Inputs.bits(DType.FLOAT32, i, 0, at);
                long second = i < 3 ? Inputs.bits(DType.FLOAT32, i, 1, at) : 0;
                long expected =
                        i == 4 ? first : Oracle.folded(DType.FLOAT32, ReduceOp.AVG, new long[] {first, second, 0});
                assertThat(Float.floatToRawIntBits(result[at])).isEqualTo((int) expected);
            }
        }
    }

    private static float bits(int salt, int rank, int at) {
        return Float.intBitsToFloat((int) Inputs.bits(DType.FLOAT32, salt, rank, at));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1, 3, 1.7})
    void scaling_beforeAndAfterTheSum_isThatOfASequentialLoop(double factor) {
        int ranks = 3;
        Scaling scaling = factor == 0 ? Scaling.PRESCALE : Scaling.predivide(factor);
        float before = (float) (1 / (factor == 0 ? ranks : factor));
        float after = factor == 0 ? 1 : (float) (factor / ranks);
        List<ProcessGroup> groups = world(ranks);
        List<Parameter> model = model(8, DType.FLOAT32);
        List<GradientBuckets> buckets = buckets(groups, group -> GradientBuckets.of(group, SMALL.withScaling(scaling)));
        List<List<Gradient>> gradients =
                groups.stream().map(group -> gradients(model, group.rank())).toList();
        steps(
                        ranks,
                        rank -> Flux.fromIterable(shuffled(gradients.get(rank), rank))
                                .transform(buckets.get(rank)))
                .forEach(Ended::requireSuccess);

        for (int i = 0; i < model.size(); i++) {
            float[] result = gradients.get(1).get(i).tensor().toFloatArray();
            for (int at = 0; at < result.length; at++) {
                float sum = bits(i, 0, at) * before;
                for (int rank = 1; rank < ranks; rank++) {
                    sum += bits(i, rank, at) * before;
                }
                assertThat(result[at]).isEqualTo(sum * after);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64"})
    void communicationType_roundsInputsAndResults_once(DType type) {
        assumeTrue(reduces(ReduceOp.SUM, type));
        List<ProcessGroup> groups = world(2);
        List<Parameter> model = model(9, DType.FLOAT32, DType.FLOAT32, DType.INT32);
        BucketOptions options = SMALL.withScaling(Scaling.SUM).withCommunicationType(type);
        List<GradientBuckets> buckets =
                buckets(groups, group -> GradientBuckets.of(group, options).registered(model));
        List<List<Gradient>> gradients =
                groups.stream().map(group -> gradients(model, group.rank())).toList();
        steps(2, rank -> Flux.fromIterable(shuffled(gradients.get(rank), rank)).transform(buckets.get(rank)))
                .forEach(Ended::requireSuccess);

        for (int i = 0; i < model.size(); i++) {
            Tensor result = gradients.get(0).get(i).tensor();
            if (result.type() == DType.INT32) {
                assertThat(bytes(result)).isEqualTo(Oracle.folded(DType.INT32, ReduceOp.SUM, i, 2, result.count()));
                continue;
            }
            for (int at = 0; at < result.count(); at++) {
                double sum = rounded(bits(i, 0, at), type) + rounded(bits(i, 1, at), type);
                assertThat(result.toFloatArray()[at])
                        .isEqualTo((float) rounded(type == DType.FLOAT64 ? sum : (float) sum, type));
            }
        }
    }

    /** 71,680 does not fit a FLOAT16, and half of it does: packing scales before it converts, also next to a gradient that travels as it is. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 2, 8})
    void communicationType_scalesBeforeItConverts(double factor) {
        assumeTrue(reduces(ReduceOp.SUM, DType.FLOAT16));
        List<ProcessGroup> groups = world(2);
        BucketOptions options = SMALL.withScaling(factor == 0 ? Scaling.PRESCALE : Scaling.predivide(factor))
                .withCommunicationType(DType.FLOAT16);
        List<List<Gradient>> gradients = List.of(
                List.of(gradient("large", DType.FLOAT32, 71_680, -71_680), gradient("half", DType.FLOAT16, 1_000)),
                List.of(gradient("large", DType.FLOAT32, 1_024, 0), gradient("half", DType.FLOAT16, -24)));
        List<GradientBuckets> buckets = buckets(
                groups, group -> GradientBuckets.of(group, options).registered(parameters(gradients.getFirst())));
        steps(2, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)))
                .forEach(Ended::requireSuccess);

        for (List<Gradient> rank : gradients) {
            assertThat(rank.getFirst().tensor().toFloatArray()).containsExactly(36_352, -35_840);
            assertThat(rank.getLast().tensor().toFloatArray()).containsExactly(488);
        }
    }

    private Gradient gradient(String name, DType type, float... values) {
        Tensor tensor = Tensor.allocate(type, values.length);
        try (Tensor exact = Tensor.of(values)) {
            HostMoves.run(List.of(Move.copy(exact, tensor)));
        }
        return new Gradient(name, kept(home().take(tensor, home().device(0))));
    }

    private static double rounded(double value, DType type) {
        return switch (type) {
            case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
            case BFLOAT16 -> Float.intBitsToFloat((int) Oracle.nearestBFloat16((float) value) << 16);
            case FLOAT32 -> (float) value;
            default -> value;
        };
    }

    @ParameterizedTest
    @EnumSource(ResultOrder.class)
    void results_ofABucket_comeBeforeTheNextGradientsDo(ResultOrder order) {
        List<ProcessGroup> groups = world(2);
        BucketOptions options = SMALL.withBucketBytes(4).withOrder(order).withPriorities(true);
        List<List<Gradient>> gradients = IntStream.range(0, 2)
                .mapToObj(rank -> scalars(1 + rank, "a", "b", "c"))
                .toList();
        List<GradientBuckets> buckets = buckets(
                groups,
                group -> GradientBuckets.of(group, options).registered(parameters(gradients.get(group.rank()))));
        List<Ended> ends = steps(2, rank -> {
            Sinks.Many<Gradient> backward = Sinks.many().unicast().onBackpressureBuffer();
            backward.tryEmitNext(gradients.get(rank).getFirst()).orThrow();
            AtomicInteger next = new AtomicInteger(1);
            return backward.asFlux().transform(buckets.get(rank)).doOnNext(result -> {
                assertThat(result.tensor().toFloatArray()).containsExactly(1.5f);
                if (next.get() < 3) {
                    backward.tryEmitNext(gradients.get(rank).get(next.getAndIncrement()))
                            .orThrow();
                } else {
                    backward.tryEmitComplete().orThrow();
                }
            });
        });
        ends.forEach(end -> assertThat(end.names()).containsExactly("a", "b", "c"));
        ends.forEach(Ended::requireSuccess);
    }

    @Test
    void gradients_thatLiveInBuckets_areNotCopied() {
        for (Scaling scaling : List.of(Scaling.AVERAGE, Scaling.predivide(1))) {
            List<ProcessGroup> groups = world(2);
            List<Parameter> model = model(9, DType.FLOAT32);
            AtomicInteger allocations = new AtomicInteger();
            List<GradientBuckets> buckets = buckets(
                    groups,
                    group -> GradientBuckets.of(counting(group, allocations), SMALL.withScaling(scaling))
                            .registered(model));
            List<List<Gradient>> homes =
                    buckets.stream().map(GradientBuckets::allocate).toList();
            int before = allocations.get();
            for (int step = 0; step < 2; step++) {
                List<Ended> ends = steps(
                        2,
                        rank -> Flux.fromIterable(shuffled(filled(groups.get(rank), homes.get(rank)), rank))
                                .transform(buckets.get(rank)));
                ends.forEach(Ended::requireSuccess);
                assertThat(ends.get(0).results()).containsExactlyInAnyOrderElementsOf(homes.get(0));
                homes.forEach(each -> requireReduced(model, each, ReduceOp.AVG, 2));
            }
            assertThat(allocations.get()).as("no flat buffer was needed").isEqualTo(before);
            long end = homes.get(0).get(2).tensor().address()
                    + homes.get(0).get(2).tensor().byteSize();
            assertThat(homes.get(0).get(3).tensor().address())
                    .as("those of one bucket lie side by side")
                    .isEqualTo(end);
            assertThat(buckets.get(0).allocate()).isEqualTo(homes.get(0));
        }
    }

    private static List<Gradient> filled(ProcessGroup group, List<Gradient> homes) {
        for (int i = 0; i < homes.size(); i++) {
            Tensor home = homes.get(i).tensor();
            try (Tensor values = Tensor.allocate(home.type(), home.count())) {
                Inputs.fill(values.segment(), home.type(), i, group.rank());
                group.move(List.of(Move.copy(values, home))).completed().block(LIMIT);
            }
        }
        return homes;
    }

    @Test
    void gradients_someOfWhichLiveInBuckets_areReducedWhereTheyAre() {
        List<ProcessGroup> groups = world(2);
        List<Parameter> model = model(9, DType.FLOAT32, DType.FLOAT64);
        List<GradientBuckets> buckets =
                buckets(groups, group -> GradientBuckets.of(group, SMALL).registered(model));
        List<List<Gradient>> mixed = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            List<Gradient> homes = filled(groups.get(rank), buckets.get(rank).allocate());
            List<Gradient> others = gradients(model, rank);
            int parity = rank;
            mixed.add(IntStream.range(0, 9)
                    .mapToObj(i -> (i % 3 == parity ? homes : others).get(i))
                    .toList());
        }
        steps(2, rank -> Flux.fromIterable(mixed.get(rank)).transform(buckets.get(rank)))
                .forEach(Ended::requireSuccess);
        mixed.forEach(each -> requireReduced(model, each, ReduceOp.AVG, 2));
    }

    @Test
    void gradient_thatIsABucket_isReducedInItsOwnMemory() {
        List<ProcessGroup> groups = world(2);
        List<Parameter> model = List.of(
                new Parameter("large", DType.FLOAT32, home().device(0), 1000),
                new Parameter("none", DType.FLOAT32, home().device(1), 0));
        AtomicInteger allocations = new AtomicInteger();
        List<GradientBuckets> buckets =
                buckets(groups, group -> GradientBuckets.of(counting(group, allocations), SMALL));
        List<List<Gradient>> gradients =
                groups.stream().map(group -> gradients(model, group.rank())).toList();
        steps(2, rank -> Flux.fromIterable(gradients.get(rank)).transform(buckets.get(rank)))
                .forEach(Ended::requireSuccess);
        gradients.forEach(each -> requireReduced(model, each, ReduceOp.AVG, 2));
        assertThat(allocations).hasValue(0);
    }

    @Test
    void twoSubgroups_haveTheirOwnBuckets_andAreHooks() {
        List<ProcessGroup> groups = world(4);
        Queue<String> taken = new ConcurrentLinkedQueue<>();
        List<List<Gradient>> gradients = IntStream.range(0, 4)
                .mapToObj(rank -> scalars(1 << rank, "a", "b"))
                .toList();
        Flux.fromIterable(groups)
                .flatMap(group -> group.split(group.rank() % 2, 0).flatMap(half -> {
                    GradientHooks hooks = new GradientHooks();
                    hooks.register(kept(GradientBuckets.sum(half)));
                    return hooks.run(step(gradients.get(group.rank()), taken));
                }))
                .then()
                .block(LIMIT);

        assertThat(taken).containsExactlyInAnyOrder("a", "b", "a", "b", "a", "b", "a", "b");
        for (int rank = 0; rank < 4; rank++) {
            assertThat(gradients.get(rank).getLast().tensor().toFloatArray()).containsExactly(rank % 2 == 0 ? 5 : 10);
        }
    }

    private static TrainingStep step(List<Gradient> gradients, Queue<String> taken) {
        return new TrainingStep() {

            @Override
            public Flux<Gradient> gradients() {
                return Flux.fromIterable(gradients);
            }

            @Override
            public Mono<Void> takeBack(Gradient reduced) {
                return Mono.fromRunnable(() -> taken.add(reduced.name()));
            }
        };
    }

    @Test
    void priorities_ofBuckets_areAddedToTheGroupsOwn() {
        ProcessGroup group = world(1).getFirst().priority(40).named("gradients");
        assertThat(group.priority()).isEqualTo(40);
        List<Integer> asked = Collections.synchronizedList(new ArrayList<>());
        List<Parameter> model = model(4, DType.FLOAT32);
        GradientBuckets buckets = kept(GradientBuckets.of(
                        asking(group, asked), SMALL.withBucketBytes(4).withPriorities(true))
                .registered(model));
        steps(1, rank -> Flux.fromIterable(gradients(model, rank)).transform(buckets))
                .forEach(Ended::requireSuccess);

        // For the call of its presence, and its own.
        assertThat(asked)
                .isNotEmpty()
                .containsExactlyElementsOf(IntStream.range(0, asked.size())
                        .mapToObj(i -> 40 + i / 2)
                        .toList());
        assertThat(asked).hasSizeGreaterThan(1);
    }

    /** {@return the group, which notes what priorities it is asked for, inside composite calls too} */
    private static ProcessGroup asking(ProcessGroup group, List<Integer> asked) {
        return (ProcessGroup) Proxy.newProxyInstance(
                ProcessGroup.class.getClassLoader(),
                new Class<?>[] {ProcessGroup.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("priority") && arguments != null) {
                        asked.add((Integer) arguments[0]);
                    }
                    Object result = method.invoke(group, arguments);
                    return result instanceof CompositeCall call ? new AskingInside(call, asked) : result;
                });
    }

    private record AskingInside(CompositeCall call, List<Integer> asked) implements CompositeCall {

        @Override
        public CompositeCall borrowing(List<Tensor> tensors) {
            return new AskingInside(call.borrowing(tensors), asked);
        }

        @Override
        public CompositeCall waitingOnly() {
            return new AskingInside(call.waitingOnly(), asked);
        }

        @Override
        public <T> Mono<T> mono(Function<? super ProcessGroup, ? extends Mono<T>> body) {
            return call.mono(inside -> body.apply(asking(inside, asked)));
        }

        @Override
        public <T> Flux<T> flux(Function<? super ProcessGroup, ? extends Publisher<T>> body) {
            return call.flux(inside -> body.apply(asking(inside, asked)));
        }
    }
}
