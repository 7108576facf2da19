package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The base of the contracts over groups: making them on all ranks, and calls that tell whether a group is the one it should be. */
public abstract class GroupWorld extends WorldContract {

    /** {@return what each rank gets, null for those who are no members; all ranks subscribe at once} */
    protected static List<@Nullable ProcessGroup> made(
            List<ProcessGroup> parents, Function<ProcessGroup, Mono<ProcessGroup>> making) {
        List<Mono<List<ProcessGroup>>> all = parents.stream()
                .map(parent -> making.apply(parent).flux().collectList())
                .toList();
        List<@Nullable ProcessGroup> made = new ArrayList<>();
        for (List<ProcessGroup> each : Objects.requireNonNull(
                Flux.mergeSequential(all, all.size(), 1).collectList().block(LIMIT))) {
            made.add(each.isEmpty() ? null : each.getFirst());
        }
        return made;
    }

    /** {@return how making a group failed, on the ranks where it did} */
    protected static List<Throwable> errors(List<ProcessGroup> groups, Function<ProcessGroup, Mono<?>> making) {
        List<Throwable> errors = new ArrayList<>();
        List<Mono<Throwable>> all = groups.stream()
                .map(making)
                .map(each -> each.<Throwable>map(ignored -> new AssertionError("a group was made"))
                        .onErrorResume(Mono::just)
                        .defaultIfEmpty(new AssertionError("no group, and no error")))
                .toList();
        Flux.merge(Flux.fromIterable(all), all.size()).doOnNext(errors::add).blockLast(LIMIT);
        return errors;
    }

    /** {@return only the members of what each rank got, in world order} */
    protected static List<ProcessGroup> members(List<@Nullable ProcessGroup> made) {
        List<ProcessGroup> members = new ArrayList<>();
        for (ProcessGroup each : made) {
            if (each != null) {
                members.add(each);
            }
        }
        return members;
    }

    /** {@return the members' groups, made of those ranks by all} */
    protected static List<ProcessGroup> group(List<ProcessGroup> parents, int... ranks) {
        return members(made(parents, parent -> parent.newGroup(ranks)));
    }

    /** Requires that the members, and nobody else, add up what they have and know their order. */
    protected static void requireTogether(List<ProcessGroup> members) {
        try (GuardedMemory memory = new GuardedMemory()) {
            int size = members.size();
            List<Tensor> sums = members.stream()
                    .map(member -> memory.tensor(DType.INT64, 3))
                    .toList();
            List<Tensor> orders = members.stream()
                    .map(member -> memory.tensor(DType.INT64, size))
                    .toList();
            List<Mono<Work>> calls = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                ProcessGroup member = members.get(i);
                long own = member.globalRank(member.rank());
                Tensor input = memory.tensor(DType.INT64, 1);
                fill(input, own);
                fill(sums.get(i), 1L << own);
                calls.add(member.allReduce(sums.get(i), ReduceOp.SUM));
                calls.add(member.allGather(input, orders.get(i)));
            }
            Mono.when(calls).block(LIMIT);
            long expected = members.getFirst().ranks().stream()
                    .mapToLong(rank -> 1L << rank)
                    .sum();
            long[] order = members.getFirst().ranks().stream()
                    .mapToLong(Integer::longValue)
                    .toArray();
            for (int i = 0; i < size; i++) {
                assertThat(sums.get(i).toLongArray()).containsOnly(expected);
                assertThat(orders.get(i).toLongArray()).containsExactly(order);
            }
        }
    }

    /** Requires that one member's message reaches another. */
    protected final void requireMessage(ProcessGroup sender, ProcessGroup receiver) {
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CompletableFuture<Outcome> send = begin(sender.send(memory.onHost(DType.INT8, 3), receiver.rank(), 0));
            end(begin(receiver.receive(memory.onHost(DType.INT8, 3), sender.rank(), 0)))
                    .work();
            end(send).work();
        }
    }

    private static void fill(Tensor tensor, long value) {
        for (long i = 0; i < tensor.count(); i++) {
            tensor.segment().setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, value);
        }
    }
}
