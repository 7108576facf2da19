package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.CommSwitches;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The contract of {@link CommSwitches}: calls are off between the same calls on all ranks, or each rank that waits for one gets an error that names the switches of two
 * ranks. Deadlines are longer than {@link #LIMIT}, so a case in which a rank waits for one fails. Tensors are in the host's memory.
 */
public abstract class SwitchContract extends WorldContract {

    private static final Duration LATER_THAN_THE_LIMIT = LIMIT.multipliedBy(10);

    private static final String NOTHING_OFF = " has off=[]";

    private Tensor tensor(float... values) {
        return closedAfterwards(Tensor.of(values));
    }

    private static float[] values(Tensor tensor) {
        return tensor.toFloatArray();
    }

    private Mono<Work> sum(ProcessGroup group, Tensor tensor) {
        return group.timeout(LATER_THAN_THE_LIMIT).allReduce(tensor, ReduceOp.SUM);
    }

    private static void agree(List<ProcessGroup> groups, Function<CommSwitches, Mono<Void>> change) {
        Mono.when(groups.stream()
                        .map(group -> change.apply(CommSwitches.of(group)))
                        .toList())
                .block(LIMIT);
    }

    @Tag("smoke")
    @Test
    void threeSteps_areOffBetweenTheAgreedPlaces() {
        List<ProcessGroup> groups = world(2);
        List<String> seen = new ArrayList<>();
        for (int step = 0; step < 3; step++) {
            boolean isOff = step == 1;
            agree(
                    groups,
                    switches ->
                            isOff ? switches.off(Operation.ALL_REDUCE) : switches.on(EnumSet.allOf(Operation.class)));
            List<Tensor> tensors = List.of(tensor(1), tensor(10));
            List<Work> works = all(groups, group -> sum(group, tensors.get(group.rank())));
            seen.add(values(tensors.get(0))[0] + " " + values(tensors.get(1))[0] + " "
                    + works.getFirst().algorithm().equals("off"));
            assertThat(works).extracting(Work::sequence).containsOnly((long) step);
        }
        assertThat(seen).containsExactly("11.0 11.0 false", "1.0 10.0 true", "11.0 11.0 false");
        all(groups, group -> group.broadcast(tensor(1), 0));
    }

    @Test
    void state_isThatOfTheAgreedSwitches() {
        List<ProcessGroup> groups = world(2);
        agree(groups, switches -> switches.off(Operation.REDUCE, Operation.BROADCAST));
        agree(groups, switches -> switches.off(Operation.ALL_REDUCE));
        agree(groups, switches -> switches.on(Set.of(Operation.BROADCAST, Operation.BARRIER)));
        for (ProcessGroup group : groups) {
            assertThat(CommSwitches.of(group).switchedOff()).containsExactly(Operation.ALL_REDUCE, Operation.REDUCE);
        }
    }

    @Test
    void callsOfSubgroups_areOffToo() {
        List<ProcessGroup> groups = world(2);
        List<ProcessGroup> pairs = Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(group -> group.newGroup(1, 0))
                .collectList()
                .block(LIMIT));
        assertThat(pairs).hasSize(2);
        agree(groups, switches -> switches.off(Operation.ALL_REDUCE));
        Tensor tensor = tensor(1);
        end(begin(sum(pairs.getFirst(), tensor))).work();
        assertThat(values(tensor)).containsExactly(1);
        assertThatThrownBy(() -> CommSwitches.of(pairs.getFirst()))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("world's own group");
        assertThatThrownBy(() -> CommSwitches.of(groups.getFirst().named("x")))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("a view");
    }

    @Test
    void ranksThatAskForDifferentOperations_failWithBoth_andNothingChanges() {
        List<ProcessGroup> groups = world(3);
        List<CompletableFuture<Outcome>> begun = groups.stream()
                .map(group -> group.rank() == 1
                        ? CommSwitches.of(group).off(Operation.BROADCAST)
                        : CommSwitches.of(group).off(Operation.ALL_REDUCE))
                .map(SwitchContract::begun)
                .toList();
        for (CompletableFuture<Outcome> each : begun) {
            assertThat(end(each).error(MismatchException.class))
                    .hasMessageContaining("switch off [broadcast]")
                    .hasMessageContaining("switch off [all-reduce]");
        }
        assertThat(groups)
                .allSatisfy(group ->
                        assertThat(CommSwitches.of(group).switchedOff()).isEmpty());
        agree(groups, switches -> switches.off(Operation.ALL_REDUCE));
        assertThat(groups)
                .allSatisfy(group ->
                        assertThat(CommSwitches.of(group).switchedOff()).containsExactly(Operation.ALL_REDUCE));
    }

    private static CompletableFuture<Outcome> begun(Mono<Void> change) {
        CompletableFuture<Outcome> end = new CompletableFuture<>();
        change.subscribe(
                ignored -> {},
                error -> end.complete(new Outcome.Failure(error)),
                () -> end.complete(new Outcome.Failure(new AssertionError("it completed"))));
        return end;
    }

    @Test
    void operationsOfWhichOthersConsist_cannotBeOff() {
        List<ProcessGroup> groups = world(2);
        groups.stream()
                .map(group -> begun(CommSwitches.of(group).off(Operation.ALL_REDUCE, Operation.MESSAGE)))
                .toList()
                .forEach(each -> assertThat(end(each).error(InvalidCallException.class))
                        .hasMessageContaining("switch off [all-reduce, message]"));
        all(groups, group -> sum(group, tensor(1)));
    }

    @Test
    void keptCall_keepsItsState() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> tensors = List.of(tensor(1), tensor(10));
        List<Mono<Work>> on = groups.stream()
                .map(group -> sum(group, tensors.get(group.rank())))
                .toList();
        List<Mono<Work>> composites = groups.stream()
                .map(group -> group.composite("own").mono(inside -> sum(inside, tensors.get(group.rank()))))
                .toList();
        agree(groups, switches -> switches.off(Operation.ALL_REDUCE));
        List<Mono<Work>> off = groups.stream()
                .map(group -> sum(group, tensors.get(group.rank())))
                .toList();
        all(groups, group -> on.get(group.rank()));
        all(groups, group -> composites.get(group.rank()));
        assertThat(values(tensors.get(0))).containsExactly(22);
        agree(groups, switches -> switches.on(Operation.ALL_REDUCE));
        all(groups, group -> off.get(group.rank()));
        assertThat(values(tensors.get(1))).as("of a call that is off").containsExactly(22);
        all(groups, group -> on.get(group.rank()));
        assertThat(values(tensors.get(1))).as("subscribed to again").containsExactly(44);
    }

    @Test
    void buckets_readTheStateWhenAStepOpens() {
        List<ProcessGroup> groups = world(2);
        List<GradientBuckets> buckets =
                groups.stream().map(GradientBuckets::sum).toList();
        try {
            List<String> seen = new ArrayList<>();
            for (int step = 0; step < 4; step++) {
                boolean isOff = step % 2 == 1;
                agree(
                        groups,
                        switches -> isOff ? switches.off(Operation.ALL_REDUCE) : switches.on(Operation.ALL_REDUCE));
                seen.add(String.valueOf(Flux.range(0, 2)
                        .flatMapSequential(rank -> step(buckets.get(rank), tensor(1 + rank)))
                        .collectList()
                        .block(LIMIT)));
            }
            assertThat(seen).containsExactly("[3.0, 3.0]", "[1.0, 2.0]", "[3.0, 3.0]", "[1.0, 2.0]");
        } finally {
            buckets.forEach(GradientBuckets::close);
        }
    }

    private static Flux<Float> step(GradientBuckets buckets, Tensor gradient) {
        return Flux.just(new Gradient("g", gradient)).transform(buckets).map(result -> values(result.tensor())[0]);
    }

    /** Requires that the error of a rank that waited names its own switches, and those of a rank on which the call was off. */
    private static void requireBothStates(int rank, CompletableFuture<Outcome> call, String offRank) {
        assertThat(end(call).error(MismatchException.class))
                .hasMessageContaining(offRank + " has off=[all-reduce]")
                .hasMessageContaining("rank " + rank + NOTHING_OFF);
    }

    private static void switchOff(List<ProcessGroup> groups) {
        agree(groups, switches -> switches.off(Operation.ALL_REDUCE));
    }

    /** Ranks 0 and 2 make the call before the switch, rank 1 behind it. */
    @Test
    void callThatMeetsOneThatIsOff_failsWithBothStates_onEachRankThatWaits() {
        List<ProcessGroup> groups = world(3);
        List<Mono<Work>> on = List.of(sum(groups.get(0), tensor(1)), sum(groups.get(2), tensor(1)));
        switchOff(groups);
        Tensor own = tensor(7);
        Mono<Work> off = sum(groups.get(1), own);
        List<CompletableFuture<Outcome>> begun =
                on.stream().map(WorldContract::begin).toList();
        requireBothStates(0, begun.get(0), "rank 1");
        requireBothStates(2, begun.get(1), "rank 1");
        assertThat(end(begin(off)).work().algorithm()).isEqualTo("off");
        assertThat(values(own)).containsExactly(7);
        all(groups, group -> group.broadcast(tensor(1), 0));
    }

    /** The call waits at the rank on which it is going to be off, which never subscribes to it. */
    @Test
    void callThatWaits_failsWithBothStates_onceItIsAssembledElsewhereAndOff() {
        List<ProcessGroup> groups = world(2);
        CompletableFuture<Outcome> waits = begin(sum(groups.get(0), tensor(1)));
        switchOff(groups);
        all(groups, group -> group.named("meanwhile").barrier());
        assertThat(waits).isNotDone();
        assertThat(sum(groups.get(1), tensor(1))).isNotNull();
        requireBothStates(0, waits, "rank 1");
    }

    /** A rank on which a call is off hears from another that it is off there: that is no reason to fail. */
    @Test
    void callThatIsOffOnTwoRanks_failsOnTheThirdOnly() {
        List<ProcessGroup> groups = world(3);
        List<Mono<Work>> on = groups.stream()
                .map(group -> group.rank() == 0 ? sum(group, tensor(1)) : Mono.<Work>empty())
                .toList();
        Mono<SparseTensor> onRows = rows(groups.get(0).named("rows"), 0);
        switchOff(groups);
        Mono<Work> offOfOne = sum(groups.get(1), tensor(1));
        Mono<SparseTensor> rowsOfOne = rows(groups.get(1).named("rows"), 1);
        requireBothStates(0, begin(on.getFirst()), "rank 1");
        requireBothStates(0, begun(onRows.then()), "rank 1");
        requireTold(groups);
        end(begin(offOfOne)).work();
        end(begin(sum(groups.get(2), tensor(1)))).work();
        for (Mono<SparseTensor> each : List.of(rowsOfOne, rows(groups.get(2).named("rows"), 2))) {
            Objects.requireNonNull(each.block(LIMIT)).close();
        }
    }

    private Mono<SparseTensor> rows(ProcessGroup group, int rank) {
        SparseTensor rows = new SparseTensor(
                closedAfterwards(Tensor.of(new long[] {rank})), closedAfterwards(Tensor.of(new float[] {1}, 1, 1)), 5);
        return group.timeout(LATER_THAN_THE_LIMIT).sparseAllReduce(rows, ReduceOp.SUM);
    }

    @Test
    void compositeOfTheLibrary_thatMeetsOneThatIsOff_failsWithBothStates() {
        List<ProcessGroup> groups = world(2);
        CompletableFuture<Outcome> early = begun(rows(groups.get(0), 0).then());
        Mono<SparseTensor> late = rows(groups.get(0), 0);
        switchOff(groups);
        Mono<SparseTensor> first = rows(groups.get(1), 1);
        requireBothStates(0, early, "rank 1");
        Mono<SparseTensor> second = rows(groups.get(1), 1);
        Objects.requireNonNull(second.block(LIMIT)).close();
        requireBothStates(0, begun(late.then()), "rank 1");
        Objects.requireNonNull(first.block(LIMIT)).close();
    }

    @Tag("smoke")
    @Test
    void callInACompositeOfTheProgram_thatMeetsOneThatIsOff_failsWithBothStates() {
        List<ProcessGroup> groups = world(2);
        Function<ProcessGroup, Mono<Work>> composite = group -> group.composite("own")
                .mono(inside -> inside.barrier().then(sum(inside, tensor(1))).then(inside.barrier()));
        Mono<Work> on = composite.apply(groups.get(0));
        switchOff(groups);
        CompletableFuture<Outcome> off = begin(composite.apply(groups.get(1)));
        requireBothStates(0, begin(on), "rank 1");
        end(off).error(MismatchException.class);
    }

    @Test
    void scopeOfWhichAllCallsAreOff_failsWithBothStates() {
        List<ProcessGroup> groups = world(2);
        Function<ProcessGroup, Mono<Work>> scope = group ->
                group.coalesce(calls -> calls.allReduce(tensor(1), ReduceOp.SUM).allReduce(tensor(2), ReduceOp.SUM));
        Mono<Work> on = scope.apply(groups.get(0));
        switchOff(groups);
        end(begin(scope.apply(groups.get(1)))).work();
        requireBothStates(0, begin(on), "rank 1");
    }

    @Test
    void callOfAStep_thatMeetsOneThatIsOff_failsWithBothStates() {
        List<ProcessGroup> groups = world(2);
        Mono<Work> on = sum(groups.get(0).numbered(0), tensor(1));
        switchOff(groups);
        end(begin(sum(groups.get(1).numbered(0), tensor(1)))).work();
        requireBothStates(0, begin(on), "rank 1");
    }

    /** Rank 0 opens its step before the switch, the others open theirs behind it. */
    @Test
    void buckets_thatAreOffOnSomeRanks_failOnTheOtherWithBothStates() {
        List<ProcessGroup> groups = world(3);
        List<GradientBuckets> buckets =
                groups.stream().map(GradientBuckets::sum).toList();
        try {
            CompletableFuture<Outcome> on =
                    begun(step(buckets.get(0), tensor(1)).then());
            switchOff(groups);
            assertThat(step(buckets.get(1), tensor(2)).blockLast(LIMIT)).isEqualTo(2);
            requireBothStates(0, on, "rank 1");
            assertThat(step(buckets.get(2), tensor(3)).blockLast(LIMIT)).isEqualTo(3);
        } finally {
            buckets.forEach(GradientBuckets::close);
        }
    }

    @Test
    void secondSwitchInFlight_isRefused_andTheFirstIsMade() {
        List<ProcessGroup> groups = world(2);
        CommSwitches own = CommSwitches.of(groups.get(0));
        CommSwitches ofPeer = CommSwitches.of(groups.get(1));
        Mono<Void> first = own.off(Operation.REDUCE).cache();
        first.subscribe();
        CompletableFuture<Outcome> second = begun(own.off(Operation.BROADCAST));
        assertThat(end(second).error(InvalidCallException.class)).hasMessageContaining("another switch is in flight");
        ofPeer.off(Operation.REDUCE).block(LIMIT);
        assertThat(end(begun(ofPeer.off(Operation.BROADCAST))).error(InvalidCallException.class))
                .hasMessageContaining("another switch is in flight");
        first.block(LIMIT);
        assertThat(own.switchedOff()).containsExactly(Operation.REDUCE);
        agree(groups, switches -> switches.on(Operation.REDUCE));
    }

    @Test
    void cancellation_detaches_andTheSwitchIsMade() {
        List<ProcessGroup> groups = world(2);
        CommSwitches.of(groups.get(0)).off(Operation.ALL_REDUCE).subscribe().dispose();
        CommSwitches.of(groups.get(1)).off(Operation.ALL_REDUCE).block(LIMIT);
        requireTold(groups);
        agree(groups, switches -> switches.off(Operation.REDUCE));
        assertThat(CommSwitches.of(groups.get(0)).switchedOff())
                .containsExactly(Operation.ALL_REDUCE, Operation.REDUCE);
    }

    @Test
    void switchOfAClosedGroup_fails() {
        List<ProcessGroup> groups = world(2);
        CommSwitches switches = CommSwitches.of(groups.get(0));
        CompletableFuture<Outcome> waits = begun(CommSwitches.of(groups.get(1)).off(Operation.ALL_REDUCE));
        groups.get(0).close();
        end(begun(switches.off(Operation.ALL_REDUCE))).error(GroupClosedException.class);
        end(waits).error(CommException.class);
        assertThat(switches.switchedOff()).isEmpty();
        assertThat(CommSwitches.of(groups.get(1)).switchedOff()).isEmpty();
    }
}
