package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Tensors whose memory one rank's program takes away: that fails the call on all ranks, and nothing else. */
public abstract class LostMemoryContract extends WorldContract {

    private static final int OWNER = 1;

    /** Few enough to travel with the announcement, one piece, and several. */
    static Stream<Integer> counts() {
        return Stream.of(3, 900, 5_000, 40_000, 400_000, 3_000_000);
    }

    private interface Call extends BiFunction<ProcessGroup, Tensor, Mono<Work>> {}

    private static Named<Call> call(String name, Call call) {
        return Named.of(name, call);
    }

    private static Stream<Named<Call>> calls() {
        return Stream.of(
                call("all-reduce", (group, tensor) -> group.allReduce(tensor, ReduceOp.SUM)),
                call("broadcast from it", (group, tensor) -> group.broadcast(tensor, OWNER)),
                call("coalesced", (group, tensor) -> group.coalesce(scope -> scope.allReduce(tensor, ReduceOp.SUM))));
    }

    /** The others need nothing of the rank whose memory is gone, and may be done before it tells them. */
    private static Stream<Named<Call>> callsThatOthersMayEnd() {
        return Stream.of(
                call("broadcast to it", (group, tensor) -> group.broadcast(tensor, 0)),
                call("reduce", (group, tensor) -> group.reduce(tensor, 2, ReduceOp.MAX)));
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("callsThatOthersMayEnd")
    void arena_thatIsClosedBeforeTheCall_failsItOnItsOwnRank(Call call) {
        List<ProcessGroup> groups = world(3);
        counts().forEach(count -> {
            try (GuardedMemory memory = new GuardedMemory()) {
                List<Outcome> ends = outcomesWithDeadMemory(groups, call, count, memory);
                requireInvalid(ends.get(OWNER), "memory is freed");
                for (Outcome end : ends) {
                    if (!(end instanceof Outcome.Success)) {
                        requireInvalid(end, "memory is freed");
                    }
                }
                requireTold(groups);
            }
        });
    }

    private static List<Outcome> outcomesWithDeadMemory(
            List<ProcessGroup> groups, Call call, int count, GuardedMemory memory) {
        Tensor dead = closed(count);
        return outcomes(
                groups, group -> call.apply(group, group.rank() == OWNER ? dead : memory.tensor(DType.FLOAT32, count)));
    }

    private static void requireInvalid(Outcome outcome, String what) {
        assertThat(outcome.error(InvalidCallException.class))
                .hasMessageContaining("rank=" + OWNER)
                .hasMessageContaining(what);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void arena_thatIsClosedBeforeTheCall_failsItOnAllRanks(Call call) {
        List<ProcessGroup> groups = world(3);
        counts().forEach(count -> {
            try (GuardedMemory memory = new GuardedMemory()) {
                List<Outcome> ends = outcomesWithDeadMemory(groups, call, count, memory);
                ends.forEach(end -> requireInvalid(end, "memory is freed"));
                requireTold(groups);
            }
        });
    }

    private static Tensor closed(int count) {
        try (Arena arena = Arena.ofShared()) {
            return Tensor.wrap(arena.allocate(4L * count, 64), DType.FLOAT32, count);
        }
    }

    /** Two have begun, and nothing can be folded before the third has. */
    @ParameterizedTest
    @MethodSource("counts")
    void arena_thatIsClosedDuringTheCall_failsItAndNothingElse(int count) {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<CompletableFuture<Outcome>> ends = new ArrayList<>();
            List<Mono<Work>> calls = new ArrayList<>();
            try (Arena arena = Arena.ofShared()) {
                for (ProcessGroup group : groups) {
                    Tensor tensor = group.rank() == OWNER
                            ? Tensor.wrap(arena.allocate(4L * count, 64), DType.FLOAT32, count)
                            : memory.tensor(DType.FLOAT32, count);
                    calls.add(group.allReduce(tensor, ReduceOp.SUM));
                }
                ends.add(begin(calls.get(0)));
                ends.add(begin(calls.get(1)));
                requireTold(groups);
            }
            ends.add(begin(calls.get(2)));
            requireInvalid(end(ends.get(OWNER)), "memory was freed");
            for (int rank : new int[] {0, 2}) {
                // What is small has left the owner before: then the others are done.
                if (!(end(ends.get(rank)) instanceof Outcome.Success) || count > 100_000) {
                    requireInvalid(end(ends.get(rank)), "memory was freed");
                }
            }
            requireTold(groups);
        }
    }

    @ParameterizedTest
    @MethodSource("counts")
    void mapping_whoseFileIsTruncated_failsTheCallAndNothingElse(int count, @TempDir Path directory)
            throws IOException {
        outcomesWithTruncated(count, 0, OWNER, directory).forEach(LostMemoryContract::requireTruncated);
    }

    /** The first pieces are well, and on their way or there when a later one is looked at. */
    @Tag("smoke")
    @ParameterizedTest
    @ValueSource(ints = {5_000, 40_000, 400_000, 3_000_000})
    void mapping_whoseFileIsTruncatedToItsHalf_failsTheCallAndNothingElse(int count, @TempDir Path directory)
            throws IOException {
        outcomesWithTruncated(count, 2L * count, OWNER, directory).forEach(LostMemoryContract::requireTruncated);
    }

    /** Its receiver fails with it, and those that follow keep their places. */
    @ParameterizedTest
    @MethodSource("counts")
    void message_fromAMappingWhoseFileIsTruncated_failsBothEndsAndNoOther(int count, @TempDir Path directory)
            throws IOException {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory();
                Arena arena = Arena.ofShared();
                FileChannel file = FileChannel.open(
                        directory.resolve("tensor"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            Tensor mapped =
                    Tensor.wrap(file.map(FileChannel.MapMode.READ_WRITE, 0, 4L * count, arena), DType.FLOAT32, count);
            file.truncate(0);
            CompletableFuture<Outcome> send = begin(groups.get(0).send(mapped, 1, 9));
            CompletableFuture<Outcome> receive =
                    begin(groups.get(1).receive(memory.tensor(DType.FLOAT32, count), 0, 9));
            requireTruncated(end(receive));
            // What is lent has been given back by a receiver that could not read it: then the sender is done.
            if (!(end(send) instanceof Outcome.Success) || count < 10_000) {
                requireTruncated(end(send));
            }

            CompletableFuture<Outcome> next = begin(groups.get(0).send(memory.input(DType.FLOAT32, count, 1, 0), 1, 9));
            end(begin(groups.get(1).receive(memory.tensor(DType.FLOAT32, count), 0, 9)))
                    .work();
            end(next).work();
        }
    }

    /** The others need nothing of the rank that cannot keep what it gets. */
    @ParameterizedTest
    @MethodSource("counts")
    void mapping_whoseFileIsTruncated_andThatIsReceivedInto_failsTheCallAndNothingElse(
            int count, @TempDir Path directory) throws IOException {
        List<Outcome> ends = outcomesWithTruncated(count, 0, 0, directory);
        requireTruncated(ends.get(OWNER));
        for (Outcome end : ends) {
            if (!(end instanceof Outcome.Success)) {
                requireTruncated(end);
            }
        }
    }

    /** A broadcast in which one rank has a tensor of which only the first bytes are left. */
    private List<Outcome> outcomesWithTruncated(int count, long bytesLeft, int root, Path directory)
            throws IOException {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory();
                Arena arena = Arena.ofShared();
                FileChannel file = FileChannel.open(
                        directory.resolve("tensor"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            Tensor mapped =
                    Tensor.wrap(file.map(FileChannel.MapMode.READ_WRITE, 0, 4L * count, arena), DType.FLOAT32, count);
            file.truncate(bytesLeft);
            List<Outcome> ends = outcomes(
                    groups,
                    group -> group.broadcast(
                            group.rank() == OWNER ? mapped : memory.tensor(DType.FLOAT32, count), root));
            requireTold(groups);
            return ends;
        }
    }

    /** Where ranks reach each other's memory, the first to find out may be another than the one whose it is. */
    private static void requireTruncated(Outcome outcome) {
        assertThat(outcome.error(InvalidCallException.class)).hasMessageContaining("truncated");
    }
}
