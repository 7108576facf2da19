package io.reactivecomm.testkit.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.RisingDeadline;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Ranks that never call, leave or abort: every call ends, with the error that says what to do, and memory is let go. */
public abstract class FaultContract extends WorldContract {

    /** Long enough for the ranks to ask each other, short enough to wait for. */
    private static final Duration SHORT = Duration.ofMillis(600);

    /** Few enough to travel with the announcement, and several pieces. */
    final Stream<Long> counts() {
        return Stream.of(3L, 400_000L);
    }

    /**
     * {@return the group, with a short deadline on rank 0} If that rank comes last, the missing ranks and the calls that still succeed do not depend on how fast the
     * others are.
     */
    private static ProcessGroup soonOnRankZero(ProcessGroup group) {
        return onRankZero(group, SHORT);
    }

    private static ProcessGroup onRankZero(ProcessGroup group, Duration deadline) {
        return group.timeout(group.rank() == 0 ? deadline : LIMIT);
    }

    /** Ends when rank 0 has dealt with what those ranks sent it before; others issue nothing for that. */
    private static void tellRankZero(List<ProcessGroup> ranks, ProcessGroup rankZero, GuardedMemory memory) {
        for (ProcessGroup each : ranks) {
            CompletableFuture<Outcome> sent = begin(each.send(memory.onHost(DType.INT8, 1), 0, 0));
            end(begin(rankZero.receive(memory.onHost(DType.INT8, 1), each.rank(), 0)))
                    .work();
            end(sent).work();
        }
    }

    private static CaseRun sum(long count, int size, GuardedMemory memory) {
        return new CaseRun(
                new CollectiveCase(Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, count, 0, true), size, 1, memory);
    }

    @Tag("smoke")
    @ParameterizedTest(name = "count={0}")
    @MethodSource("counts")
    void allReduce_oneRankNeverCalls_timesOutNamingIt(long count) {
        int size = 4;
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CaseRun run = sum(count, size, memory);
            List<Mono<Work>> calls = groups.stream()
                    .map(group -> run.assemble(soonOnRankZero(group.named("layer1"))))
                    .toList();
            long begunAt = System.nanoTime();
            List<CompletableFuture<Outcome>> begun = new ArrayList<>(List.of(begin(calls.get(1)), begin(calls.get(2))));
            tellRankZero(groups.subList(1, 3), groups.getFirst(), memory);
            begun.add(begin(calls.get(0)));

            for (CompletableFuture<Outcome> each : begun) {
                CommTimeoutException error = end(each).error(CommTimeoutException.class);
                assertThat(error.missing()).containsExactly(3);
                assertThat(error)
                        .hasMessageMatching(
                                "all-reduce timed out: rank=[0-2], missing=\\[3], worldSize=4, call=layer1#0, waited=0.6 s.*;"
                                        + " (check that rank 3 is alive and issues this call, or raise the timeout|let all ranks subscribe to these calls in one order.*)");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begunAt)).isGreaterThanOrEqualTo(SHORT);
            memory.awaitRelease();
            requireTold(groups);
            // The call has failed for all, so the rank that comes late is told at once, not after a deadline of its
            // own.
            CommTimeoutException late = end(begin(calls.get(3))).error(CommTimeoutException.class);
            assertThat(late.missing()).containsExactly(3);
            all(groups, ProcessGroup::barrier);
        }
    }

    @Test
    void call_afterAFailure_subscribedToAgainByAll_isANewAgreement() {
        RisingDeadline.untilInTime(this::succeedsAfterAFailure);
    }

    /** {@return false if the deadline struck again, in the second agreement} */
    private boolean succeedsAfterAFailure(Duration deadline) {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CaseRun run = sum(5, 3, memory);
            List<Mono<Work>> calls = groups.stream()
                    .map(group -> run.assemble(onRankZero(group, deadline)))
                    .toList();
            end(begin(calls.get(0))).error(CommTimeoutException.class);
            end(begin(calls.get(1))).error(CommTimeoutException.class);
            requireTold(groups);
            end(begin(calls.get(2))).error(CommTimeoutException.class);
            run.fill();

            List<CompletableFuture<Outcome>> again = new ArrayList<>(List.of(begin(calls.get(1)), begin(calls.get(2))));
            requireTold(groups);
            long begunAt = System.nanoTime();
            again.add(begin(calls.get(0)));
            List<Outcome> ends = again.stream().map(WorldContract::end).toList();
            if (System.nanoTime() - begunAt >= deadline.toNanos()) {
                return false;
            }
            ends.forEach(Outcome::work);

            run.verify();
            return true;
        }
    }

    @Test
    void receive_thatNobodySendsTo_timesOut_andSendThatNobodyTakes() {
        List<ProcessGroup> groups = world(2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            ProcessGroup one = groups.get(0).timeout(SHORT);
            CompletableFuture<Outcome> receive = begin(one.receive(memory.onHost(DType.FLOAT32, 100_000), 1, 0));
            CompletableFuture<Outcome> any =
                    begin(one.receive(memory.onHost(DType.FLOAT32, 100_000), ProcessGroup.ANY, 1));
            CompletableFuture<Outcome> send = begin(one.send(memory.onHost(DType.FLOAT32, 100_000), 1, 2));

            for (CompletableFuture<Outcome> each : List.of(receive, any, send)) {
                assertThat(end(each).error(CommTimeoutException.class)).hasMessageContaining("waited=0.6 s");
            }
            memory.awaitRelease();
            CompletableFuture<Outcome> next = begin(groups.get(1).send(memory.onHost(DType.FLOAT32, 100_000), 0, 9));
            end(begin(groups.get(0).receive(memory.onHost(DType.FLOAT32, 100_000), 1, 9)))
                    .work();
            end(next).work();
        }
    }

    @ParameterizedTest(name = "count={0}")
    @MethodSource("counts")
    void close_withPendingCalls_failsThemHere_andTellsThePeers(long count) {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CaseRun run = sum(count, 3, memory);
            List<Mono<Work>> calls = groups.stream().map(run::assemble).toList();
            CompletableFuture<Outcome> leaver = begin(calls.get(1));
            CompletableFuture<Outcome> stayer = begin(calls.get(0));

            groups.get(1).close();
            groups.get(1).close();

            assertThat(end(leaver).error(GroupClosedException.class)).hasMessageContaining("rank=1");
            // It hears of the leaver's call, or, if it began its own only now, that the leaver has left.
            assertThat(end(stayer).error(CommException.class)).hasMessageFindingMatch("rank[ =]1\\b");
            end(begin(groups.get(2).named("told").barrier())).error(CommException.class);
            end(begin(calls.get(2))).error(CommException.class);
            end(begin(groups.get(1).barrier())).error(GroupClosedException.class);
            end(begin(groups.get(0).barrier())).error(CommException.class);
            memory.awaitRelease();
        }
    }

    @Test
    void close_afterAllItsCalls_isNoLoss_andOthersThatNeedItFailAtOnce() {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CaseRun run = sum(100_000, 3, memory);
            List<Mono<Work>> calls = groups.stream().map(run::assemble).toList();
            CompletableFuture<Outcome> last = begin(calls.get(0));
            CompletableFuture<Outcome> other = begin(calls.get(1));
            CompletableFuture<Outcome> another = begin(calls.get(2));
            CompletableFuture<Outcome> pending = begin(groups.get(1).barrier());
            CompletableFuture<Outcome> receive = begin(groups.get(2).receive(memory.onHost(DType.INT8, 1), 0, 0));
            end(last).work();

            groups.get(0).close();

            // Its last call is one that the others may still be busy with: it has done its part.
            end(other).work();
            end(another).work();
            run.verify();
            for (CompletableFuture<Outcome> each : List.of(pending, receive)) {
                PeerLostException error = end(each).error(PeerLostException.class);
                assertThat(error.rank()).isZero();
                assertThat(error)
                        .hasMessageContaining(
                                messagesOutlastMembers() ? "has left the group in good order" : "rank 0 has ");
            }
            if (messagesOutlastMembers()) {
                CompletableFuture<Outcome> send = begin(groups.get(1).send(memory.onHost(DType.INT8, 1), 2, 1));
                end(begin(groups.get(2).receive(memory.onHost(DType.INT8, 1), 1, 1)))
                        .work();
                end(send).work();
            }
            assertThat(end(begin(groups.get(2).barrier()))
                            .error(PeerLostException.class)
                            .rank())
                    .isZero();
        }
    }

    @Tag("smoke")
    @ParameterizedTest(name = "size={0}")
    @ValueSource(ints = {1, 2, 4})
    void close_ofAllInAnyOrderWithNothingPending_failsNothing(int size) {
        List<ProcessGroup> groups = world(size);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            for (int i = 0; i < 20; i++) {
                CaseRun run = sum(50_000, size, memory);
                all(groups, run::assemble);
                run.verify();
            }
            groups.reversed().forEach(ProcessGroup::close);
            groups.forEach(group -> end(begin(group.barrier())).error(GroupClosedException.class));
        }
    }

    @ParameterizedTest(name = "count={0}")
    @MethodSource("counts")
    void abort_failsPendingAndLaterCallsOnAllRanks(long count) {
        List<ProcessGroup> groups = world(3);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CaseRun run = sum(count, 3, memory);
            List<Mono<Work>> calls = groups.stream().map(run::assemble).toList();
            CompletableFuture<Outcome> pending = begin(calls.get(0));
            CompletableFuture<Outcome> pendingToo = begin(calls.get(2));
            CompletableFuture<Outcome> receive =
                    begin(groups.get(2).receive(memory.onHost(DType.INT8, 1), ProcessGroup.ANY, 0));

            groups.get(2).abort("the loss is not a number");

            for (CompletableFuture<Outcome> each : List.of(pending, pendingToo, receive)) {
                assertThat(end(each).error(GroupClosedException.class))
                        .hasMessageContaining("reason=the loss is not a number");
            }
            memory.awaitRelease();
            for (ProcessGroup group : groups) {
                assertThat(end(begin(group.barrier())).error(GroupClosedException.class))
                        .hasMessageContaining("the loss is not a number");
            }
        }
    }
}
