package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/**
 * A rank whose own arguments are wrong: it is told when it subscribes and not before, its peers are told who it was, and later calls
 * still match.
 */
@SuppressWarnings("NullAway") // Nulls are among the wrong arguments.
public abstract class BadCallContract extends WorldContract {

    /** Makes a rank's call with tensors from that memory. */
    public interface Call {

        Mono<Work> assemble(ProcessGroup group, GuardedMemory memory);
    }

    /**
     * A call that is wrong on one rank.
     *
     * @param wrong what that rank calls
     * @param right what the others call
     * @param type what all of them get
     * @param text a part of its message
     * @param leastRanks in smaller groups it is not wrong
     */
    public record BadCall(
            String name, Call wrong, Call right, Class<? extends CommException> type, String text, int leastRanks) {

        public BadCall(String name, Call wrong, Call right, Class<? extends CommException> type, String text) {
            this(name, wrong, right, type, text, 1);
        }

        BadCall inGroupsOf(int ranks) {
            return new BadCall(name, wrong, right, type, text, ranks);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Tensor floats(ProcessGroup group, GuardedMemory memory) {
        return memory.input(DType.FLOAT32, 6, 0, group.rank());
    }

    static Tensor closed(GuardedMemory memory) {
        Tensor tensor = memory.tensor(DType.FLOAT32, 6);
        tensor.close();
        return tensor;
    }

    static BadCall bad(String name, Call wrong, Call right, String text) {
        return new BadCall(name, wrong, right, InvalidCallException.class, text);
    }

    private static List<BadCall> badCalls() {
        Call allReduce = (group, memory) -> group.allReduce(floats(group, memory), ReduceOp.SUM);
        Call broadcast = (group, memory) -> group.broadcast(floats(group, memory), 0);
        Call reduce = (group, memory) -> group.reduce(floats(group, memory), 0, ReduceOp.SUM);
        Call allGather = (group, memory) ->
                group.allGather(floats(group, memory), memory.tensor(DType.FLOAT32, 6L * group.size()));
        Call reduceScatter = (group, memory) -> group.reduceScatter(
                memory.input(DType.FLOAT32, 6L * group.size(), 0, 0), floats(group, memory), ReduceOp.SUM);
        Call booleans = (group, memory) -> group.allReduce(memory.input(DType.BOOL, 6, 0, 0), ReduceOp.SUM);
        return List.of(
                bad(
                        "negative root",
                        (group, memory) -> group.broadcast(floats(group, memory), -1),
                        broadcast,
                        "root=-1"),
                bad(
                        "root too large",
                        (group, memory) -> group.reduce(floats(group, memory), 99, ReduceOp.SUM),
                        reduce,
                        "root=99"),
                bad(
                        "closed tensor",
                        (group, memory) -> group.allReduce(closed(memory), ReduceOp.SUM),
                        allReduce,
                        "closed tensor"),
                bad("null tensor", (group, memory) -> group.allReduce(null, ReduceOp.SUM), allReduce, "input=null"),
                bad(
                        "null output",
                        (group, memory) -> group.allGather(floats(group, memory), (Tensor) null),
                        allGather,
                        "output=null"),
                bad(
                        "null reduction",
                        (group, memory) -> group.reduce(floats(group, memory), 0, null),
                        reduce,
                        "op=null"),
                new BadCall("sum of booleans", booleans, allReduce, UnsupportedCollectiveException.class, "type=BOOL"),
                new BadCall(
                        "sum of booleans on all",
                        booleans,
                        booleans,
                        UnsupportedCollectiveException.class,
                        "op=SUM, type=BOOL"),
                bad(
                        "wrong output size",
                        (group, memory) -> group.allGather(floats(group, memory), memory.tensor(DType.FLOAT32, 7)),
                        allGather,
                        "output=7 elements"),
                bad(
                        "wrong input size",
                        (group, memory) -> group.reduceScatter(
                                memory.tensor(DType.FLOAT32, 7), floats(group, memory), ReduceOp.SUM),
                        reduceScatter,
                        "input=7 elements"),
                bad(
                        "two sizes",
                        (group, memory) ->
                                group.allReduce(floats(group, memory), memory.tensor(DType.FLOAT32, 7), ReduceOp.SUM),
                        allReduce,
                        "7"),
                bad(
                        "two types",
                        (group, memory) ->
                                group.allReduce(floats(group, memory), memory.tensor(DType.INT32, 6), ReduceOp.SUM),
                        allReduce,
                        "INT32"),
                bad("partial overlap", (group, memory) -> overlapping(group, memory), allReduce, "overlap"),
                bad("another rank's part", (group, memory) -> misplaced(group, memory), allGather, "overlap")
                        .inGroupsOf(2));
    }

    private static Mono<Work> overlapping(ProcessGroup group, GuardedMemory memory) {
        Tensor whole = memory.tensor(DType.FLOAT32, 8);
        return group.allReduce(whole.slice(0, 6), whole.slice(2, 6), ReduceOp.SUM);
    }

    private static Mono<Work> misplaced(ProcessGroup group, GuardedMemory memory) {
        Tensor output = memory.tensor(DType.FLOAT32, 6L * group.size());
        long other = (group.rank() + 1) % group.size();
        return group.allGather(output.slice(other * 6, 6), output);
    }

    final Stream<Arguments> badCallsAndSizes() {
        return Stream.concat(badCalls().stream(), BadRows.all().stream())
                .flatMap(each -> IntStream.of(1, 2, 4)
                        .filter(size -> size >= each.leastRanks())
                        .mapToObj(size -> Arguments.of(each, size)));
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}, size={1}")
    @MethodSource("badCallsAndSizes")
    void collective_wrongOnOneRank_failsOnAllNamingIt_andLaterCallsMatch(BadCall bad, int size) {
        inSharedWorld(size, groups -> requireFailuresAndMatches(bad, groups));
    }

    private void requireFailuresAndMatches(BadCall bad, List<ProcessGroup> groups) {
        int size = groups.size();
        for (int culprit : new int[] {0, size - 1}) {
            for (boolean culpritFirst : new boolean[] {true, false}) {
                try (GuardedMemory memory = new GuardedMemory(home())) {
                    List<Outcome> outcomes = subscribed(groups, bad, culprit, culpritFirst, memory);
                    requireFailure(bad, culprit, culpritFirst ? outcomes : unfinished(outcomes, culprit));
                    CaseRun next = new CaseRun(
                            new CollectiveCase(CollectiveCase.Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, 9, 0, true),
                            size,
                            1,
                            memory);
                    all(groups, next::assemble);
                    next.verify();
                }
            }
        }
    }

    private static List<Outcome> subscribed(
            List<ProcessGroup> groups, BadCall bad, int culprit, boolean culpritFirst, GuardedMemory memory) {
        List<Mono<Work>> calls = groups.stream()
                .map(group -> (group.rank() == culprit ? bad.wrong() : bad.right()).assemble(group, memory))
                .toList();
        List<CompletableFuture<Outcome>> begun = new ArrayList<>();
        if (culpritFirst) {
            end(begin(calls.get(culprit))).error(bad.type());
            all(groups, group -> group.named("in between").barrier());
        }
        calls.forEach(call -> begun.add(begin(call)));
        List<Outcome> outcomes = begun.stream().map(WorldContract::end).toList();
        // Subscribed to a second time the culprit's call is another call, wrong again.
        outcomes.get(culprit).error(bad.type());
        return outcomes;
    }

    /** A rank of a tree may have done its part before the news of the culprit comes; the culprit may not. */
    private static List<Outcome> unfinished(List<Outcome> outcomes, int culprit) {
        return IntStream.range(0, outcomes.size())
                .filter(rank -> rank == culprit
                        || outcomes.get(rank) instanceof Outcome.Failure
                        || !isOfATree(outcomes.get(rank).work()))
                .mapToObj(outcomes::get)
                .toList();
    }

    private static boolean isOfATree(Work work) {
        return List.of("broadcast", "reduce", "gather", "scatter").contains(work.operation());
    }

    private static void requireFailure(BadCall bad, int culprit, List<Outcome> outcomes) {
        for (Outcome outcome : outcomes) {
            CommException error = outcome.error(bad.type());
            assertThat(error).hasMessageContaining(bad.text());
            if (bad.wrong() != bad.right()) {
                assertThat(error).hasMessageContaining("rank=" + culprit);
            }
        }
    }

    @Test
    void collective_tensorClosedAfterAssembly_failsOnSubscription() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            Tensor tensor = floats(groups.get(0), memory);
            Mono<Work> call = groups.get(0).allReduce(tensor, ReduceOp.SUM);
            tensor.close();

            assertThat(end(begin(call)).error(InvalidCallException.class)).hasMessageContaining("closed");
            Mono<Work> other = groups.get(1).allReduce(floats(groups.get(1), memory), ReduceOp.SUM);
            assertThat(end(begin(other)).error(InvalidCallException.class)).hasMessageContaining("rank=0");
            all(groups, ProcessGroup::barrier);
        }
    }

    @Test
    void collective_tensorClosedWhileBorrowed_runsOn() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            Tensor tensor = floats(groups.get(0), memory);
            CompletableFuture<Outcome> begun = begin(groups.get(0).allReduce(tensor, ReduceOp.SUM));
            tensor.close();

            end(begin(groups.get(1).allReduce(floats(groups.get(1), memory), ReduceOp.SUM)))
                    .work();

            end(begun).work();
        }
    }

    @Test
    void message_wrongOnOneEnd_failsTheOther_andTheNextMatches() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            ProcessGroup one = groups.get(0);
            ProcessGroup two = groups.get(1);
            CompletableFuture<Outcome> badSend = begin(one.send(null, 1, 3));
            CompletableFuture<Outcome> itsReceive = begin(two.receive(floats(two, memory), 0, 3));
            CompletableFuture<Outcome> badReceive = begin(two.receive(closed(memory), 0, 3));
            CompletableFuture<Outcome> itsSend = begin(one.send(floats(one, memory), 1, 3));

            assertThat(end(badSend).error(InvalidCallException.class)).hasMessageContaining("null");
            assertThat(end(itsReceive).error(InvalidCallException.class)).hasMessageContaining("rank=0");
            assertThat(end(badReceive).error(InvalidCallException.class)).hasMessageContaining("closed");
            assertThat(end(itsSend).error(InvalidCallException.class)).hasMessageContaining("rank=1");
            CompletableFuture<Outcome> send = begin(one.send(floats(one, memory), 1, 3));
            Tensor received = memory.tensor(DType.FLOAT32, 6);
            end(begin(two.receive(received, 0, 3))).work();
            end(send).work();
            assertThat(received.toFloatArray()).isEqualTo(floats(one, memory).toFloatArray());
        }
    }

    @Test
    void message_toItselfOrNobody_isInvalid() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Tensor tensor = floats(groups.get(0), memory);
            for (int peer : new int[] {0, 2, -2}) {
                end(begin(groups.get(0).send(tensor, peer, 0))).error(InvalidCallException.class);
                end(begin(groups.get(0).receive(tensor, peer, 0))).error(InvalidCallException.class);
            }
            end(begin(groups.get(0).send(tensor, ProcessGroup.ANY, 0))).error(InvalidCallException.class);
            all(groups, ProcessGroup::barrier);
        }
    }
}
