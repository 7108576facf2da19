package io.reactivecomm.compression.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommConfig;
import io.reactivecomm.CommSwitches;
import io.reactivecomm.Dimension;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.MismatchException;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.BlockQuantization;
import io.reactivecomm.compression.OneBit;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.Scaling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A compressed operation counts as the one that it performs: it is off as a whole, and its state with it, or all of its own calls are made. */
class SwitchedCompressionTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int RANKS = 4;
    private static final int STEPS = 3;

    /** The steps of one rank. */
    private record Rank(Step step, Supplier<CompressionState> state, Runnable end) {

        Flux<List<Float>> steps() {
            return Flux.range(0, STEPS).concatMap(step::make).doFinally(end -> end().run());
        }
    }

    private interface Step {

        /** {@return what the tensor of a step has in the end} */
        Mono<List<Float>> make(int number);
    }

    private enum Composite {
        ALL_REDUCE_IN_TWO_STEPS(Operation.ALL_REDUCE) {
            @Override
            Rank rank(ProcessGroup group, Levels levels) {
                return alone(group, CompressedAllReduce.of(CompressionOptions.inTwoSteps(BlockQuantization.int8())));
            }
        },
        ALL_REDUCE_BY_GATHER(Operation.ALL_REDUCE) {
            @Override
            Rank rank(ProcessGroup group, Levels levels) {
                return alone(group, CompressedAllReduce.of(CompressionOptions.byGather(new OneBit())));
            }
        },
        ALL_REDUCE_BY_GATHERS(Operation.ALL_REDUCE) {
            @Override
            Rank rank(ProcessGroup group, Levels levels) {
                return alone(
                        group,
                        CompressedAllReduce.of(
                                CompressionOptions.inTwoSteps(new OneBit()).withExchange(Exchange.GATHERS)));
            }
        },
        ALL_REDUCE_WITH_WARM_UP(Operation.ALL_REDUCE) {
            @Override
            Rank rank(ProcessGroup group, Levels levels) {
                return alone(
                        group,
                        CompressedAllReduce.of(
                                CompressionOptions.inTwoSteps(new OneBit()).withWarmUp(2)));
            }
        },
        POWER_SGD(Operation.ALL_REDUCE) {
            @Override
            Rank rank(ProcessGroup group, Levels levels) {
                PowerSgd powerSgd = PowerSgd.of(PowerSgdOptions.DEFAULT.withStartStep(1));
                return new Rank(
                        number -> {
                            Tensor tensor = gradient(group, number);
                            return powerSgd.allReduce(group, "m", tensor, ReduceOp.SUM)
                                    .map(done -> list(tensor));
                        },
                        powerSgd::state,
                        powerSgd::close);
            }
        },
        BUCKETS(Operation.ALL_REDUCE) {
            @Override
            Rank rank(ProcessGroup group, Levels levels) {
                CompressedAllReduce reducer = CompressedAllReduce.of(CompressionOptions.inTwoSteps(new OneBit()));
                return inBuckets(group, reducer, reducer::state, reducer::close);
            }
        },
        POWER_SGD_BUCKETS(Operation.ALL_REDUCE) {
            @Override
            Rank rank(ProcessGroup group, Levels levels) {
                PowerSgd reducer = PowerSgd.of(PowerSgdOptions.DEFAULT);
                return inBuckets(group, reducer, reducer::state, reducer::close);
            }
        },
        REDUCE_SCATTER(Operation.REDUCE_SCATTER) {
            @Override
            Rank rank(ProcessGroup group, Levels levels) {
                QuantizedReduceScatter scatter = QuantizedReduceScatter.of(BlockQuantization.int8());
                return new Rank(
                        number -> {
                            Tensor shard = shard(group, number);
                            return scatter.reduceScatter(levels, gradient(group, number), shard, ReduceOp.SUM)
                                    .map(done -> list(shard));
                        },
                        () -> null,
                        () -> {});
            }
        },
        LOCO(Operation.REDUCE_SCATTER) {
            @Override
            Rank rank(ProcessGroup group, Levels levels) {
                LoCoReduceScatter loCo = LoCoReduceScatter.of(BlockQuantization.int4(), LoCoOptions.DEFAULT);
                return new Rank(
                        number -> {
                            Tensor shard = shard(group, number);
                            return loCo.reduceScatter("m", levels, gradient(group, number), shard, ReduceOp.SUM)
                                    .map(done -> list(shard));
                        },
                        loCo::state,
                        loCo::close);
            }
        },
        ALL_GATHER(Operation.ALL_GATHER) {
            @Override
            Rank rank(ProcessGroup group, Levels levels) {
                QuantizedAllGather gather = QuantizedAllGather.of(BlockQuantization.int8());
                return new Rank(
                        number -> {
                            Tensor all = gradient(group, number);
                            return gather.allGather(group, shard(group, number), all)
                                    .map(done -> list(all));
                        },
                        () -> null,
                        () -> {});
            }
        };

        private final Operation performed;

        Composite(Operation performed) {
            this.performed = performed;
        }

        abstract Rank rank(ProcessGroup group, Levels levels);
    }

    private static Rank alone(ProcessGroup group, CompressedAllReduce compressed) {
        return new Rank(
                number -> {
                    Tensor tensor = gradient(group, number);
                    return compressed
                            .allReduce(group, "m", tensor, ReduceOp.SUM)
                            .map(done -> list(tensor));
                },
                compressed::state,
                compressed::close);
    }

    private static Rank inBuckets(
            ProcessGroup group, BucketReducer reducer, Supplier<CompressionState> state, Runnable end) {
        GradientBuckets buckets = GradientBuckets.of(
                group, BucketOptions.DEFAULT.withScaling(Scaling.SUM).withReducer(reducer));
        return new Rank(
                number -> Mono.fromSupplier(() -> new Gradient("m", gradient(group, number)))
                        .flux()
                        .transform(buckets)
                        .map(gradient -> list(gradient.tensor()))
                        .next(),
                state,
                () -> {
                    buckets.close();
                    end.run();
                });
    }

    private static Tensor gradient(ProcessGroup group, int number) {
        float[] values = new float[64];
        for (int i = 0; i < values.length; i++) {
            values[i] = i % 7 - 3 + group.rank() + 10 * number;
        }
        return Tensor.of(values, 8, 8);
    }

    private static Tensor shard(ProcessGroup group, int number) {
        float[] values = new float[64 / RANKS];
        Arrays.fill(values, 5 + group.rank() + number);
        return Tensor.of(values);
    }

    private static List<Float> list(Tensor tensor) {
        Float[] values = new Float[(int) tensor.count()];
        float[] floats = tensor.toFloatArray();
        Arrays.setAll(values, i -> floats[i]);
        return List.of(values);
    }

    /** {@return what each rank has in the end of each step; the names in its state last} */
    private static List<List<Object>> results(Set<Operation> off, Composite composite) {
        CommConfig settings =
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withTimeout(Duration.ofSeconds(20));
        try (LocalWorld world = ReactiveComm.local(RANKS, settings.withOff(off))) {
            return Flux.fromIterable(world.groups())
                    .flatMapSequential(group -> group.mesh(new Dimension("host", 2), new Dimension("rank", 2))
                            .map(mesh -> new Levels(group, mesh.axis("rank"), mesh.axis("host")))
                            .flatMap(levels -> results(composite.rank(group, levels))))
                    .collectList()
                    .block(LIMIT);
        }
    }

    private static Mono<List<Object>> results(Rank rank) {
        CompressionState state = rank.state().get();
        return rank.steps()
                .<Object>map(values -> values)
                .collectList()
                .doOnNext(all -> all.add(state == null ? List.of() : state.names()));
    }

    private static List<Object> local(int rank, Composite composite) {
        List<Object> results = new ArrayList<>();
        try (LocalWorld alone = ReactiveComm.local(RANKS)) {
            ProcessGroup group = alone.groups().get(rank);
            for (int step = 0; step < STEPS; step++) {
                results.add(list(
                        composite.performed == Operation.REDUCE_SCATTER ? shard(group, step) : gradient(group, step)));
            }
        }
        results.add(List.of());
        return results;
    }

    @ParameterizedTest
    @EnumSource(Composite.class)
    void composite_whoseOperationIsOff_leavesTensorsAndStateAsTheyAre(Composite composite) {
        List<List<Object>> expected =
                List.of(local(0, composite), local(1, composite), local(2, composite), local(3, composite));
        assertThat(results(Set.of(composite.performed), composite)).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(Composite.class)
    void composite_withAllOtherOperationsOff_givesWhatItGivesWithNoneOff(Composite composite) {
        EnumSet<Operation> others = EnumSet.complementOf(
                EnumSet.of(Operation.MESSAGE, Operation.NEW_GROUP, Operation.COALESCED, composite.performed));
        assertThat(results(others, composite)).isEqualTo(results(Set.of(), composite));
    }

    /** Rank 0 begins its step before the switch, the others make theirs behind it. */
    @ParameterizedTest
    @EnumSource(Composite.class)
    void composite_thatIsOffOnTheOtherRanks_failsWithBothStates(Composite composite) {
        CommConfig settings =
                CommConfig.of(0, 1, "127.0.0.1", CommConfig.DEFAULT_PORT).withTimeout(LIMIT.multipliedBy(10));
        try (LocalWorld world = ReactiveComm.local(RANKS, settings)) {
            List<Rank> ranks = Flux.fromIterable(world.groups())
                    .flatMapSequential(group -> group.mesh(new Dimension("host", 2), new Dimension("rank", 2))
                            .map(mesh ->
                                    composite.rank(group, new Levels(group, mesh.axis("rank"), mesh.axis("host")))))
                    .collectList()
                    .block(LIMIT);
            CompletableFuture<List<Float>> on = ranks.getFirst().step().make(0).toFuture();
            Mono.when(world.groups().stream()
                            .map(group -> CommSwitches.of(group).off(composite.performed))
                            .toList())
                    .block(LIMIT);
            Flux.fromIterable(ranks.subList(1, RANKS))
                    .flatMap(rank -> rank.step().make(0))
                    .blockLast(LIMIT);
            assertThat(on)
                    .failsWithin(LIMIT)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(MismatchException.class)
                    .withMessageContaining(" has off=[" + composite.performed.label() + "]")
                    .withMessageContaining("rank 0 has off=[]");
            ranks.forEach(rank -> rank.end().run());
        }
    }
}
