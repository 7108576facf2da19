package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.CoalesceScope;
import io.reactivecomm.CustomReduction;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;

/** The contract of a scope of calls: the same as its calls one by one, as one call with one end. */
public abstract class CoalesceContract extends WorldContract {

    private static final int FLOATS = 5;

    @Tag("smoke")
    @ParameterizedTest(name = "size={0}")
    @ValueSource(ints = {1, 2, 3, 5})
    void scope_ofEveryOperation_givesTheBitsOfItsCallsOneByOne(int size) {
        List<ProcessGroup> groups = world(size);
        Reduction own = CustomReduction.ofIntegers("the greater", Math::max);
        Reduction greater = reduces(own, DType.INT64) ? own : ReduceOp.MAX;
        DType narrow = reducible(ReduceOp.AVG, DType.BFLOAT16, DType.FLOAT64);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<ScopedProgram> alone = groups.stream()
                    .map(group -> new ScopedProgram(group, memory, greater, narrow))
                    .toList();
            List<ScopedProgram> together = groups.stream()
                    .map(group -> new ScopedProgram(group, memory, greater, narrow))
                    .toList();
            List<Mono<Work>> calls = alone.stream()
                    .flatMap(program -> program.calls(program.group()).stream())
                    .toList();

            Mono.when(calls).block(LIMIT);
            List<Work> works = all(groups, group -> {
                ScopedProgram program = together.get(group.rank());
                return group.coalesce(program::calls);
            });

            for (int rank = 0; rank < size; rank++) {
                together.get(rank).requireSameAs(alone.get(rank));
                assertThat(works.get(rank).operation()).isEqualTo("coalesced");
            }
            assertThat(works).allSatisfy(work -> assertThat(work.byteSize()).isPositive());
        }
    }

    static Stream<Throwable> throwables() {
        return Stream.of(
                new IllegalStateException("planted"),
                new AssertionError("planted"),
                new NoClassDefFoundError("planted"),
                new StackOverflowError("planted"),
                new OutOfMemoryError("planted"),
                new InternalError("planted"));
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void programThatThrows_asItMakesAScope_failsThatCallOnAllRanks_andShiftsNoOther(Throwable planted) {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Tensor> sums = groups.stream()
                    .map(group -> memory.input(DType.INT64, FLOATS, 0, group.rank()))
                    .toList();
            List<Outcome> outcomes = outcomes(
                    groups,
                    group -> group.coalesce(scope -> {
                        scope.allReduce(sums.get(group.rank()), ReduceOp.MAX);
                        if (group.rank() == 1) {
                            throw Exceptions.propagate(planted);
                        }
                    }));
            assertThat(outcomes)
                    .allSatisfy(outcome -> assertThat(outcome.error(InvalidCallException.class))
                            .hasMessageContaining("planted")
                            .hasMessageNotContaining("a page of a tensor's memory is gone"));
            all(groups, group -> group.allReduce(sums.get(group.rank()), ReduceOp.MAX));
            assertThat(sums.get(0).toLongArray()).isEqualTo(sums.get(1).toLongArray());
        }
    }

    @Test
    void scope_isOneCallAmongOthers_andMayBeRepeated() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Tensor> sums = groups.stream()
                    .map(group -> memory.input(DType.INT64, FLOATS, 0, group.rank()))
                    .toList();
            List<Tensor> sent = groups.stream()
                    .map(group -> memory.input(DType.INT64, FLOATS, 1, group.rank()))
                    .toList();
            List<Mono<Work>> all = new ArrayList<>();
            for (ProcessGroup group : groups) {
                Mono<Work> before = group.barrier();
                Mono<Work> scope = group.coalesce(each ->
                        each.allReduce(sums.get(group.rank()), ReduceOp.MAX).broadcast(sent.get(group.rank()), 1));
                Mono<Work> after = group.barrier();
                all.add(
                        group.rank() == 0
                                ? after.then(before).then(scope.repeat(2).last())
                                : Mono.when(scope.repeat(2), before, after).cast(Work.class));
            }

            Mono.when(all).block(LIMIT);

            assertThat(sums.get(0).toLongArray()).isEqualTo(sums.get(1).toLongArray());
            assertThat(sent.get(0).toLongArray()).isEqualTo(sent.get(1).toLongArray());
        }
    }

    @Test
    void work_ofAScope_namesAllResultsInTheirOrder() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<List<Tensor>> tensors = groups.stream()
                    .map(group -> List.of(
                            memory.input(DType.FLOAT32, FLOATS, 0, group.rank()),
                            memory.input(DType.INT8, 3, 1, group.rank())))
                    .toList();

            List<Work> works = all(groups, group -> {
                List<Tensor> own = tensors.get(group.rank());
                return group.coalesce(
                        scope -> scope.allReduce(own.get(0), ReduceOp.SUM).reduce(own.get(1), 1, ReduceOp.MAX));
            });

            assertThat(works.get(0).tensors()).containsExactly(tensors.get(0).get(0));
            assertThat(works.get(1).tensors()).isEqualTo(tensors.get(1));
            assertThat(works.get(1).byteSize()).isEqualTo(FLOATS * Float.BYTES + 3);
        }
    }

    private List<Throwable> errors(List<ProcessGroup> groups, BiConsumer<ProcessGroup, CoalesceScope> program) {
        return outcomes(groups, group -> group.coalesce(scope -> program.accept(group, scope))).stream()
                .map(outcome -> (Throwable) outcome.error(Throwable.class))
                .toList();
    }

    @Test
    void scopes_thatDiffer_areListedOnEveryRank() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Throwable> errors = errors(groups, (group, scope) -> {
                boolean isOdd = group.rank() == 1;
                scope.allReduce(memory.input(DType.FLOAT32, FLOATS, 0, group.rank()), ReduceOp.SUM)
                        .allReduce(memory.input(DType.FLOAT32, FLOATS, 1, group.rank()), ReduceOp.SUM)
                        .broadcast(memory.input(DType.INT8, isOdd ? 4 : 3, 2, group.rank()), 0);
            });

            assertThat(errors)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContaining(
                                    "coalesced(2 × all-reduce(FLOAT32 × 5, SUM), broadcast(INT8 × 3, root=0))")
                            .hasMessageContaining(
                                    "coalesced(2 × all-reduce(FLOAT32 × 5, SUM), broadcast(INT8 × 4, root=0))"));
            all(groups, ProcessGroup::barrier);
        }
    }

    @Test
    void scopes_inAnotherOrder_differ() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Throwable> errors = errors(groups, (group, scope) -> {
                scope.allReduce(memory.input(DType.FLOAT32, group.rank() == 0 ? 3 : 4, 0, group.rank()), ReduceOp.SUM);
                scope.allReduce(memory.input(DType.FLOAT32, group.rank() == 0 ? 4 : 3, 1, group.rank()), ReduceOp.SUM);
            });

            assertThat(errors).allSatisfy(error -> assertThat(error).isInstanceOf(MismatchException.class));
        }
    }

    /** Two calls whose lengths only pairs of ranks agree on: what one has too much the other has too little. */
    @Test
    void scopes_whoseErrorsAddUpToNothing_differ() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Throwable> errors = errors(groups, (group, scope) -> {
                boolean isRoot = group.rank() == 0;
                for (int turn = 0; turn < 2; turn++) {
                    List<Tensor> outputs =
                            List.of(memory.tensor(DType.INT32, 1), memory.tensor(DType.INT32, 5L - 2 * turn));
                    scope.gather(
                            memory.input(DType.INT32, isRoot ? 1 : 3L + 2 * turn, turn, group.rank()),
                            isRoot ? outputs : List.of(),
                            0);
                }
            });

            assertThat(errors)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContaining("gather(INT32 × [1, 5], root=0), gather(INT32 × [1, 3], root=0)")
                            .hasMessageContaining("gather(INT32 × 3, root=0), gather(INT32 × 5, root=0)"));
        }
    }

    /** Names whose hashes are one. */
    @Test
    void scopes_withReductionsOfOtherNames_differ() {
        assumeTrue(reduces(CustomReduction.ofIntegers("any", Math::max), DType.INT64));
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Throwable> errors = errors(
                    groups,
                    (group, scope) -> scope.allReduce(
                            memory.input(DType.INT64, FLOATS, 0, group.rank()),
                            CustomReduction.ofIntegers(group.rank() == 0 ? "Aa" : "BB", Math::max)));

            assertThat(errors).allSatisfy(error -> assertThat(error).isInstanceOf(MismatchException.class));
        }
    }

    @Tag("smoke")
    @Test
    void scope_withABadCall_failsOnAllRanks_andSaysWhich() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<Throwable> errors = errors(
                    groups,
                    (group, scope) -> scope.allReduce(
                                    memory.input(DType.FLOAT32, FLOATS, 0, group.rank()), ReduceOp.SUM)
                            .broadcast(
                                    memory.input(DType.FLOAT32, FLOATS, 1, group.rank()), group.rank() == 1 ? 7 : 0));

            assertThat(errors)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContaining("root=7")
                            .hasMessageContaining("rank=1"));
            all(groups, ProcessGroup::barrier);
        }
    }

    @Test
    void scope_whoseCallsShareMemory_isRefused() {
        List<ProcessGroup> groups = world(1);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            Tensor tensor = memory.input(DType.FLOAT32, 2L * FLOATS, 0, 0);
            Tensor input = memory.input(DType.FLOAT32, FLOATS, 1, 0);

            assertThat(errors(
                                    groups,
                                    (group, scope) -> scope.allReduce(tensor.slice(0, 6), ReduceOp.SUM)
                                            .broadcast(tensor.slice(5, 5), 0))
                            .getFirst())
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("overlap");
            assertThat(errors(
                                    groups,
                                    (group, scope) -> scope.allReduce(tensor, ReduceOp.SUM)
                                            .allGather(tensor.slice(0, FLOATS), memory.tensor(DType.FLOAT32, FLOATS)))
                            .getFirst())
                    .as("read while it is written")
                    .isInstanceOf(InvalidCallException.class);
            all(
                    groups,
                    group -> group.coalesce(scope -> scope.allGather(input, memory.tensor(DType.FLOAT32, FLOATS))
                            .allGather(input, memory.tensor(DType.FLOAT32, FLOATS))));
        }
    }

    @Test
    void scope_withoutCalls_orWhoseProgramThrows_isRefused() {
        List<ProcessGroup> groups = world(1);
        assertThat(errors(groups, (group, scope) -> {}).getFirst())
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("got no calls");
        assertThat(errors(groups, (group, scope) -> {
                            throw new IllegalStateException("expected in this test's log");
                        })
                        .getFirst())
                .isInstanceOf(InvalidCallException.class);
    }

    @Test
    void scope_thatHasEnded_takesNoMoreCalls() {
        ProcessGroup group = world(1).getFirst();
        try (GuardedMemory memory = new GuardedMemory(home())) {
            Tensor tensor = memory.input(DType.FLOAT32, FLOATS, 0, 0);
            AtomicReference<CoalesceScope> kept = new AtomicReference<>();
            Objects.requireNonNull(group.coalesce(scope -> kept.set(scope.allReduce(tensor, ReduceOp.SUM)))
                    .block(LIMIT));

            assertThatThrownBy(() -> kept.get().allReduce(tensor, ReduceOp.SUM))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("scope had ended");
        }
    }

    /** More than an opening carries, and more kinds than share it: none waits for another. */
    @Test
    void scope_ofManyKindsAndTensors_ends() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<List<Tensor>> tensors = groups.stream()
                    .map(group -> new ArrayList<Tensor>())
                    .map(each -> (List<Tensor>) each)
                    .toList();
            all(
                    groups,
                    group -> group.coalesce(scope -> IntStream.range(0, 600).forEach(i -> {
                        DType type = i % 2 == 0 ? DType.INT32 : DType.INT64;
                        Tensor tensor = memory.input(type, 200 + i % 3, i, group.rank());
                        tensors.get(group.rank()).add(tensor);
                        switch (i % 4) {
                            case 0, 1 -> scope.allReduce(tensor, i % 8 < 4 ? ReduceOp.MAX : ReduceOp.SUM);
                            case 2 -> scope.broadcast(tensor, i % 3);
                            default ->
                                scope.allReduce(
                                        tensor, reduces(ReduceOp.BXOR, type) ? ReduceOp.BXOR : ReduceOp.PRODUCT);
                        }
                    })));

            for (int i = 0; i < tensors.getFirst().size(); i++) {
                for (List<Tensor> own : tensors) {
                    assertThat(home().read(own.get(i))
                                    .mismatch(home().read(tensors.getFirst().get(i))))
                            .as("tensor %d", i)
                            .isEqualTo(-1);
                }
            }
        }
    }
}
