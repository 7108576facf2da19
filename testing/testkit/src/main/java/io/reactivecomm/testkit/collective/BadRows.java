package io.reactivecomm.testkit.collective;

import static io.reactivecomm.testkit.collective.BadCallContract.bad;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.collective.BadCallContract.BadCall;
import io.reactivecomm.testkit.collective.BadCallContract.Call;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** Calls of several tensors or parts that are wrong on one rank. The first method is long because it is a table. */
@SuppressWarnings("NullAway") // Nulls are among the wrong arguments.
final class BadRows {

    private BadRows() {}

    /** {@return each with what the other ranks call} */
    static List<BadCall> all() {
        Call toAll = (group, memory) -> group.allToAll(each(group, memory, 2), each(group, memory, 2));
        Call even = (group, memory) ->
                group.allToAll(floats(group, memory, 2L * group.size()), floats(group, memory, 2L * group.size()));
        Call ragged = (group, memory) -> group.allGather(floats(group, memory, 2), each(group, memory, 2));
        Call scattered =
                (group, memory) -> group.reduceScatter(each(group, memory, 2), floats(group, memory, 2), ReduceOp.SUM);
        Call coalesced = (group, memory) -> group.allReduceCoalesced(each(group, memory, 2), ReduceOp.SUM);
        Call gathered = (group, memory) -> group.allGatherCoalesced(
                List.of(floats(group, memory, 2)), List.of(floats(group, memory, 2L * group.size())));
        Call gather = (group, memory) ->
                group.gather(floats(group, memory, 2), group.rank() == 0 ? each(group, memory, 2) : List.of(), 0);
        Call scatter = (group, memory) ->
                group.scatter(group.rank() == 0 ? each(group, memory, 2) : List.of(), floats(group, memory, 2), 0);
        Call inference = (group, memory) -> group.inferenceAllReduce(floats(group, memory, 6), ReduceOp.SUM);
        return List.of(
                bad("no list", (group, memory) -> group.allToAll(null, each(group, memory, 2)), toAll, "inputs=null"),
                bad(
                        "an empty list",
                        (group, memory) -> group.allToAll(each(group, memory, 2), List.of()),
                        toAll,
                        "got no output"),
                bad(
                        "a null in a list",
                        (group, memory) -> group.allReduceCoalesced(Collections.singletonList(null), ReduceOp.SUM),
                        coalesced,
                        "=null"),
                bad(
                        "a closed tensor in a list",
                        (group, memory) ->
                                group.allReduceCoalesced(List.of(BadCallContract.closed(memory)), ReduceOp.SUM),
                        coalesced,
                        "closed tensor"),
                bad("one tensor twice", (group, memory) -> twice(group, memory), coalesced, "overlap"),
                bad(
                        "two types in a list",
                        (group, memory) -> group.allReduceCoalesced(
                                List.of(floats(group, memory, 6), memory.tensor(DType.INT32, 6)), ReduceOp.SUM),
                        coalesced,
                        "INT32"),
                bad(
                        "too many parts",
                        (group, memory) -> group.allToAll(more(group, memory), more(group, memory)),
                        toAll,
                        "parts"),
                bad(
                        "own part of two lengths",
                        (group, memory) -> group.allToAll(each(group, memory, 2), each(group, memory, 3)),
                        toAll,
                        "own part"),
                bad(
                                "no equal parts",
                                (group, memory) -> group.allToAll(
                                        floats(group, memory, 2L * group.size() + 1),
                                        floats(group, memory, 2L * group.size() + 1)),
                                even,
                                "cannot cut its input")
                        .inGroupsOf(2),
                bad(
                        "two sizes of even parts",
                        (group, memory) -> group.allToAll(
                                floats(group, memory, 2L * group.size()), floats(group, memory, 3L * group.size())),
                        even,
                        "output"),
                bad(
                        "no splits",
                        (group, memory) -> group.allToAll(
                                floats(group, memory, 6), null, floats(group, memory, 6), new long[] {6}),
                        toAll,
                        "inputSplits=null"),
                bad(
                        "splits that do not add up",
                        (group, memory) -> group.allToAll(
                                floats(group, memory, 6), new long[] {5}, floats(group, memory, 6), new long[] {6}),
                        toAll,
                        "do not add up"),
                bad(
                        "a negative split",
                        (group, memory) -> group.allToAll(
                                floats(group, memory, 6), new long[] {7, -1}, floats(group, memory, 6), new long[] {6}),
                        toAll,
                        "out of range"),
                bad(
                        "splits whose sum overflows",
                        (group, memory) -> group.allToAll(
                                floats(group, memory, 6),
                                new long[] {Long.MAX_VALUE, Long.MAX_VALUE, 8},
                                floats(group, memory, 6),
                                new long[] {6}),
                        toAll,
                        "out of range"),
                bad(
                        "too many outputs",
                        (group, memory) -> group.allGather(floats(group, memory, 2), more(group, memory)),
                        ragged,
                        "too few or too many outputs"),
                bad(
                        "own output of another length",
                        (group, memory) -> group.allGather(floats(group, memory, 3), each(group, memory, 2)),
                        ragged,
                        "expected=3"),
                bad(
                        "too many inputs",
                        (group, memory) ->
                                group.reduceScatter(more(group, memory), floats(group, memory, 2), ReduceOp.SUM),
                        scattered,
                        "too few or too many inputs"),
                bad(
                        "lists of two lengths",
                        (group, memory) ->
                                group.allGatherCoalesced(List.of(floats(group, memory, 2)), more(group, memory)),
                        gathered,
                        "lists of two lengths"),
                bad(
                        "coalesced output too short",
                        (group, memory) -> group.allGatherCoalesced(
                                List.of(floats(group, memory, 2)), List.of(floats(group, memory, 1))),
                        gathered,
                        "output"),
                bad(
                        "root of a gather",
                        (group, memory) -> group.gather(floats(group, memory, 2), List.of(), 99),
                        gather,
                        "root=99"),
                bad(
                        "outputs off the root",
                        (group, memory) -> group.gather(
                                floats(group, memory, 2), group.rank() == 0 ? List.of() : each(group, memory, 2), 0),
                        gather,
                        "too few or too many outputs"),
                bad(
                        "inputs off the root",
                        (group, memory) -> group.scatter(
                                group.rank() == 0 ? List.of() : each(group, memory, 2), floats(group, memory, 2), 0),
                        scatter,
                        "too few or too many inputs"),
                bad(
                        "no reduction",
                        (group, memory) -> group.inferenceAllReduce(floats(group, memory, 6), null),
                        inference,
                        "op=null"),
                new BadCall(
                        "no such algorithm",
                        (group, memory) ->
                                group.algorithm("magic").allReduceCoalesced(each(group, memory, 2), ReduceOp.SUM),
                        coalesced,
                        UnsupportedCollectiveException.class,
                        "algorithm=magic"),
                new BadCall(
                        "factor of integers",
                        (group, memory) ->
                                group.allReduceCoalesced(List.of(memory.tensor(DType.INT32, 6)), new PreMulSum(2)),
                        coalesced,
                        UnsupportedCollectiveException.class,
                        "op=PREMUL_SUM(2.0), type=INT32"));
    }

    private static Tensor floats(ProcessGroup group, GuardedMemory memory, long count) {
        return memory.input(DType.FLOAT32, count, 0, group.rank());
    }

    private static List<Tensor> each(ProcessGroup group, GuardedMemory memory, long count) {
        return group.ranks().stream().map(rank -> floats(group, memory, count)).toList();
    }

    /** Two more than there are ranks. */
    private static List<Tensor> more(ProcessGroup group, GuardedMemory memory) {
        return IntStream.range(0, group.size() + 2)
                .mapToObj(rank -> floats(group, memory, 2))
                .toList();
    }

    private static Mono<Work> twice(ProcessGroup group, GuardedMemory memory) {
        Tensor tensor = floats(group, memory, 2);
        return group.allReduceCoalesced(List.of(tensor, tensor), ReduceOp.SUM);
    }
}
