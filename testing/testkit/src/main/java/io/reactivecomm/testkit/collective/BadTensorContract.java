package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.device.Device;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.BadCallContract.Call;
import io.reactivecomm.testkit.device.FakeMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/**
 * The contract of tensors that an engine cannot use on one rank: the call fails on all ranks before any of them has begun it, and the next call works. Calls that
 * fail for every engine are in {@link BadCallContract}.
 */
public abstract class BadTensorContract extends WorldContract {

    private static final int SIZE = 3;

    /** An address in no memory of any device. */
    private static final long UNKNOWN = 0x10;

    /**
     * Calls that do not fit.
     *
     * @param wrong the call of one rank
     * @param right the call of the other ranks
     * @param type the error of all ranks
     */
    record Bad(String name, Call wrong, Call right, Class<? extends CommException> type) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Tensor floats(ProcessGroup group, GuardedMemory memory) {
        return memory.input(DType.FLOAT32, 6, 0, group.rank());
    }

    private static Mono<Work> sum(ProcessGroup group, Tensor tensor) {
        return group.allReduce(tensor, ReduceOp.SUM);
    }

    private static Mono<Work> sums(ProcessGroup group, Tensor first, Tensor second) {
        return group.coalesce(scope -> scope.allReduce(first, ReduceOp.SUM).allReduce(second, ReduceOp.SUM));
    }

    /** {@return a tensor from an allocator that belongs to no engine} */
    private Tensor foreign(int index) {
        Device device = new Device(home().device(0).kind(), index);
        return Tensor.onDevice(FakeMemory.JVM, device, UNKNOWN, () -> {}, DType.FLOAT32, 6);
    }

    final Stream<Bad> badTensors() {
        Call right = (group, memory) -> sum(group, floats(group, memory));
        Call scope = (group, memory) -> sums(group, floats(group, memory), floats(group, memory));
        List<Bad> all = new ArrayList<>(List.of(
                new Bad(
                        "closed",
                        (group, memory) -> sum(group, BadCallContract.closed(memory)),
                        right,
                        InvalidCallException.class),
                new Bad(
                        "closed in a scope",
                        (group, memory) -> sums(group, floats(group, memory), BadCallContract.closed(memory)),
                        scope,
                        InvalidCallException.class),
                new Bad("another length for one rank", gathered(7), gathered(6), MismatchException.class)));
        if (!home().device(0).equals(Device.CPU)) {
            all.add(new Bad(
                    "on two devices",
                    (group, memory) ->
                            group.allReduce(floats(group, memory), memory.onHost(DType.FLOAT32, 6), ReduceOp.SUM),
                    right,
                    InvalidCallException.class));
            all.add(new Bad(
                    "on a device of no rank's",
                    (group, memory) -> sum(group, memory.kept(foreign(7))),
                    right,
                    InvalidCallException.class));
            all.add(new Bad(
                    "in memory of no allocator's",
                    (group, memory) ->
                            sum(group, memory.kept(foreign(home().device(0).index()))),
                    right,
                    InvalidCallException.class));
            all.add(new Bad(
                    "in memory of no allocator's, in a scope",
                    (group, memory) -> sums(
                            group,
                            floats(group, memory),
                            memory.kept(foreign(home().device(0).index()))),
                    scope,
                    InvalidCallException.class));
        }
        return all.stream();
    }

    /** Rank 0 expects six elements of each rank. */
    private static Call gathered(long given) {
        return (group, memory) -> {
            List<Tensor> outputs = new ArrayList<>();
            for (int rank = 0; rank < SIZE && group.rank() == 0; rank++) {
                outputs.add(memory.tensor(DType.FLOAT32, 6));
            }
            return group.gather(memory.input(DType.FLOAT32, given, 0, group.rank()), outputs, 0);
        };
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("badTensors")
    void tensor_thatCannotBeUsedOnOneRank_failsThatCallOnAll_andTheNextWorks(Bad bad) {
        inSharedWorld(SIZE, groups -> {
            for (int culprit = 1; culprit < SIZE; culprit++) {
                int rank = culprit;
                try (GuardedMemory memory = new GuardedMemory(home())) {
                    List<Outcome> outcomes = outcomes(
                            groups, group -> (group.rank() == rank ? bad.wrong : bad.right).assemble(group, memory));
                    requireFailures(bad, rank, outcomes);
                    CaseRun next = new CaseRun(
                            new CollectiveCase(CollectiveCase.Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, 9, 0, true),
                            SIZE,
                            1,
                            memory);
                    all(groups, next::assemble);
                    next.verify();
                }
            }
        });
    }

    private static void requireFailures(Bad bad, int culprit, List<Outcome> outcomes) {
        for (int rank = 0; rank < SIZE; rank++) {
            boolean isApart = bad.type == MismatchException.class && rank != culprit && rank != 0;
            // A rank that has sent its own part to the root may have ended before the two that differ.
            if (!isApart || outcomes.get(rank) instanceof Outcome.Failure) {
                assertThat(outcomes.get(rank).error(bad.type))
                        .hasMessageContaining(
                                bad.type == MismatchException.class
                                        ? "rank " + culprit + " called"
                                        : "rank=" + culprit);
            }
        }
    }
}
