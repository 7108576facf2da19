package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The contract by which calls find each other: by what was fixed when they were assembled, whatever the order, the thread and the operator
 * of the subscription.
 */
public abstract class SubscriptionContract extends WorldContract {

    private static final int THREADS_OF_A_RANK = 3;

    /** Some fixed seeds, and one that nobody has seen yet; it shows in the name of the case. */
    final LongStream seeds() {
        return LongStream.of(1, 2, 3, System.nanoTime());
    }

    @Tag("smoke")
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void calls_subscribedInRandomOrderFromSeveralThreads_matchByIdentity(long seed) throws InterruptedException {
        int size = 4;
        List<ProcessGroup> groups = world(size);
        Random random = new Random(seed);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<CaseRun> runs = IntStream.range(0, 60)
                    .mapToObj(i -> new CaseRun(anyCase(random, size), size, i, memory))
                    .toList();
            Queue<CompletableFuture<Outcome>> begun = new ConcurrentLinkedQueue<>();
            List<Thread> threads = new ArrayList<>();
            for (ProcessGroup group : groups) {
                threads.addAll(subscribers(assembled(runs, group), random, begun));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join(LIMIT);
            }
            assertThat(begun).hasSize(61 * size);
            begun.forEach(each -> end(each).work());
            runs.forEach(CaseRun::verify);
        }
    }

    private CollectiveCase anyCase(Random random, int size) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        ReduceOp op = kind.reduces() ? ReduceOp.SUM : null;
        long count = random.nextBoolean() ? random.nextInt(50) : random.nextInt(100_000);
        boolean inPlace = !kind.hasOutput() || random.nextBoolean();
        return new CollectiveCase(
                kind,
                random.nextBoolean() ? DType.FLOAT32 : reducible(ReduceOp.SUM, DType.INT8, DType.INT32),
                op,
                count,
                random.nextInt(size),
                inPlace);
    }

    /** The runs' calls under three names, and a barrier. */
    private static List<Mono<Work>> assembled(List<CaseRun> runs, ProcessGroup group) {
        List<Mono<Work>> calls = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            calls.add(runs.get(i).assemble(i % 3 == 0 ? group : group.named("name-" + i % 3)));
        }
        calls.add(group.barrier());
        return calls;
    }

    private static List<Thread> subscribers(
            List<Mono<Work>> calls, Random random, Queue<CompletableFuture<Outcome>> begun) {
        Collections.shuffle(calls, random);
        return IntStream.range(0, THREADS_OF_A_RANK)
                .mapToObj(number -> Thread.ofPlatform().unstarted(() -> {
                    for (int i = number; i < calls.size(); i += THREADS_OF_A_RANK) {
                        begun.add(begin(calls.get(i)));
                    }
                }))
                .toList();
    }

    @Test
    void call_repeated_isACallOfItsOwnEachTime() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Tensor> tensors = groups.stream()
                    .map(group -> memory.input(DType.INT32, 5, 0, group.rank()))
                    .toList();
            List<Flux<Work>> repeated = groups.stream()
                    .map(group -> group.allReduce(tensors.get(group.rank()), ReduceOp.SUM)
                            .repeat(2))
                    .toList();

            Mono.when(repeated).block(LIMIT);

            int[] expected = new int[5];
            for (int i = 0; i < 5; i++) {
                for (int rank = 0; rank < 3; rank++) {
                    // The first sum, then the sum of three equal sums, twice.
                    expected[i] += 9 * (int) Inputs.bits(DType.INT32, 0, rank, i);
                }
            }
            assertThat(tensors)
                    .allSatisfy(tensor -> assertThat(tensor.toIntArray()).isEqualTo(expected));
        }
    }

    @Test
    void call_subscribedThreeTimesAtOnce_isThreeCalls() {
        List<ProcessGroup> groups = world(2);
        Mono<Work> here = groups.get(0).barrier();
        Mono<Work> there = groups.get(1).barrier();

        List<CompletableFuture<Outcome>> begun =
                new ArrayList<>(List.of(begin(here), begin(here), begin(here), begin(there)));
        assertThat(end(begun.get(0)).work().sequence()).isZero();
        begun.add(begin(there));
        end(begun.get(1)).work();
        assertThat(begun.get(2))
                .as("a third call that the other rank has not subscribed to")
                .isNotDone();
        begun.add(begin(there));
        begun.forEach(each -> end(each).work());
    }

    @Test
    void calls_zippedAndMergedInOppositeOrders_complete() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<CaseRun> runs = IntStream.range(0, 3)
                    .mapToObj(i -> new CaseRun(
                            new CollectiveCase(Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, 100_000, 0, true),
                            3,
                            i,
                            memory))
                    .toList();
            List<Mono<?>> ends = new ArrayList<>();
            for (ProcessGroup group : groups) {
                List<Mono<Work>> calls =
                        runs.stream().map(run -> run.assemble(group)).toList();
                ends.add(
                        switch (group.rank()) {
                            case 0 -> Mono.zip(calls.get(0), calls.get(1), calls.get(2));
                            case 1 ->
                                Flux.merge(calls.get(2), calls.get(1), calls.get(0))
                                        .collectList();
                            default ->
                                Mono.zip(
                                        calls.get(1),
                                        Mono.when(calls.get(2), calls.get(0)).thenReturn(0));
                        });
            }
            Mono.when(ends).block(LIMIT);
            runs.forEach(CaseRun::verify);
        }
    }

    @Test
    void names_countApart_andViewsOfOneNameTogether() {
        List<ProcessGroup> groups = world(2);
        ProcessGroup one = groups.get(0);
        ProcessGroup two = groups.get(1);
        List<Mono<Work>> ofOne = List.of(
                one.named("a").barrier(),
                one.named("b").barrier(),
                one.named("a").barrier());
        ProcessGroup a = two.named("a").timeout(LIMIT);
        List<Mono<Work>> ofTwo =
                List.of(a.barrier(), a.barrier(), two.named("b").barrier());

        List<Long> tickets = Flux.merge(Flux.concat(ofOne.get(0), ofOne.get(2), ofOne.get(1)), Flux.concat(ofTwo))
                .map(Work::sequence)
                .collectList()
                .blockOptional(LIMIT)
                .orElseThrow();

        assertThat(tickets).containsExactlyInAnyOrder(0L, 0L, 1L, 1L, 0L, 0L);
    }

    @Test
    void call_assembledAndNeverSubscribed_takesItsTicketAndNothingElse() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            Tensor tensor = memory.input(DType.INT32, 4, 7, 0);
            int[] before = tensor.toIntArray();
            groups.forEach(group -> group.allReduce(tensor, ReduceOp.SUM));

            List<Work> next = all(groups, ProcessGroup::barrier);

            assertThat(next).extracting(Work::sequence).containsExactly(1L, 1L);
            assertThat(tensor.toIntArray()).isEqualTo(before);
            memory.awaitRelease();
        }
    }

    @Test
    void call_ofARankThatHasOnlyAssembledIt_waits() {
        List<ProcessGroup> groups = world(2);
        Mono<Work> cold = groups.get(1).barrier();
        CompletableFuture<Outcome> begun = begin(groups.get(0).barrier());

        all(groups, group -> group.named("other").barrier());

        assertThat(begun).isNotDone();
        end(begin(cold)).work();
        end(begun).work();
    }

    @Test
    void works_tellOfTheCall() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            Function<ProcessGroup, Tensor> three = group -> memory.input(DType.FLOAT32, 3, 1, group.rank());
            Function<ProcessGroup, Tensor> nine = group -> memory.input(DType.FLOAT32, 9, 2, group.rank());
            requireWork(all(groups, group -> group.allReduce(three.apply(group), ReduceOp.SUM)), "all-reduce", 0, 12);
            requireWork(all(groups, group -> group.broadcast(three.apply(group), 1)), "broadcast", 1, 12);
            requireWork(
                    all(groups, group -> group.allGather(three.apply(group), nine.apply(group))), "all-gather", 2, 36);
            requireWork(
                    all(groups, group -> group.reduceScatter(nine.apply(group), three.apply(group), ReduceOp.SUM)),
                    "reduce-scatter",
                    3,
                    36);
            requireWork(all(groups, ProcessGroup::barrier), "barrier", 4, 0);
            List<Work> reduced = all(groups, group -> group.reduce(three.apply(group), 2, ReduceOp.SUM));
            requireWork(reduced, "reduce", 5, 12);
            assertThat(reduced).extracting(work -> work.tensors().size()).containsExactly(0, 0, 1);
        }
    }

    private static void requireWork(List<Work> works, String operation, long sequence, long byteSize) {
        assertThat(works).allSatisfy(work -> {
            assertThat(work.operation()).isEqualTo(operation);
            assertThat(work.sequence()).isEqualTo(sequence);
            assertThat(work.byteSize()).isEqualTo(byteSize);
            assertThat(work.duration()).isBetween(Duration.ZERO, LIMIT);
            assertThat(work.backend()).isNotEmpty();
            assertThat(work.algorithm()).isNotEmpty();
            assertThat(work.peer()).isEqualTo(Work.NO_PEER);
        });
    }
}
