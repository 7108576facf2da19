package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Part;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.ObserverNotes;
import io.reactivecomm.testkit.WorldContract;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The contract of claims: if two calls in flight share memory that one of them writes, the second fails on all ranks with an error that names both. Rank 1
 * subscribes late, so the calls of rank 0 are in flight. Tensors are in the host's memory.
 */
public abstract class ClaimContract extends WorldContract {

    private Tensor tensor(float... values) {
        return closedAfterwards(Tensor.of(values));
    }

    private static InvalidCallException refused(CompletableFuture<Outcome> call) {
        return end(call).error(InvalidCallException.class);
    }

    private static Mono<Work> sum(ProcessGroup group, Tensor tensor) {
        return group.allReduce(tensor, ReduceOp.SUM);
    }

    @Tag("smoke")
    @Test
    void secondAllReduceOfATensor_failsOnAllRanks_andTheFirstRunsOn() {
        List<ProcessGroup> groups = world(2);
        Tensor both = tensor(1, 2);
        Tensor ofPeer = tensor(10, 20);
        CompletableFuture<Outcome> first = begin(sum(groups.get(0).named("a"), both));
        CompletableFuture<Outcome> second = begin(sum(groups.get(0).named("b"), both));
        CompletableFuture<Outcome> secondOfPeer = begin(sum(groups.get(1).named("b"), tensor(0, 0)));
        for (CompletableFuture<Outcome> each : List.of(second, secondOfPeer)) {
            assertThat(refused(each))
                    .hasMessageContaining("call=b#0")
                    .hasMessageContaining("other=all-reduce a#0")
                    .hasMessageContaining("rank=0");
        }
        end(begin(sum(groups.get(1).named("a"), ofPeer))).work();
        end(first).work();
        assertThat(both.toFloatArray()).containsExactly(11, 22);
        // Its claim has ended with it.
        all(groups, group -> sum(group, group.rank() == 0 ? both : ofPeer));
        assertThat(both.toFloatArray()).containsExactly(22, 44);
    }

    @Test
    void slicesThatOverlap_areRefused_andOthersAreNot() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> wholes = List.of(tensor(1, 2, 3, 4), tensor(1, 2, 3, 4));
        CompletableFuture<Outcome> first =
                begin(sum(groups.get(0), wholes.get(0).slice(0, 2)));
        CompletableFuture<Outcome> second =
                begin(sum(groups.get(0), wholes.get(0).slice(2, 2)));
        assertThat(refused(begin(sum(groups.get(0).named("c"), wholes.get(0).slice(1, 2)))))
                .hasMessageContaining("call=c#0");
        CompletableFuture<Outcome> ofNothing =
                begin(sum(groups.get(0).named("d"), wholes.get(0).slice(1, 0)));
        end(begin(sum(groups.get(1), wholes.get(1).slice(0, 2)))).work();
        end(begin(sum(groups.get(1), wholes.get(1).slice(2, 2)))).work();
        end(begin(sum(groups.get(1).named("d"), wholes.get(1).slice(1, 0)))).work();
        List.of(first, second, ofNothing).forEach(each -> end(each).work());
        assertThat(wholes.get(0).toFloatArray()).containsExactly(2, 4, 6, 8);
    }

    @Test
    void callThatIsSubscribedToAgain_whileItIsInFlight_isRefused() {
        List<ProcessGroup> groups = world(2);
        Tensor tensor = tensor(1);
        Mono<Work> call = sum(groups.get(0), tensor);
        CompletableFuture<Outcome> first = begin(call);
        assertThat(refused(begin(call))).hasMessageContaining("call=#0.2").hasMessageContaining("other=all-reduce #0,");
        end(begin(sum(groups.get(1), tensor(2)))).work();
        end(first).work();
        assertThat(tensor.toFloatArray()).containsExactly(3);
    }

    @Test
    void rootOfABroadcast_onlyReads_andOthersWrite() {
        List<ProcessGroup> groups = world(2);
        Tensor sent = tensor(5);
        CompletableFuture<Outcome> broadcast = begin(groups.get(0).broadcast(sent, 0));
        CompletableFuture<Outcome> reduce = begin(groups.get(0).reduce(sent, 1, ReduceOp.SUM));
        CompletableFuture<Outcome> send = begin(groups.get(0).send(sent, 1, 0));
        assertThat(refused(begin(sum(groups.get(0).named("w"), sent))))
                .hasMessageContaining("cannot write memory that a call in flight reads");
        Tensor received = tensor(0);
        end(begin(groups.get(1).broadcast(received, 0))).work();
        end(broadcast).work();
        Tensor reduced = tensor(1);
        end(begin(groups.get(1).reduce(reduced, 1, ReduceOp.SUM))).work();
        end(begin(groups.get(1).receive(tensor(0), 0, 0))).work();
        end(reduce).work();
        end(send).work();
        assertThat(reduced.toFloatArray()).containsExactly(6);
        CompletableFuture<Outcome> taking = begin(groups.get(0).broadcast(sent, 1));
        assertThat(refused(begin(groups.get(0).send(sent, 1, 1))))
                .hasMessageContaining("send cannot read memory that a call in flight writes");
        end(begin(groups.get(1).broadcast(received, 1))).work();
        end(taking).work();
    }

    @Tag("smoke")
    @Test
    void cancellation_doesNotEndTheClaim_andReleasedTellsWhenItHasEnded() {
        List<ProcessGroup> groups = world(2);
        Tensor tensor = tensor(1);
        Disposable cancelled = sum(groups.get(0), tensor).subscribe();
        cancelled.dispose();
        assertThat(refused(begin(sum(groups.get(0).named("b"), tensor))))
                .hasMessageContaining("cancellation")
                .hasMessageContaining("released()");
        assertThat(refused(begin(sum(groups.get(1).named("b"), tensor(0))))).hasMessageContaining("call=b#0");
        end(begin(sum(groups.get(1), tensor(2)))).work();
        tensor.released().block(LIMIT);
        all(groups, group -> sum(group, group.rank() == 0 ? tensor : tensor(4)));
        assertThat(tensor.toFloatArray()).containsExactly(7);
    }

    @Test
    void compositeThatClaims_keepsOutOthers_andNotTheCallsInside() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> tensors = List.of(tensor(1), tensor(2));
        Sinks.Empty<Void> gate = Sinks.empty();
        Function<ProcessGroup, Mono<Work>> composite = group -> group.composite("claims")
                .claiming(List.of(), List.of(tensors.get(group.rank())))
                .mono(inside -> sum(inside, tensors.get(group.rank()))
                        .then(gate.asMono())
                        .then(inside.composite("deeper").mono(deeper -> sum(deeper, tensors.get(group.rank())))));
        List<CompletableFuture<Outcome>> begun =
                groups.stream().map(group -> begin(composite.apply(group))).toList();
        assertThat(refused(begin(sum(groups.get(0).named("b"), tensors.get(0)))))
                .hasMessageContaining("other=claims #0");
        assertThat(refused(begin(groups.get(0)
                        .named("c")
                        .composite("sibling")
                        .claiming(List.of(tensors.get(0)), List.of())
                        .mono(ProcessGroup::barrier))))
                .hasMessageContaining("sibling cannot read memory");
        gate.tryEmitEmpty();
        begun.forEach(each -> end(each).work());
        assertThat(tensors.get(0).toFloatArray()).containsExactly(6);
        assertThat(refused(begin(sum(groups.get(1).named("b"), tensors.get(1)))))
                .hasMessageContaining("call=b#0");
        all(groups, group -> sum(group, tensors.get(group.rank())));
    }

    /** Calls of two groups have the same labels. */
    @Test
    void callsOfTwoGroups_areNamedWithTheirGroups() {
        List<ProcessGroup> groups = world(2);
        List<ProcessGroup> pairs = Objects.requireNonNull(Flux.fromIterable(groups)
                .flatMapSequential(group -> group.newGroup(1, 0))
                .collectList()
                .block(LIMIT));
        List<Tensor> tensors = List.of(tensor(1), tensor(2));
        CompletableFuture<Outcome> first = begin(sum(groups.get(0), tensors.get(0)));
        assertThat(refused(begin(sum(pairs.get(0), tensors.get(0)))))
                .hasMessageMatching(
                        "(?s).* group=\\S+ of ranks \\[1, 0\\], tensor=.*, other=all-reduce #\\d+, otherGroup=0 of ranks \\[0, 1\\], .*");
        assertThat(refused(begin(sum(pairs.get(1), tensor(0))))).hasMessageContaining("otherGroup=0 of ranks [0, 1]");
        end(begin(sum(groups.get(1), tensors.get(1)))).work();
        end(first).work();
        pairs.forEach(ProcessGroup::close);
    }

    @Test
    void callOfAClaimingBody_throughTheOuterView_isAdvisedToUseTheBodys() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> tensors = List.of(tensor(1), tensor(2));
        List<CompletableFuture<Outcome>> begun = groups.stream()
                .map(group -> begin(group.composite("claims")
                        .claiming(List.of(), List.of(tensors.get(group.rank())))
                        .mono(inside -> sum(group.named("outer"), tensors.get(group.rank())))))
                .toList();
        begun.forEach(each -> assertThat(refused(each))
                .hasMessageContaining("call=outer#0")
                .hasMessageContaining("the view that the body is given"));
    }

    @Test
    void compositeThatIsRefused_saysOfWhichRank_onThatRankToo() {
        List<ProcessGroup> groups = world(2);
        Tensor tensor = tensor(1);
        CompletableFuture<Outcome> first = begin(sum(groups.get(0), tensor));
        List<CompletableFuture<Outcome>> composites = groups.stream()
                .map(group -> begin(group.named("c")
                        .composite("claims")
                        .claiming(group.rank() == 0 ? List.of(tensor) : List.of(), List.of())
                        .mono(ProcessGroup::barrier)))
                .toList();
        composites.forEach(each ->
                assertThat(refused(each)).hasMessageContaining("call=c#0").hasMessageContaining("(rank=0"));
        end(begin(sum(groups.get(1), tensor(2)))).work();
        end(first).work();
    }

    @Test
    void scopeThatIsRefused_saysWhichOfItsTensorsItIs_andThatItIsWritten() {
        List<ProcessGroup> groups = world(2);
        Tensor tensor = tensor(1);
        CompletableFuture<Outcome> first = begin(groups.get(0).broadcast(tensor, 1));
        CompletableFuture<Outcome> refused = begin(groups.get(0).named("t").coalesce(scope -> {
            scope.allReduce(tensor(5), ReduceOp.SUM);
            scope.allReduce(tensor, ReduceOp.SUM);
        }));
        assertThat(refused(refused))
                .hasMessageContaining("coalesced cannot write memory that a call in flight writes: call=t#0")
                .hasMessageContaining("tensor=FLOAT32[1] (2 of 2 that it writes)");
        end(begin(groups.get(1).broadcast(tensor(2), 1))).work();
        end(first).work();
    }

    @Test
    void streamThatIsRefused_namesTheEndThatWasRefused_onBothRanks() {
        List<ProcessGroup> groups = world(2);
        Tensor tensor = tensor(1);
        CompletableFuture<Outcome> first = begin(sum(groups.get(0), tensor));
        Mono<Tensor> sending = groups.get(0)
                .sendAll(Flux.just(tensor), 1, 0)
                .then(Mono.<Tensor>empty())
                .cache();
        sending.subscribe(ignored -> {}, ignored -> {});
        Mono<Tensor> receiving = groups.get(1).receiveAll(0, 0).next();
        for (Mono<Tensor> end : List.of(receiving, sending)) {
            assertThatThrownBy(() -> end.block(LIMIT))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("sendAll cannot read memory that a call in flight writes: peer=1, tag=0")
                    .hasMessageContaining("(rank=0");
        }
        end(begin(sum(groups.get(1), tensor(2)))).work();
        end(first).work();
    }

    @Test
    void rowsOfASparseAllReduce_areOnlyRead() {
        List<ProcessGroup> groups = world(2);
        Tensor indices = closedAfterwards(Tensor.of(new long[] {1}));
        Tensor values = closedAfterwards(Tensor.of(new float[] {3, 4}, 1, 2));
        Mono<SparseTensor> sparse = groups.get(0)
                .sparseAllReduce(new SparseTensor(indices, values, 5), ReduceOp.SUM)
                .cache();
        sparse.subscribe();
        assertThat(refused(begin(sum(groups.get(0).named("b"), values))))
                .hasMessageContaining("other=sparse all-reduce");
        CompletableFuture<Outcome> send = begin(groups.get(0).send(values, 1, 0));
        SparseTensor own = new SparseTensor(
                closedAfterwards(Tensor.of(new long[] {1})), closedAfterwards(Tensor.of(new float[] {1, 1}, 1, 2)), 5);
        Mono<SparseTensor> ofPeer =
                groups.get(1).sparseAllReduce(own, ReduceOp.SUM).cache();
        ofPeer.subscribe();
        for (Mono<SparseTensor> each : List.of(sparse, ofPeer)) {
            try (SparseTensor sum = Objects.requireNonNull(each.block(LIMIT))) {
                assertThat(sum.values().toFloatArray()).containsExactly(4, 5);
            }
        }
        end(begin(groups.get(1).receive(tensor(0, 0), 0, 0))).work();
        end(send).work();
        assertThat(refused(begin(sum(groups.get(1).named("b"), tensor(0, 0))))).hasMessageContaining("call=b#0");
    }

    @Test
    void partThatWasEmitted_isOnlyRead() {
        assumeTrue(areOverLinks(), "an engine gives all parts at the end");
        List<ProcessGroup> groups = world(2);
        Tensor output = tensor(0, 0);
        CompletableFuture<Part> emitted = new CompletableFuture<>();
        CompletableFuture<Void> over = new CompletableFuture<>();
        groups.get(0)
                .allGatherParts(tensor(1), List.of(output.slice(0, 1), output.slice(1, 1)))
                .subscribe(new BaseSubscriber<>() {
                    @Override
                    protected void hookOnNext(Part part) {
                        emitted.complete(part);
                    }

                    @Override
                    protected void hookOnComplete() {
                        over.complete(null);
                    }
                });
        Part own = Objects.requireNonNull(Mono.fromFuture(emitted).block(LIMIT));
        CompletableFuture<Outcome> send = begin(groups.get(0).send(own.tensor(), 1, 0));
        assertThat(refused(begin(sum(groups.get(0).named("w"), own.tensor()))))
                .hasMessageContaining("cannot write memory that a call in flight");
        assertThat(refused(begin(groups.get(0).send(output, 1, 1))))
                .hasMessageContaining("cannot read memory that a call in flight writes");
        Tensor sent = tensor(0);
        end(begin(groups.get(1).receive(sent, 0, 0))).work();
        end(send).work();
        assertThat(sent.toFloatArray()).containsExactly(1);
        end(begin(groups.get(1).allGather(tensor(2), tensor(0, 0)))).work();
        Mono.fromFuture(over).block(LIMIT);
        assertThat(output.toFloatArray()).containsExactly(1, 2);
    }

    /** A subscriber that requests what the test says. */
    private static final class Asking<T> extends BaseSubscriber<T> {

        private final CompletableFuture<Void> over = new CompletableFuture<>();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {}

        @Override
        protected void hookOnComplete() {
            over.complete(null);
        }

        private void awaitCompletion() {
            Mono.fromFuture(over).block(LIMIT);
        }
    }

    /** Begins the publisher of rank 0 without demand, and its peer's, and waits until rank 0's call has ended. */
    private static <T> Asking<T> endedWithoutDemand(
            String operation, List<ProcessGroup> groups, Function<ProcessGroup, Publisher<T>> call) {
        ObserverNotes notes = new ObserverNotes();
        Asking<T> asking = new Asking<>();
        call.apply(groups.get(0).observedBy(notes)).subscribe(asking);
        Flux.from(call.apply(groups.get(1))).blockLast(LIMIT);
        notes.awaitEnd(operation, LIMIT.toSeconds());
        return asking;
    }

    private void requireClaimed(List<ProcessGroup> groups, Tensor tensor, String other) {
        assertThat(refused(begin(sum(groups.get(0).named("w"), tensor))))
                .hasMessageContaining("cannot write memory")
                .hasMessageContaining(other);
        assertThat(refused(begin(sum(groups.get(1).named("w"), tensor(0))))).hasMessageContaining("call=w#");
    }

    private void requireFree(List<ProcessGroup> groups, Tensor tensor) {
        Tensor ofPeer = tensor(0);
        all(groups, group -> sum(group.named("free"), group.rank() == 0 ? tensor : ofPeer));
    }

    @Test
    void partsThatWaitForDemand_areClaimedUntilTheLast_alsoWhenTheCallHasEnded() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> outputs = List.of(tensor(0, 0), tensor(0, 0));
        Asking<Part> asking = endedWithoutDemand("all-gather", groups, group -> {
            Tensor output = outputs.get(group.rank());
            return group.allGatherParts(tensor(group.rank() + 1), List.of(output.slice(0, 1), output.slice(1, 1)));
        });
        Tensor own = outputs.get(0);
        requireClaimed(groups, own.slice(0, 1), "other=all-gather");
        asking.request(1);
        requireClaimed(groups, own.slice(0, 1), "other=all-gather");
        requireClaimed(groups, own.slice(1, 1), "other=all-gather");
        assertThat(own.toFloatArray()).containsExactly(1, 2);
        asking.request(1);
        asking.awaitCompletion();
        requireFree(groups, own.slice(0, 1));
    }

    @Test
    void runsThatWaitForDemand_areClaimed_untilTheSubscriberCancels() {
        List<ProcessGroup> groups = world(2);
        List<Tensor> outputs = List.of(tensor(0), tensor(0));
        Asking<Part> asking = endedWithoutDemand(
                "reduce-scatter",
                groups,
                group -> group.reduceScatterParts(
                        List.of(tensor(1), tensor(2)), outputs.get(group.rank()), ReduceOp.SUM));
        requireClaimed(groups, outputs.get(0), "other=reduce-scatter");
        asking.cancel();
        outputs.get(0).released().block(LIMIT);
        requireFree(groups, outputs.get(0));
    }

    @ParameterizedTest(name = "cancels={0}")
    @ValueSource(booleans = {false, true})
    void resultOfACompositeThatWaitsForDemand_isClaimedUntilTheSignalOrCancellation(boolean cancels) {
        List<ProcessGroup> groups = world(2);
        List<Tensor> tensors = List.of(tensor(1), tensor(2));
        ObserverNotes notes = new ObserverNotes();
        Function<ProcessGroup, Mono<Work>> composite = group -> group.composite("claims")
                .claiming(List.of(), List.of(tensors.get(group.rank())))
                .mono(inside -> sum(inside, tensors.get(group.rank())));
        Asking<Work> asking = new Asking<>();
        composite.apply(groups.get(0).observedBy(notes)).subscribe(asking);
        composite.apply(groups.get(1)).block(LIMIT);
        notes.awaitEnd("claims", LIMIT.toSeconds());
        requireClaimed(groups, tensors.get(0), "other=claims #0");
        assertThat(tensors.get(0).toFloatArray()).containsExactly(3);
        if (cancels) {
            asking.cancel();
        } else {
            asking.request(1);
            asking.awaitCompletion();
        }
        tensors.get(0).released().block(LIMIT);
        requireFree(groups, tensors.get(0));
    }

    @ParameterizedTest(name = "cancels={0}")
    @ValueSource(booleans = {false, true})
    void resultThatWaitsForDemand_isClaimedUntilTheSignalOrCancellation(boolean cancels) {
        List<ProcessGroup> groups = world(2);
        List<Tensor> tensors = List.of(tensor(1), tensor(2));
        Asking<Work> asking = endedWithoutDemand("all-reduce", groups, group -> sum(group, tensors.get(group.rank())));
        requireClaimed(groups, tensors.get(0), "other=all-reduce #0");
        assertThat(tensors.get(0).toFloatArray()).containsExactly(3);
        if (cancels) {
            asking.cancel();
        } else {
            asking.request(1);
            asking.awaitCompletion();
        }
        tensors.get(0).released().block(LIMIT);
        requireFree(groups, tensors.get(0));
    }
}
