package io.reactivecomm.mpi.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.MismatchException;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.collective.CaseRun;
import io.reactivecomm.testkit.collective.CollectiveCase;
import io.reactivecomm.testkit.collective.ShapeMatrix;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The cases that the ranks of a job run, each on all of them at the same time. */
enum RankCase {

    /** Each operation, type, reduction and place, each rank in an order of its own. */
    COLLECTIVES {
        @Override
        void run(ProcessGroup world) {
            List<CollectiveCase> cases = new ArrayList<>();
            ShapeMatrix matrix = new ShapeMatrix(List.of(world.size()), false);
            for (CollectiveCase.Kind kind : CollectiveCase.Kind.values()) {
                cases.addAll(matrix.cases(kind, world.size()));
            }
            cases.addAll(matrix.severalPieces(world.size(), 64 << 10, 64 << 10));
            cases.removeIf(each -> world.size() > 2 && dependsOnOrder(each));
            shuffled(List.of(world), cases, 1);
        }

        /** Three ranks' rounding does: MPI has an order of its own, and the oracle the links'. */
        private static boolean dependsOnOrder(CollectiveCase each) {
            return each.kind().reduces()
                    && each.type().family() == DType.Family.FLOAT
                    && each.op() != ReduceOp.MIN
                    && each.op() != ReduceOp.MAX;
        }
    },

    /** Three hundred calls of groups that overlap, and of the world. */
    OVERLAPPING_GROUPS {
        @Override
        void run(ProcessGroup world) {
            int size = world.size();
            int[] all = IntStream.range(0, size).toArray();
            List<ProcessGroup> groups = new ArrayList<>(List.of(world));
            for (int[] ranks : List.of(all, Arrays.copyOf(all, 2), new int[] {size - 1, 0})) {
                ProcessGroup group = world.newGroup(ranks).block(LIMIT);
                if (group != null) {
                    groups.add(group);
                }
            }
            CollectiveCase sum =
                    new CollectiveCase(CollectiveCase.Kind.ALL_REDUCE, DType.INT64, ReduceOp.SUM, 7000, 0, true);
            CollectiveCase small = new CollectiveCase(CollectiveCase.Kind.ALL_GATHER, DType.FLOAT16, null, 5, 0, false);
            CollectiveCase barrier = new CollectiveCase(CollectiveCase.Kind.BROADCAST, DType.UINT8, null, 1, 0, true);
            // A group's calls have the same data on all its ranks, whichever other groups each is in.
            shuffled(
                    groups,
                    Collections.nCopies(34, List.of(sum, small, barrier)).stream()
                            .flatMap(List::stream)
                            .toList(),
                    2);
            groups.subList(1, groups.size()).forEach(ProcessGroup::close);
        }
    },

    /** What other classes of the library make of calls: objects, messages, uneven parts, scopes, gradients. */
    EVERYTHING_ELSE {
        @Override
        void run(ProcessGroup world) {
            int rank = world.rank();
            int size = world.size();
            assertThat(world.allGatherObject("rank " + rank, String.class).block(LIMIT))
                    .isEqualTo(IntStream.range(0, size)
                            .mapToObj(each -> "rank " + each)
                            .toList());
            ring(world, 3);
            ring(world, 100_000);
            uneven(world);
            try (Tensor gradient = Tensor.of(new float[] {rank, 2 * rank, 1}, 3);
                    Tensor product = Tensor.of(new double[] {rank + 1}, 1)) {
                Flux.just(new Gradient("w", gradient))
                        .transform(GradientHooks.of(ParallelHooks.dataParallel(world)))
                        .blockLast(LIMIT);
                float mean = (size - 1) / 2f;
                assertThat(gradient.toFloatArray()).containsExactly(mean, 2 * mean, 1);
                world.coalesce(scope -> {
                            scope.allReduce(product, new PreMulSum(0.5));
                        })
                        .block(LIMIT);
                assertThat(product.toDoubleArray()).containsExactly(size * (size + 1) / 4.0);
            }
        }
    },

    DISAGREEMENT {
        @Override
        void run(ProcessGroup world) {
            try (Tensor tensor = Tensor.allocate(DType.FLOAT32, 5 + world.rank())) {
                assertThatThrownBy(() -> world.allReduce(tensor, ReduceOp.SUM).block(LIMIT))
                        .isInstanceOf(MismatchException.class);
            }
            world.barrier().block(LIMIT);
        }
    },

    /** Nobody waits for ever, and what was not begun costs nobody his group. */
    DEADLINE {
        @Override
        void run(ProcessGroup world) {
            try (Tensor tensor = Tensor.allocate(DType.FLOAT32, 100_000)) {
                Mono<Work> call = world.timeout(Duration.ofMillis(300)).allReduce(tensor, ReduceOp.SUM);
                if (world.rank() != 0) {
                    assertThatThrownBy(() -> call.block(LIMIT)).isInstanceOf(CommTimeoutException.class);
                    tensor.released().block(LIMIT);
                }
            }
            world.barrier().block(LIMIT);
        }
    },

    FEW_GROUPS {
        @Override
        void run(ProcessGroup world) {
            groups(world, 50);
        }
    },

    /** More than any library has communicators. */
    MANY_GROUPS {
        @Override
        void run(ProcessGroup world) {
            groups(world, 5000);
        }
    },

    /** The last rank is killed with calls of all kinds under way; the others go on without it. */
    KILL {
        @Override
        void run(ProcessGroup world) {
            int last = world.size() - 1;
            ProcessGroup others =
                    world.newGroup(IntStream.range(0, last).toArray()).block(LIMIT);
            world.barrier().block(LIMIT);
            if (world.rank() == last) {
                Runtime.getRuntime().halt(9);
            }
            try (Tensor small = Tensor.allocate(DType.FLOAT32, 3);
                    Tensor large = Tensor.allocate(DType.FLOAT32, 1 << 20)) {
                assertThatThrownBy(() -> Flux.range(0, 1000)
                                .concatMap(i -> Mono.when(
                                        world.allReduce(small, ReduceOp.SUM), world.allReduce(large, ReduceOp.SUM)))
                                .blockLast(LIMIT))
                        .isInstanceOf(PeerLostException.class);
                for (int i = 0; i < 10 && others != null && others.size() > 1; i++) {
                    Tensor of = i % 2 == 0 ? small.slice(0, 1) : large.slice(0, 100_000);
                    try (Tensor own = Tensor.allocate(DType.FLOAT32, of.count())) {
                        others.allReduce(own, ReduceOp.SUM).block(LIMIT);
                    }
                }
            }
        }
    },

    /** The last rank is stopped for longer than ranks may be silent, in the midst of a large call, which all are in. */
    STOP {
        @Override
        void run(ProcessGroup world) throws IOException {
            try (Tensor large = Tensor.allocate(DType.FLOAT32, 1 << 24)) {
                CompletableFuture<Work> calls = Flux.range(0, 100_000)
                        .concatMap(i -> world.allReduce(large, ReduceOp.SUM))
                        .last()
                        .toFuture();
                if (world.rank() == world.size() - 1) {
                    Stop.inALargeCall(LIMIT);
                }
                assertThatThrownBy(() -> Mono.fromFuture(calls).block(LIMIT)).isInstanceOf(PeerLostException.class);
                // MPI lets go when the rank goes on.
                large.released().block(LIMIT);
            }
        }
    };

    private static final Duration LIMIT = RankMain.LIMIT;

    abstract void run(ProcessGroup world) throws IOException;

    /** Runs those cases in each of the groups, each rank in an order of its own, and checks this rank's results. */
    static void shuffled(List<ProcessGroup> groups, List<CollectiveCase> cases, int times) {
        ProcessGroup world = groups.getFirst();
        try (GuardedMemory memory = new GuardedMemory()) {
            List<CaseRun> runs = new ArrayList<>();
            List<Integer> ranks = new ArrayList<>();
            List<Mono<Work>> calls = new ArrayList<>();
            for (ProcessGroup group : groups) {
                for (int i = 0; i < cases.size(); i++) {
                    CaseRun run = new CaseRun(
                            cases.get(i), group.size(), 100 * group.globalRank(0) + 10 * group.size() + i, memory);
                    runs.add(run);
                    ranks.add(group.rank());
                    calls.add(run.assemble(group));
                }
            }
            Random random = new Random(world.rank());
            for (int time = 0; time < times; time++) {
                List<Mono<Work>> order = new ArrayList<>(calls);
                Collections.shuffle(order, random);
                Mono.when(order).block(LIMIT);
                for (int i = 0; i < runs.size(); i++) {
                    runs.get(i).verify(ranks.get(i));
                    runs.get(i).fill();
                }
            }
        }
    }

    /** Each rank sends to the next, and receives from whoever sends. */
    private static void ring(ProcessGroup world, int count) {
        int next = (world.rank() + 1) % world.size();
        int previous = (world.rank() + world.size() - 1) % world.size();
        try (Tensor sent = Tensor.allocate(DType.UINT8, count);
                Tensor taken = Tensor.allocate(DType.UINT8, count)) {
            sent.segment().fill((byte) (world.rank() + 1));
            Mono<Work> receive = world.receive(taken, ProcessGroup.ANY, 7);
            Mono.when(receive.doOnNext(work -> assertThat(work.peer()).isEqualTo(previous)), world.send(sent, next, 7))
                    .block(LIMIT);
            assertThat(taken.toByteArray()).containsOnly((byte) (previous + 1));
        }
    }

    /** Rank r sends r + 1 elements to each, and a gather has as many of each. */
    private static void uneven(ProcessGroup world) {
        int size = world.size();
        int own = world.rank() + 1;
        long[] sends = IntStream.range(0, size).mapToLong(each -> own).toArray();
        long[] takes = IntStream.range(0, size).mapToLong(each -> each + 1L).toArray();
        try (Tensor input = Tensor.allocate(DType.UINT8, (long) own * size);
                Tensor output =
                        Tensor.allocate(DType.UINT8, Arrays.stream(takes).sum())) {
            input.segment().fill((byte) own);
            world.allToAll(input, sends, output, takes).block(LIMIT);
            byte[] expected = new byte[(int) output.count()];
            int at = 0;
            for (int source = 1; source <= size; source++) {
                Arrays.fill(expected, at, at + source, (byte) source);
                at += source;
            }
            assertThat(output.toByteArray()).isEqualTo(expected);
            output.segment().fill((byte) 0);
            List<Tensor> parts = new ArrayList<>();
            for (int source = 0; source < size; source++) {
                parts.add(output.slice((long) source * (source + 1) / 2, source + 1));
            }
            boolean isRoot = world.rank() == size - 1;
            world.gather(input.slice(0, own), isRoot ? parts : List.of(), size - 1)
                    .block(LIMIT);
            assertThat(output.toByteArray()).isEqualTo(isRoot ? expected : new byte[expected.length]);
        }
    }

    private static void groups(ProcessGroup world, int count) {
        int[] all = IntStream.range(0, world.size()).toArray();
        for (int i = 0; i < count; i++) {
            try (ProcessGroup group = world.newGroup(all).block(LIMIT);
                    Tensor tensor = Tensor.of(new int[] {i}, 1)) {
                assertThat(group.broadcast(tensor, 0).map(Work::backend).block(LIMIT))
                        .isEqualTo("mpi");
            }
        }
    }
}
