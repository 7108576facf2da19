package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CoalesceScope;
import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.WorldContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** The contract of messages in scopes: each two ranks compare what goes between them, and nothing pairs with what is outside. */
public abstract class ScopeMessageContract extends WorldContract {

    private static final Duration SHORT = Duration.ofMillis(300);

    private static final List<DType> TYPES = List.of(DType.FLOAT32, DType.INT8, DType.FLOAT32, DType.INT64);
    private static final long[] COUNTS = {5, 0, 70_000, 1};

    /** A tensor that a rank receives, and what is to be in it. */
    private record Awaited(Tensor received, Tensor expected) {

        private void verify() {
            assertThat(received.segment().mismatch(expected.segment()))
                    .as("%s", received)
                    .isEqualTo(-1);
        }
    }

    private static int salt(int source, int destination, int message) {
        return (source * 31 + destination) * 31 + message;
    }

    /** Every rank sends to every rank, itself among them: several messages, of several types, and empty ones. */
    private static CoalesceScope exchange(
            ProcessGroup group, CoalesceScope scope, GuardedMemory memory, List<Awaited> awaited) {
        for (int peer = 0; peer < group.size(); peer++) {
            for (int i = 0; i < COUNTS.length; i++) {
                Tensor target = memory.tensor(TYPES.get(i), COUNTS[i]);
                awaited.add(
                        new Awaited(target, memory.input(TYPES.get(i), COUNTS[i], salt(peer, group.rank(), i), peer)));
                scope.receive(target, peer, i % 2);
            }
        }
        for (int i = 0; i < COUNTS.length; i++) {
            for (int peer = group.size() - 1; peer >= 0; peer--) {
                scope.send(
                        memory.input(TYPES.get(i), COUNTS[i], salt(group.rank(), peer, i), group.rank()), peer, i % 2);
            }
        }
        return scope;
    }

    @Tag("smoke")
    @ParameterizedTest(name = "size={0}")
    @ValueSource(ints = {1, 2, 3, 5})
    void messages_betweenAllRanks_matchInTheirOrder(int size) {
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Awaited> awaited = new ArrayList<>();

            all(groups, group -> group.coalesce(scope -> exchange(group, scope, memory, awaited)));

            awaited.forEach(Awaited::verify);
        }
    }

    @ParameterizedTest(name = "size={0}")
    @ValueSource(ints = {2, 3})
    void messages_besideCollectives_leaveThemAsTheyAre(int size) {
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Awaited> awaited = new ArrayList<>();
            List<Tensor> sums = groups.stream()
                    .map(group -> memory.input(DType.FLOAT32, 5, 1, group.rank()))
                    .toList();
            List<Tensor> alone = groups.stream()
                    .map(group -> memory.input(DType.FLOAT32, 5, 1, group.rank()))
                    .toList();

            all(groups, group -> group.allReduce(alone.get(group.rank()), ReduceOp.SUM));
            all(
                    groups,
                    group -> group.coalesce(scope ->
                            exchange(group, scope, memory, awaited).allReduce(sums.get(group.rank()), ReduceOp.SUM)));

            awaited.forEach(Awaited::verify);
            sums.forEach(
                    sum -> assertThat(sum.segment().mismatch(alone.getFirst().segment()))
                            .isEqualTo(-1));
        }
    }

    /** A line of ranks of which one has nothing to exchange, and each other one its own. */
    @Test
    void scopes_ofRanksWithMessagesOfTheirOwn_agreeOnTheRest() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Awaited> awaited = new ArrayList<>();
            List<Work> works = all(
                    groups,
                    group -> group.coalesce(scope -> {
                        scope.allReduce(memory.input(DType.INT64, 3, 0, group.rank()), ReduceOp.SUM);
                        if (group.rank() == 0) {
                            scope.send(memory.input(DType.INT32, 70_000, 7, 0), 1, 0);
                        } else if (group.rank() == 1) {
                            Tensor target = memory.tensor(DType.INT32, 70_000);
                            awaited.add(new Awaited(target, memory.input(DType.INT32, 70_000, 7, 0)));
                            scope.receive(target, 0, 0);
                        }
                    }));

            awaited.forEach(Awaited::verify);
            assertThat(works.get(0).tensors()).hasSize(1);
            assertThat(works.get(1).tensors())
                    .hasSize(2)
                    .last()
                    .isSameAs(awaited.getFirst().received());
        }
    }

    @Test
    void messages_inAScope_pairWithNothingOutside() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Tensor inside = memory.tensor(DType.INT32, 9);
            Tensor outside = memory.tensor(DType.INT32, 9);
            Mono<Work> scope0 = groups.get(0).coalesce(scope -> scope.send(memory.input(DType.INT32, 9, 1, 0), 1, 3));
            Mono<Work> scope1 = groups.get(1).coalesce(scope -> scope.receive(inside, 0, 3));

            Mono.when(
                            groups.get(0).send(memory.input(DType.INT32, 9, 2, 0), 1, 3),
                            scope0,
                            scope1,
                            groups.get(1).receive(outside, 0, 3))
                    .block(LIMIT);

            new Awaited(inside, memory.input(DType.INT32, 9, 1, 0)).verify();
            new Awaited(outside, memory.input(DType.INT32, 9, 2, 0)).verify();
        }
    }

    @Test
    void scope_withMessages_mayBeRepeated() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Tensor number = memory.input(DType.INT32, 1, 5, 0);
            Tensor target = memory.tensor(DType.INT32, 1);

            Mono.when(
                            groups.get(0)
                                    .coalesce(scope -> scope.send(number, 1, 0))
                                    .repeat(9)
                                    .last(),
                            groups.get(1)
                                    .coalesce(scope -> scope.receive(target, 0, 0))
                                    .repeat(9)
                                    .last())
                    .block(LIMIT);

            new Awaited(target, number).verify();
        }
    }

    @Test
    void scope_inACompositeInAStep_takesItsMessages() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Awaited> awaited = new ArrayList<>();

            all(
                    groups,
                    group -> group.numbered(4)
                            .composite("exchange")
                            .mono(inside -> inside.coalesce(scope -> exchange(group, scope, memory, awaited))
                                    .then(inside.coalesce(scope -> exchange(group, scope, memory, awaited)))));

            awaited.forEach(Awaited::verify);
        }
    }

    /** More than an opening carries. */
    @Test
    void veryManyMessages_ofOnePair_end() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Awaited> awaited = new ArrayList<>();
            all(
                    groups,
                    group -> group.coalesce(scope -> {
                        for (int i = 0; i < 5_000; i++) {
                            if (group.rank() == 0) {
                                scope.send(memory.input(DType.INT32, i % 7, i, 0), 1, i);
                            } else {
                                Tensor target = memory.tensor(DType.INT32, i % 7);
                                awaited.add(new Awaited(target, memory.input(DType.INT32, i % 7, i, 0)));
                                scope.receive(target, 0, i);
                            }
                        }
                    }));

            awaited.forEach(Awaited::verify);
        }
    }

    private List<Throwable> errors(List<ProcessGroup> groups, BiConsumer<ProcessGroup, CoalesceScope> program) {
        return outcomes(groups, group -> group.coalesce(scope -> program.accept(group, scope))).stream()
                .map(outcome -> (Throwable) outcome.error(Throwable.class))
                .toList();
    }

    private void requireListed(
            ToLongFunction<ProcessGroup> count, ToLongFunction<ProcessGroup> tag, String sent, String received) {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Throwable> errors = errors(groups, (group, scope) -> {
                Tensor tensor = memory.tensor(DType.INT32, count.applyAsLong(group));
                int number = (int) tag.applyAsLong(group);
                if (group.rank() == 0) {
                    scope.send(tensor, 1, number);
                } else {
                    scope.receive(tensor, 0, number);
                }
            });

            assertThat(errors)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContaining("coalesced(to 1: [" + sent + "])")
                            .hasMessageContaining("coalesced(from 0: [" + received + "])"));
            all(groups, ProcessGroup::barrier);
        }
    }

    @Test
    void messagesOfOtherLengths_areListedOnBothRanks() {
        requireListed(group -> 3 + group.rank(), group -> 0, "INT32 × 3", "INT32 × 4");
    }

    @Test
    void messagesOfOtherTags_areListedOnBothRanks() {
        requireListed(group -> 3, ProcessGroup::rank, "INT32 × 3", "INT32 × 3 tag=1");
    }

    /** As many bytes of another type. */
    @Test
    void messagesOfOtherTypes_differ() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Throwable> errors = errors(groups, (group, scope) -> {
                if (group.rank() == 0) {
                    scope.send(memory.tensor(DType.INT32, 2), 1, 0);
                } else {
                    scope.receive(memory.tensor(DType.FLOAT32, 2), 0, 0);
                }
            });

            assertThat(errors).allSatisfy(error -> assertThat(error).isInstanceOf(MismatchException.class));
        }
    }

    /** Each rank sends what the other sends, and expects what the other expects. */
    @Test
    void messagesThatBothRanksSend_differ() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Throwable> errors = errors(groups, (group, scope) -> {
                int peer = 1 - group.rank();
                scope.send(memory.tensor(DType.INT32, 2), peer, 0).receive(memory.tensor(DType.INT32, 3), peer, 0);
            });

            assertThat(errors).allSatisfy(error -> assertThat(error).isInstanceOf(MismatchException.class));
        }
    }

    @Test
    void messagesInAnotherOrder_differ_andTheRanksWithoutThemFailToo() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory()) {
            BiConsumer<ProcessGroup, CoalesceScope> program = (group, scope) -> {
                scope.allReduce(memory.input(DType.FLOAT32, 4, 0, group.rank()), ReduceOp.SUM);
                if (group.rank() == 0) {
                    scope.send(memory.tensor(DType.INT32, 1), 1, 4).send(memory.tensor(DType.INT32, 2), 1, 5);
                } else if (group.rank() == 1) {
                    scope.receive(memory.tensor(DType.INT32, 2), 0, 5).receive(memory.tensor(DType.INT32, 1), 0, 4);
                } else {
                    scope.send(memory.tensor(DType.INT8, 1), 1, 0);
                }
            };
            // Rank 2 disagrees with rank 1, too: over links, where two ranks find that without the third, it comes when
            // the others know of each other.
            int first = areOverLinks() ? 2 : groups.size();
            List<Throwable> errors = new ArrayList<>(errors(groups.subList(0, first), program));
            errors.addAll(errors(groups.subList(first, groups.size()), program));

            assertThat(errors)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(MismatchException.class)
                            .hasMessageContaining("to 1: [INT32 × 1 tag=4, INT32 × 2 tag=5]")
                            .hasMessageContaining("from 0: [INT32 × 2 tag=5, INT32 × 1 tag=4]"));
        }
    }

    /** One message more than the other rank knows of. */
    @ParameterizedTest(name = "isSent={0}")
    @ValueSource(booleans = {true, false})
    void oneMessageTooMany_differs(boolean isSent) {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Throwable> errors = errors(groups, (group, scope) -> {
                if (group.rank() == 0) {
                    scope.send(memory.tensor(DType.INT32, 1), 1, 0);
                } else {
                    scope.receive(memory.tensor(DType.INT32, 1), 0, 0);
                }
                boolean hasMore = group.rank() == (isSent ? 0 : 1);
                if (hasMore && isSent) {
                    scope.send(memory.tensor(DType.INT32, 0), 1, 0);
                } else if (hasMore) {
                    scope.receive(memory.tensor(DType.INT32, 0), 0, 0);
                }
            });

            assertThat(errors).allSatisfy(error -> assertThat(error).isInstanceOf(MismatchException.class));
        }
    }

    /** A rank that has to do with nobody may have ended, and well, before another expects a message of it. */
    @Test
    void message_ofARankThatKnowsOfNone_differs_alsoLate() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Tensor nothing = memory.tensor(DType.INT32, 0);
            CompletableFuture<Outcome> early = begin(groups.get(0)
                    .coalesce(scope -> scope.send(nothing, 0, 0).receive(memory.tensor(DType.INT32, 0), 0, 0)));
            all(groups, group -> group.named("meanwhile").barrier());

            CompletableFuture<Outcome> late =
                    begin(groups.get(1).coalesce(scope -> scope.receive(memory.tensor(DType.INT32, 1), 0, 0)));

            MismatchException error = end(late).error(MismatchException.class);
            assertThat(error)
                    .hasMessageContaining("to 0: [INT32 × 0], from 0: [INT32 × 0]")
                    .hasMessageContaining("from 0: [INT32 × 1]");
            end(early);
        }
    }

    private void requireRefused(BiConsumer<GuardedMemory, CoalesceScope> calls, String... texts) {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            List<Throwable> errors = errors(groups, (group, scope) -> {
                scope.allReduce(memory.input(DType.FLOAT32, 1, 0, group.rank()), ReduceOp.SUM);
                if (group.rank() == 1) {
                    calls.accept(memory, scope);
                }
            });

            assertThat(errors)
                    .allSatisfy(error -> assertThat(error)
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContainingAll(texts));
            all(groups, ProcessGroup::barrier);
        }
    }

    @Test
    void receive_fromAny_isRefused_andSaysWhatToDo() {
        requireRefused(
                (memory, scope) -> scope.receive(memory.tensor(DType.INT8, 1), ProcessGroup.ANY, 4),
                "peer=ANY",
                "name the source, or receive outside the scope");
    }

    @Test
    void peer_outsideTheGroup_isRefused() {
        requireRefused((memory, scope) -> scope.send(memory.tensor(DType.INT8, 1), 2, 0), "peer=2", "from 0 to 1");
    }

    @Test
    void messageToItself_thatIsNotReceived_isRefused() {
        requireRefused(
                (memory, scope) ->
                        scope.send(memory.tensor(DType.INT8, 1), 1, 0).receive(memory.tensor(DType.INT8, 2), 1, 0),
                "to 1: [INT8 × 1], from 1: [INT8 × 2]");
    }

    @Test
    void tensor_thatIsSentAndReceived_isRefused() {
        requireRefused(
                (memory, scope) -> {
                    Tensor both = memory.tensor(DType.INT8, 4);
                    scope.send(both, 0, 0).receive(both.slice(1, 2), 0, 0);
                },
                "overlap");
    }

    @Test
    void scope_ofARankThatDoesNotCome_failsAtItsDeadline() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Mono<Work> call =
                    groups.get(0).timeout(SHORT).coalesce(scope -> scope.send(memory.tensor(DType.INT32, 1), 1, 0));

            assertThat(end(begin(call)).error(CommTimeoutException.class).missing())
                    .containsExactly(1);
            requireTold(groups);

            Mono<Work> late = groups.get(1).coalesce(scope -> scope.receive(memory.tensor(DType.INT32, 1), 0, 0));
            end(begin(late)).error(CommTimeoutException.class);
        }
    }

    @Tag("smoke")
    @Test
    void scope_cancelled_isDetached_andItsMessagesArrive() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            Tensor target = memory.tensor(DType.INT32, 70_000);
            StepVerifier.create(groups.get(1).coalesce(scope -> scope.receive(target, 0, 0)))
                    .thenCancel()
                    .verify(LIMIT);

            end(begin(groups.get(0).coalesce(scope -> scope.send(memory.input(DType.INT32, 70_000, 3, 0), 1, 0))))
                    .work();

            memory.awaitRelease();
            new Awaited(target, memory.input(DType.INT32, 70_000, 3, 0)).verify();
        }
    }

    @Test
    void scope_ofAGroupThatIsAborted_fails() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory()) {
            CompletableFuture<Outcome> begun =
                    begin(groups.get(0).coalesce(scope -> scope.send(memory.tensor(DType.INT32, 1), 1, 0)));

            groups.get(1).abort("enough");

            assertThat(end(begun).error(CommException.class)).hasMessageContaining("enough");
        }
    }
}
