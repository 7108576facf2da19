package io.reactivecomm.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.DType;
import io.reactivecomm.Dimension;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.timing.CommsLogger;
import io.reactivecomm.timing.CommsLoggerOptions;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.Scaling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A composite of the library counts as the operation that it performs: it is off as a whole, or all of its own calls are made. */
class SwitchedCompositesTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int RANKS = 2;
    private static final int STEPS = 3;

    /** The steps of a rank, and the result that it sees of each. */
    private interface Rank extends AutoCloseable {

        Flux<String> step(int number);

        @Override
        default void close() {}
    }

    /** The composites of the library that perform a switchable operation, which is an all-reduce here, or none. */
    private enum Composite {
        LEARNING_BUCKETS(true) {
            @Override
            Rank rank(ProcessGroup group) {
                return buckets(group, GradientBuckets.average(group));
            }
        },
        REGISTERED_BUCKETS(true) {
            @Override
            Rank rank(ProcessGroup group) {
                return buckets(
                        group,
                        GradientBuckets.sum(group)
                                .registered(List.of(
                                        new Parameter("b", DType.FLOAT32, 2), new Parameter("a", DType.FLOAT32, 3))));
            }
        },
        BUCKETS_BY_A_REDUCER(true) {
            @Override
            Rank rank(ProcessGroup group) {
                return buckets(
                        group,
                        GradientBuckets.of(
                                group,
                                BucketOptions.DEFAULT.withScaling(Scaling.SUM).withReducer(new InTwoCalls())));
            }
        },
        BUCKETS_OF_ROWS(true) {
            @Override
            Rank rank(ProcessGroup group) {
                GradientBuckets buckets = GradientBuckets.sum(group);
                return new Rank() {
                    @Override
                    public Flux<String> step(int number) {
                        return Mono.fromSupplier(() -> Gradient.sparse("rows", rows(group, number)))
                                .flux()
                                .transform(buckets)
                                .map(result -> text(result.rows()));
                    }

                    @Override
                    public void close() {
                        buckets.close();
                    }
                };
            }
        },
        HOOK(true) {
            @Override
            Rank rank(ProcessGroup group) {
                GradientHooks hooks = GradientHooks.of(ParallelHooks.dataParallel(group));
                return number -> through(hooks, group, number);
            }
        },
        HOOKS_IN_A_CHAIN(true) {
            @Override
            Rank rank(ProcessGroup group) {
                GradientHooks chain =
                        GradientHooks.of(ParallelHooks.modelParallel(group), (gradient, step) -> Mono.just(gradient));
                return number -> through(chain, group, number);
            }
        },
        SPARSE_ALL_REDUCE(true) {
            @Override
            Rank rank(ProcessGroup group) {
                return number -> group.sparseAllReduce(rows(group, number), ReduceOp.SUM)
                        .map(SwitchedCompositesTest::text)
                        .flux();
            }
        },
        OBJECTS(false) {
            @Override
            Rank rank(ProcessGroup group) {
                int rank = group.rank();
                return number -> Flux.concat(
                                group.allGatherObject(rank + number, Integer.class),
                                group.broadcastObject(rank + number, 1, Integer.class),
                                group.reduceObject(rank + number, 0, Integer::sum, Integer.class),
                                group.gatherObject(rank + number, 0, Integer.class),
                                group.scatterObject(
                                        rank == 0 ? List.of(number, number + 1) : List.of(), 0, Integer.class))
                        .map(String::valueOf);
            }
        },
        GROUPS(false) {
            @Override
            Rank rank(ProcessGroup group) {
                return number -> Flux.concat(
                                group.split(0, -group.rank()).map(ProcessGroup::ranks),
                                group.splitByHost().map(ProcessGroup::ranks),
                                group.newGroup(1, 0).map(ProcessGroup::ranks),
                                group.mesh(new Dimension("a", 1), new Dimension("b", RANKS))
                                        .map(mesh -> mesh.axis("b").ranks()))
                        .map(String::valueOf);
            }
        },
        STRAGGLERS(false) {
            @Override
            Rank rank(ProcessGroup group) {
                CommsLogger logger = CommsLogger.of(CommsLoggerOptions.DEFAULT);
                return number ->
                        logger.stragglers(group).map(found -> "compared").flux();
            }
        };

        private final boolean isAllReduce;

        Composite(boolean isAllReduce) {
            this.isAllReduce = isAllReduce;
        }

        abstract Rank rank(ProcessGroup group);
    }

    /** Ranks hand gradients over in opposite orders. */
    private static List<Gradient> gradients(ProcessGroup group, int number) {
        float value = 1 + group.rank() + 10 * number;
        Gradient a = new Gradient("a", Tensor.of(new float[] {value, value, value}));
        Gradient b = new Gradient("b", Tensor.of(new float[] {100 * value, 100 * value}));
        return group.rank() == 0 ? List.of(a, b) : List.of(b, a);
    }

    private static Flux<String> through(
            Function<Flux<Gradient>, Flux<Gradient>> hooks, ProcessGroup group, int number) {
        return Flux.defer(() -> Flux.fromIterable(gradients(group, number)))
                .transform(hooks)
                .map(SwitchedCompositesTest::text)
                .sort();
    }

    private static Rank buckets(ProcessGroup group, GradientBuckets buckets) {
        return new Rank() {
            @Override
            public Flux<String> step(int number) {
                return through(buckets::apply, group, number);
            }

            @Override
            public void close() {
                buckets.close();
            }
        };
    }

    private static SparseTensor rows(ProcessGroup group, int number) {
        float value = 1 + group.rank() + 10 * number;
        return new SparseTensor(
                Tensor.of(new long[] {3, group.rank(), 3}), Tensor.of(new float[] {value, value, value}, 3, 1), 5);
    }

    private static String text(Gradient gradient) {
        return gradient.name() + "=" + Arrays.toString(gradient.tensor().toFloatArray());
    }

    private static String text(SparseTensor rows) {
        try (rows) {
            TreeMap<Long, Float> byRow = new TreeMap<>();
            float[] values = rows.values().toFloatArray();
            long[] indices = rows.indices().toLongArray();
            for (int i = 0; i < indices.length; i++) {
                byRow.put(indices[i], values[i]);
            }
            return byRow + " of " + indices.length;
        }
    }

    /** A program's reducer, made of other operations than the one that it stands for. */
    private record InTwoCalls() implements BucketReducer {

        @Override
        public String label() {
            return "in two calls";
        }

        @Override
        public Mono<Work> reduce(ProcessGroup group, Bucket bucket) {
            return group.reduce(bucket.tensor(), 0, bucket.reduction()).then(group.broadcast(bucket.tensor(), 0));
        }
    }

    private static LocalWorld without(Collection<Operation> off) {
        CommConfig settings =
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withTimeout(Duration.ofSeconds(20));
        return ReactiveComm.local(RANKS, settings.withOff(Set.copyOf(off)));
    }

    /** {@return what each rank sees, step by step} */
    private static List<List<String>> seenWithout(Set<Operation> off, Composite composite) {
        try (LocalWorld world = without(off)) {
            return seen(world, composite);
        }
    }

    private static List<List<String>> seen(LocalWorld world, Composite composite) {
        return Flux.fromIterable(world.groups())
                .flatMapSequential(group -> Flux.using(
                                () -> composite.rank(group.named(composite.name())),
                                rank -> Flux.range(0, STEPS).concatMap(rank::step),
                                Rank::close)
                        .collectList())
                .collectList()
                .block(LIMIT);
    }

    /** {@return what a rank sees that is alone} It has the same values as in the world. */
    private static List<String> local(int rank, Composite composite) {
        List<String> seen = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            float value = 1 + rank + 10 * step;
            if (composite == Composite.SPARSE_ALL_REDUCE || composite == Composite.BUCKETS_OF_ROWS) {
                seen.add("{" + rank + "=" + value + ", 3=" + 2 * value + "} of 2");
            } else {
                seen.add("a=" + Arrays.toString(new float[] {value, value, value}));
                seen.add("b=" + Arrays.toString(new float[] {100 * value, 100 * value}));
            }
        }
        return seen;
    }

    private static EnumSet<Operation> allButAllReduce() {
        return EnumSet.complementOf(
                EnumSet.of(Operation.MESSAGE, Operation.NEW_GROUP, Operation.COALESCED, Operation.ALL_REDUCE));
    }

    @ParameterizedTest
    @EnumSource(Composite.class)
    void composite_withAllOtherOperationsOff_givesWhatItGivesWithNoneOff(Composite composite) {
        assertThat(seenWithout(allButAllReduce(), composite)).isEqualTo(seenWithout(Set.of(), composite));
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource(Composite.class)
    void composite_withAnyOtherOperationOff_givesWhatItGivesWithNoneOff(Composite composite) {
        List<List<String>> expected = seenWithout(Set.of(), composite);
        allButAllReduce()
                .forEach(off -> assertThat(seenWithout(Set.of(off), composite))
                        .as("off=%s", off)
                        .isEqualTo(expected));
    }

    @ParameterizedTest
    @EnumSource(Composite.class)
    void composite_thatAllReduces_givesLocalValuesWhereThatIsOff(Composite composite) {
        List<List<String>> expected = composite.isAllReduce
                ? List.of(local(0, composite), local(1, composite))
                : seenWithout(Set.of(), composite);
        assertThat(seenWithout(Set.of(Operation.ALL_REDUCE), composite)).isEqualTo(expected);
    }

    /** Only one rank makes its steps: a composite that is off waits for no other rank. */
    @ParameterizedTest
    @EnumSource(
            value = Composite.class,
            names = {"OBJECTS", "GROUPS", "STRAGGLERS"},
            mode = EnumSource.Mode.EXCLUDE)
    void composite_thatIsOff_waitsForNoOtherRank(Composite composite) {
        try (LocalWorld world = without(Set.of(Operation.ALL_REDUCE));
                Rank rank = composite.rank(world.groups().getFirst())) {
            assertThat(Flux.range(0, STEPS).concatMap(rank::step).collectList().block(LIMIT))
                    .isEqualTo(local(0, composite));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"ALL_REDUCE", "BROADCAST"})
    void programsComposite_isSwitchedCallByCall(Operation off) {
        try (LocalWorld world = without(Set.of(off))) {
            List<String> results = Flux.fromIterable(world.groups())
                    .flatMapSequential(group -> {
                        Tensor sum = Tensor.of(new float[] {1 + group.rank()});
                        Tensor copy = Tensor.of(new float[] {1 + group.rank()});
                        return group.composite("own")
                                .mono(inside -> inside.coalesce(scope -> scope.allReduce(sum, ReduceOp.SUM)
                                                .broadcast(copy, 0))
                                        .then(inside.allReduce(sum, ReduceOp.SUM)))
                                .map(work -> sum.toFloatArray()[0] + " " + copy.toFloatArray()[0]);
                    })
                    .collectList()
                    .block(LIMIT);
            assertThat(results)
                    .containsExactlyElementsOf(
                            off == Operation.ALL_REDUCE
                                    ? List.of("1.0 1.0", "2.0 1.0")
                                    : List.of("6.0 1.0", "6.0 2.0"));
        }
    }

    @ParameterizedTest
    @EnumSource(Composite.class)
    void callsAfterAComposite_keepTheirPlaces(Composite composite) {
        try (LocalWorld world = without(Set.of(Operation.ALL_REDUCE))) {
            List<Float> copies = Flux.fromIterable(world.groups())
                    .flatMapSequential(group -> {
                        Tensor value = Tensor.of(new float[] {1 + group.rank()});
                        return Flux.using(() -> composite.rank(group), rank -> rank.step(0), Rank::close)
                                .then(Mono.defer(() -> group.broadcast(value, 1)))
                                .map(work -> value.toFloatArray()[0]);
                    })
                    .collectList()
                    .block(LIMIT);
            assertThat(copies).containsExactly(2f, 2f);
        }
    }
}
