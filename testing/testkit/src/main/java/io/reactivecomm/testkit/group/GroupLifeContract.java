package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.PeerLostException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.testkit.GroupWorld;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.collective.CaseRun;
import io.reactivecomm.testkit.collective.CollectiveCase;
import io.reactivecomm.testkit.collective.CollectiveCase.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The contract of groups that live beside each other and end: what one does or suffers is no matter of the others. */
public abstract class GroupLifeContract extends GroupWorld {

    /** Few enough to travel with the announcement, and several pieces. */
    private static final long[] COUNTS = {3, 300_000};

    private static CaseRun sum(long count, int size, int salt, GuardedMemory memory) {
        return new CaseRun(
                new CollectiveCase(Kind.ALL_REDUCE, DType.FLOAT32, ReduceOp.SUM, count, 0, true), size, salt, memory);
    }

    @Tag("smoke")
    @ParameterizedTest(name = "count={0}")
    @ValueSource(longs = {5, 20_000})
    void overlappingGroups_callsOfAllInFlight_eachRankInItsOwnOrder(long count) {
        List<ProcessGroup> world = world(5);
        List<List<ProcessGroup>> teams =
                List.of(world, group(world, 3, 1, 0), group(world, 0, 1, 2, 4), group(world, 1, 0));
        Random random = new Random(count);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            List<CaseRun> runs = new ArrayList<>();
            List<List<Mono<Work>>> calls = world.stream()
                    .<List<Mono<Work>>>map(rank -> new ArrayList<>())
                    .toList();
            for (int turn = 0; turn < 60; turn++) {
                List<ProcessGroup> team = teams.get(turn % teams.size());
                CaseRun run = sum(count + turn, team.size(), 1 + turn, memory);
                runs.add(run);
                team.forEach(
                        member -> calls.get(member.globalRank(member.rank())).add(run.assemble(member)));
            }
            allShuffled(calls, random);
            runs.forEach(CaseRun::verify);
        }
    }

    @Test
    void close_failsWhatIsPendingInTheGroup_andNothingElse() {
        for (long count : COUNTS) {
            List<ProcessGroup> world = world(4);
            List<ProcessGroup> closed = group(world, 0, 1, 2);
            List<ProcessGroup> other = group(world, 2, 1, 0);
            try (GuardedMemory memory = new GuardedMemory(home())) {
                CaseRun lost = sum(count, 3, 1, memory);
                CaseRun kept = sum(count, 3, 2, memory);
                CaseRun ofWorld = sum(count, 4, 3, memory);
                List<Mono<Work>> own = closed.stream().map(lost::assemble).toList();
                CompletableFuture<Outcome> here = begin(own.get(1));
                CompletableFuture<Outcome> there = begin(own.get(0));
                CompletableFuture<Outcome> keptEarly = begin(kept.assemble(member(other, 1)));
                CompletableFuture<Outcome> worldEarly = begin(ofWorld.assemble(world.get(1)));
                CompletableFuture<Outcome> receive = begin(closed.get(2).receive(memory.onHost(DType.INT8, 1), 1, 0));

                closed.get(1).close();
                closed.get(1).close();

                assertThat(end(here).error(GroupClosedException.class)).hasMessageContaining("rank=1");
                assertThat(end(there)).isInstanceOf(Outcome.Failure.class);
                assertThat(end(receive).error(PeerLostException.class).rank()).isEqualTo(1);
                end(begin(closed.get(1).barrier())).error(GroupClosedException.class);
                end(begin(closed.get(1).receive(memory.onHost(DType.INT8, 1), 0, 0)))
                        .error(GroupClosedException.class);
                end(begin(own.get(2)));
                assertThat(end(begin(closed.get(2).barrier()))
                                .error(PeerLostException.class)
                                .rank())
                        .isEqualTo(1);
                List<CompletableFuture<Outcome>> rest = new ArrayList<>();
                List.of(0, 2).forEach(rank -> rest.add(begin(kept.assemble(member(other, rank)))));
                List.of(0, 2, 3).forEach(rank -> rest.add(begin(ofWorld.assemble(world.get(rank)))));
                rest.forEach(each -> end(each).work());
                end(keptEarly).work();
                end(worldEarly).work();
                kept.verify();
                ofWorld.verify();
            }
        }
    }

    private static ProcessGroup member(List<ProcessGroup> members, int worldRank) {
        return members.stream()
                .filter(each -> each.globalRank(each.rank()) == worldRank)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void close_byTheMembersThatRemain_stillLetsThemTalk() {
        assumeTrue(messagesOutlastMembers());
        List<ProcessGroup> world = world(3);
        List<ProcessGroup> made = group(world, 0, 1, 2);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            made.get(0).close();
            assertThat(end(begin(made.get(1).barrier()))
                            .error(PeerLostException.class)
                            .rank())
                    .isZero();
            CompletableFuture<Outcome> send = begin(made.get(1).send(memory.onHost(DType.INT32, 70_000), 2, 0));
            end(begin(made.get(2).receive(memory.onHost(DType.INT32, 70_000), ProcessGroup.ANY, 0)))
                    .work();
            end(send).work();
            end(begin(made.get(1).send(memory.onHost(DType.INT32, 1), 0, 0))).error(PeerLostException.class);
        }
    }

    @Test
    void close_afterAllItsCalls_takesNothingFromTheOthers() {
        List<ProcessGroup> world = world(4);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            for (int turn = 0; turn < 30; turn++) {
                List<ProcessGroup> made = group(world, 3, 2, 1, 0);
                CaseRun run = sum(turn % 2 == 0 ? 7 : 90_000, 4, 1 + turn, memory);
                List<CompletableFuture<Outcome>> ends = new ArrayList<>();
                for (ProcessGroup member : made) {
                    ends.add(begin(run.assemble(member).doOnSuccess(work -> member.close())));
                }
                ends.forEach(each -> end(each).work());
                run.verify();
            }
        }
    }

    @Test
    void member_thatLeavesTheWorld_endsWhatNeedsIt_andNoOtherGroup() {
        List<ProcessGroup> world = world(4);
        List<ProcessGroup> with = group(world, 0, 3, 1);
        List<ProcessGroup> without = group(world, 2, 1, 0);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CaseRun run = sum(200_000, 3, 1, memory);
            CompletableFuture<Outcome> early = begin(run.assemble(member(without, 1)));
            CompletableFuture<Outcome> pending = begin(member(with, 0).barrier());

            world.get(3).close();

            assertThat(end(pending).error(PeerLostException.class).rank()).isEqualTo(3);
            assertThat(end(begin(member(with, 1).barrier()))
                            .error(PeerLostException.class)
                            .rank())
                    .isEqualTo(3);
            List<CompletableFuture<Outcome>> rest =
                    List.of(begin(run.assemble(member(without, 0))), begin(run.assemble(member(without, 2))), early);
            rest.forEach(each -> end(each).work());
            run.verify();
            requireTogether(without);
            assertThat(end(begin(member(with, 3).barrier())).error(GroupClosedException.class))
                    .hasMessageContaining("rank=3");
        }
    }

    @Tag("smoke")
    @Test
    void abort_endsThatGroupOnAllItsRanks_andNoOther() {
        List<ProcessGroup> world = world(3);
        List<ProcessGroup> aborted = group(world, 2, 0);
        List<ProcessGroup> other = group(world, 0, 2);
        CompletableFuture<Outcome> pending = begin(member(aborted, 0).barrier());
        CompletableFuture<Outcome> elsewhere = begin(member(other, 0).barrier());

        member(aborted, 2).abort("diverged");

        assertThat(end(pending).error(GroupClosedException.class)).hasMessageContaining("reason=diverged");
        assertThat(end(begin(member(aborted, 2).barrier())).error(GroupClosedException.class))
                .hasMessageContaining("diverged");
        assertThat(end(begin(member(aborted, 0).barrier())).error(GroupClosedException.class))
                .hasMessageContaining("diverged");
        end(begin(member(other, 2).barrier())).work();
        end(elsewhere).work();
        requireTogether(world);
    }

    @Test
    void world_thatIsClosed_endsItsGroups() {
        List<ProcessGroup> world = world(3);
        List<ProcessGroup> made = group(world, 0, 1, 2);
        List<ProcessGroup> inner = group(made, 1, 0);
        CompletableFuture<Outcome> pending = begin(made.get(1).barrier());
        CompletableFuture<Outcome> innermost = begin(member(inner, 0).barrier());

        world.forEach(ProcessGroup::close);

        end(pending).error(CommException.class);
        end(innermost).error(CommException.class);
        inner.forEach(group -> end(begin(group.barrier())).error(GroupClosedException.class));
        made.forEach(ProcessGroup::close);
    }

    @Test
    void newGroup_cancelledBeforeItsResult_isClosedForThatRank() {
        List<ProcessGroup> world = world(3);
        List<Mono<ProcessGroup>> making =
                world.stream().map(group -> group.newGroup(0, 1, 2)).toList();
        Disposable cancelled = making.get(0).subscribe();
        cancelled.dispose();
        List<ProcessGroup> rest = Objects.requireNonNull(
                Flux.mergeSequential(making.subList(1, 3), 2, 1).collectList().block(LIMIT));

        assertThat(end(begin(rest.get(0).barrier()))
                        .error(PeerLostException.class)
                        .rank())
                .isZero();
        if (messagesOutlastMembers()) {
            requireMessage(rest.get(0), rest.get(1));
        }
        requireTogether(world);
    }

    @Test
    void quickMember_usesTheGroup_beforeASlowOneHasIt() {
        List<ProcessGroup> world = world(3);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            CaseRun run = sum(50_000, 3, 1, memory);
            Tensor sent = memory.onHost(DType.INT64, 5);
            Inputs.fill(sent.segment(), DType.INT64, 9, 0);
            Tensor received = memory.onHost(DType.INT64, 5);
            List<Mono<ProcessGroup>> making =
                    world.stream().map(group -> group.newGroup(0, 1, 2)).toList();
            CompletableFuture<ProcessGroup> slow = new CompletableFuture<>();
            making.get(2).subscribe(slow::complete, slow::completeExceptionally);
            // The slow member has its group, too, but its program does not look at it until the quick ones have made
            // their calls.
            List<ProcessGroup> quick = Objects.requireNonNull(Flux.mergeSequential(making.subList(0, 2), 2, 1)
                    .collectList()
                    .block(LIMIT));
            List<CompletableFuture<Outcome>> ends = new ArrayList<>();
            quick.forEach(group -> ends.add(begin(run.assemble(group))));
            ends.add(begin(quick.getFirst().send(sent, 2, 4)));
            ProcessGroup late =
                    slow.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
            ends.add(begin(run.assemble(late)));
            ends.add(begin(late.receive(received, 0, 4)));

            ends.forEach(each -> end(each).work());
            run.verify();
            assertThat(received.toLongArray()).isEqualTo(sent.toLongArray());
        }
    }

    @Test
    void quickMembers_callRightAway_overAndOver() {
        List<ProcessGroup> world = world(4);
        try (GuardedMemory memory = new GuardedMemory(home())) {
            for (int turn = 0; turn < 50; turn++) {
                CaseRun run = sum(turn % 2 == 0 ? 4 : 40_000, 4, 1 + turn, memory);
                List<Mono<Work>> calls = world.stream()
                        .map(group -> group.newGroup(3, 1, 2, 0)
                                .flatMap(made -> run.assemble(made).doFinally(signal -> made.close())))
                        .toList();
                Mono.when(calls).block(LIMIT);
                run.verify();
            }
        }
    }

    @Test
    void groups_madeAndClosed200Times_leaveNothing() {
        List<ProcessGroup> world = world(3);
        for (int turn = 0; turn < 200; turn++) {
            List<ProcessGroup> made = group(world, turn % 2 == 0 ? new int[] {0, 2} : new int[] {2, 1, 0});
            List<CompletableFuture<Outcome>> ends =
                    made.stream().map(each -> begin(each.barrier())).toList();
            ends.forEach(each -> end(each).work());
            made.forEach(ProcessGroup::close);
        }
        requireTogether(world);
    }
}
