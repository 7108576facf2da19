package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaderTest {

    private static final GroupKey WORLD = new GroupKey(0, 0);
    private static final GroupKey PAIR = new GroupKey(0, 9);
    private static final Signature FOUR = new Signature(Operation.ALL_GATHER, DType.INT8, 4, Signature.NO_ROOT, null);
    private static final Signature FIVE = new Signature(Operation.ALL_GATHER, DType.INT8, 5, Signature.NO_ROOT, null);
    private static final Failure CAUSE = new Failure(Failure.Kind.INVALID, 1, "for the test");

    private final List<String> mail = new ArrayList<>();
    private final List<Notice> last = new ArrayList<>();
    private final Leader leader = new Leader(3, 4, Formation.NOBODY, (rank, notice) -> {
        mail.add(rank + " " + notice.getClass().getSimpleName()
                + (notice instanceof Notice.Batch batch ? " " + words(batch) : ""));
        last.add(notice);
    });

    private static String words(Notice.Batch batch) {
        return batch.number() + " "
                + batch.places().stream()
                        .map(place -> switch (place) {
                            case NameReference.New fresh -> fresh.key().label();
                            case NameReference.Again again -> "+" + again.slot();
                            case NameReference.Paired paired -> paired.message().label();
                        })
                        .toList();
    }

    @BeforeEach
    void introduceGroups() {
        for (int rank = 0; rank < 3; rank++) {
            leader.take(rank, new Notice.Introduced(WORLD, List.of(0, 1, 2)), 0);
        }
        leader.take(1, new Notice.Introduced(PAIR, List.of(2, 1)), 0);
        leader.take(2, new Notice.Introduced(PAIR, List.of(2, 1)), 0);
    }

    private static CallKey.Ticket key(GroupKey group, String name) {
        return new CallKey.Ticket(group.generation(), group.id(), name, 0, 1);
    }

    private void ready(GroupKey group, String name, int priority, int... ranks) {
        for (int rank : ranks) {
            leader.take(rank, new Notice.Ready(key(group, name), priority, FOUR, ""), 0);
        }
    }

    @Test
    void whatIsReadyEverywhere_isAnnouncedToItsMembers_inOneBatch() {
        ready(WORLD, "a", 0, 0, 1);
        ready(PAIR, "b", 0, 2, 1);
        ready(WORLD, "a", 0, 2);
        ready(WORLD, "c", 0, 1, 2);
        leader.announce();
        assertThat(mail).containsExactly("0 Batch 0 [a#0]", "1 Batch 0 [b#0, a#0]", "2 Batch 0 [b#0, a#0]");
        leader.announce();
        assertThat(mail).hasSize(3);
        ready(WORLD, "c", 0, 0);
        leader.announce();
        assertThat(mail.subList(3, 6)).containsExactly("0 Batch 1 [c#0]", "1 Batch 1 [c#0]", "2 Batch 1 [c#0]");
        assertThat(leader.pending()).isZero();
    }

    @Test
    void priority_ordersWhatIsReadyTogether_andTheMostUrgentRankCounts() {
        ready(PAIR, "first", 0, 1, 2);
        ready(PAIR, "urgent", 5, 1);
        ready(PAIR, "urgent", -3, 2);
        ready(PAIR, "second", 0, 2, 1);
        ready(PAIR, "least", -1, 2, 1);
        leader.announce();
        assertThat(mail)
                .containsExactly(
                        "1 Batch 0 [urgent#0, first#0, second#0, least#0]",
                        "2 Batch 0 [urgent#0, first#0, second#0, least#0]");
    }

    @Test
    void lowPriority_waitsForNothing() {
        ready(PAIR, "urgent", 5, 1);
        ready(PAIR, "least", -1, 2, 1);
        leader.announce();
        assertThat(mail).containsExactly("1 Batch 0 [least#0]", "2 Batch 0 [least#0]");
    }

    private void sharing(GroupKey group, String name, int priority, int rank) {
        leader.take(rank, new Notice.Ready(key(group, name), priority, true, FOUR, "", Map.of()), 0);
    }

    @Test
    void callThatSharesMemoryOnOneRank_isABatchOfItsOwn() {
        ready(PAIR, "first", 0, 1, 2);
        ready(PAIR, "sharing", 0, 1);
        sharing(PAIR, "sharing", 0, 2);
        ready(PAIR, "last", 0, 2, 1);
        leader.announce();
        assertThat(mail)
                .containsExactly(
                        "1 Batch 0 [first#0, last#0]",
                        "2 Batch 0 [first#0, last#0]",
                        "1 Batch 1 [sharing#0]",
                        "2 Batch 1 [sharing#0]");
    }

    @Test
    void callsThatShareMemory_keepTheOrderInWhichTheyWereReady_whateverTheirPriority() {
        sharing(PAIR, "a", 0, 1);
        ready(PAIR, "a", 0, 2);
        ready(PAIR, "b", 1, 1, 2);
        ready(PAIR, "c", 9, 1);
        sharing(PAIR, "c", 9, 2);
        leader.announce();
        assertThat(mail)
                .containsExactly(
                        "1 Batch 0 [b#0]",
                        "2 Batch 0 [b#0]",
                        "1 Batch 1 [a#0]",
                        "2 Batch 1 [a#0]",
                        "1 Batch 2 [c#0]",
                        "2 Batch 2 [c#0]");
    }

    @Test
    void manyCalls_areCutIntoBatchesOfABoundedSize() {
        for (int i = 0; i < NoticeLayout.MAX_PLACES + 1; i++) {
            ready(PAIR, "call" + i, 0, 1, 2);
        }
        leader.announce();
        assertThat(last)
                .hasSize(4)
                .allSatisfy(notice ->
                        assertThat(((Notice.Batch) notice).places()).hasSizeLessThanOrEqualTo(NoticeLayout.MAX_PLACES));
    }

    @Test
    void differentCalls_areSettledWhenAllHaveSpoken_orAfterAWhile() {
        ready(WORLD, "a", 0, 0);
        leader.take(2, new Notice.Ready(key(WORLD, "a"), 0, FIVE, ""), 1000);
        assertThat(mail).isEmpty();
        assertThat(leader.next()).isEqualTo(1000 + Leader.DISPUTE_NANOS);
        leader.time(leader.next() - 1);
        assertThat(mail).isEmpty();
        leader.time(leader.next());
        assertThat(mail).containsExactly("0 Failed", "1 Failed", "2 Failed");
        Failure verdict = ((Notice.Failed) last.getFirst()).cause();
        assertThat(verdict.kind()).isEqualTo(Failure.Kind.MISMATCH);
        assertThat(verdict.culprit()).isEqualTo(2);
        assertThat(verdict.text())
                .contains(
                        "rank 0 called all-gather(INT8 × 4), rank 1 has not issued it, rank 2 called all-gather(INT8 × 5)");
        leader.time(leader.next());
        assertThat(mail).as("whether it will make the call").hasSize(4).last().isEqualTo("1 Wanted");
        assertThat(leader.next()).isEqualTo(Leader.NEVER);
        ready(WORLD, "a", 0, 1);
        assertThat(mail).hasSize(5).last().isEqualTo("1 Failed");
        assertThat(((Notice.Failed) last.getLast()).cause().text())
                .as("its own call")
                .contains("rank 1 called all-gather(INT8 × 4)");
    }

    @Test
    void refusal_failsTheCallForThoseWhoCome() {
        ready(WORLD, "a", 0, 0);
        leader.take(1, new Notice.Refused(key(WORLD, "a"), CAUSE), 0);
        leader.take(2, new Notice.Refused(key(WORLD, "a"), CAUSE), 0);
        ready(WORLD, "a", 0, 2);
        leader.announce();
        assertThat(mail).containsExactly("0 Failed", "1 Failed", "2 Failed", "2 Failed");
    }

    /** However many calls fail at once, the rank that makes them later hears of each; then they are forgotten. */
    @Test
    void manyRefusals_areRememberedUntilAllHaveSpoken() {
        int many = 5_000;
        for (int i = 0; i < many; i++) {
            leader.take(1, new Notice.Refused(key(PAIR, "a" + i), CAUSE), 0);
        }
        assertThat(leader.failed()).isEqualTo(many);
        mail.clear();
        for (int i = 0; i < many; i++) {
            ready(PAIR, "a" + i, 0, 2);
        }
        assertThat(mail).hasSize(many).containsOnly("2 Failed");
        assertThat(leader.pending()).isZero();
        for (int i = 0; i < many; i++) {
            leader.take(2, new Notice.Failed(key(PAIR, "a" + i), CAUSE), 0);
        }
        assertThat(leader.failed()).isZero();
        assertThat(mail).as("the group goes on").hasSize(many);
    }

    /** As many calls as a program has reach their deadline on two ranks at once: that ends none of their groups. */
    @Test
    void manyCallsGivenUpOnTwoRanksAtOnce_endNoGroup() {
        int many = 5_000;
        for (int i = 0; i < many; i++) {
            ready(WORLD, "a" + i, 0, 0, 1);
        }
        for (int rank = 0; rank < 2; rank++) {
            for (int i = 0; i < many; i++) {
                leader.take(rank, new Notice.Failed(key(WORLD, "a" + i), CAUSE), 0);
            }
        }
        assertThat(mail).hasSize(3 * many).containsOnly("0 Failed", "1 Failed", "2 Failed");
    }

    /** Nothing is forgotten that somebody may wait for: the group ends instead, and says why. */
    @Test
    void moreFailuresThanCanBeRemembered_endTheirGroup() {
        for (int i = 0; i < Leader.MOST_FAILED; i++) {
            leader.take(1, new Notice.Refused(key(PAIR, "a" + i), CAUSE), 0);
        }
        mail.clear();
        leader.take(1, new Notice.Refused(key(PAIR, "one more"), CAUSE), 0);
        assertThat(mail).containsExactly("2 Failed", "1 Failed", "2 Ended", "1 Ended");
        assertThat(((Notice.Ended) last.getLast()).cause().text())
                .contains("failed calls")
                .contains("more than 65536");
        assertThat(leader.failed()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withdrawal_failsTheCall_orOnceItIsAnnouncedTheGroup(boolean announced) {
        ready(PAIR, "a", 0, 1, 2);
        if (announced) {
            leader.announce();
            mail.clear();
        }
        leader.take(1, new Notice.Failed(key(PAIR, "a"), CAUSE), 0);
        leader.announce();
        assertThat(mail)
                .containsExactly(
                        announced ? new String[] {"2 Ended", "1 Ended"} : new String[] {"2 Failed", "1 Failed"});
    }

    @Test
    void rankThatLeaves_endsItsGroups_andThoseThatFollow() {
        ready(WORLD, "a", 0, 0, 1);
        leader.take(2, new Notice.Left(), 0);
        assertThat(mail).containsExactly("0 Ended", "1 Ended", "1 Ended");
        assertThat(last)
                .allSatisfy(notice ->
                        assertThat(((Notice.Ended) notice).abandoned()).isFalse());
        leader.take(0, new Notice.Introduced(new GroupKey(0, 10), List.of(0, 2)), 0);
        assertThat(mail).hasSize(4).last().isEqualTo("0 Ended");
        ready(WORLD, "b", 0, 0, 1);
        leader.announce();
        assertThat(mail).hasSize(4);
    }

    @Test
    void rankThatCannotGoOn_saysWhy_andEndsWhatRuns() {
        leader.take(2, new Notice.Left(CAUSE), 0);
        assertThat(last).isNotEmpty().allSatisfy(notice -> {
            assertThat(((Notice.Ended) notice).abandoned()).isTrue();
            assertThat(((Notice.Ended) notice).cause()).isEqualTo(CAUSE);
        });
    }

    @Test
    void leaderThatCannotGoOn_saysWhy() {
        leader.close(CAUSE);
        assertThat(last).containsExactly(new Notice.Left(CAUSE), new Notice.Left(CAUSE));
    }

    @Test
    void groupThatEnded_isAbandonedOnceMore_andNeverTheOtherWayRound() {
        leader.take(1, new Notice.Ended(PAIR, CAUSE, false), 0);
        leader.take(2, new Notice.Ended(PAIR, CAUSE, false), 0);
        assertThat(mail).containsExactly("2 Ended", "1 Ended");
        leader.take(2, new Notice.Ended(PAIR, CAUSE, true), 0);
        leader.take(1, new Notice.Ended(PAIR, CAUSE, false), 0);
        assertThat(mail).containsExactly("2 Ended", "1 Ended", "2 Ended", "1 Ended");
    }

    @Test
    void question_isAnsweredWithWhoIsMissing_andPassedOnToThose() {
        ready(WORLD, "before", 0, 2);
        ready(WORLD, "a", 0, 1);
        leader.take(1, new Notice.Asked(key(WORLD, "a")), 0);
        leader.take(1, new Notice.Asked(key(WORLD, "unknown")), 0);
        assertThat(last)
                .containsExactly(
                        new Notice.Waiting(
                                key(WORLD, "a"),
                                List.of(0, 2),
                                "rank 0 last issued nothing, rank 2 last issued all-gather(INT8 × 4) before#0"
                                        + ", rank 2 waits in 1 other call of this group, the first is before#0",
                                true),
                        new Notice.Wanted(key(WORLD, "a")),
                        new Notice.Wanted(key(WORLD, "a")));
        assertThat(mail).containsExactly("1 Waiting", "0 Wanted", "2 Wanted");
    }

    @Test
    void rankThatHasAssembledACall_isToldOfToThoseWhoAsked() {
        ready(WORLD, "a", 0, 1);
        leader.take(1, new Notice.Asked(key(WORLD, "a")), 0);
        mail.clear();
        last.clear();
        leader.take(2, new Notice.Assembled(key(WORLD, "a")), 0);
        leader.take(2, new Notice.Assembled(key(WORLD, "a")), 0);
        leader.take(2, new Notice.Assembled(key(WORLD, "unknown")), 0);
        assertThat(last)
                .containsExactly(new Notice.Waiting(
                        key(WORLD, "a"),
                        List.of(0, 2),
                        "rank 0 last issued nothing, rank 2 has assembled it and not subscribed to it, and last issued nothing",
                        true));
        assertThat(mail).containsExactly("1 Waiting");
    }

    @Test
    void callOfAStep_isAskedAfterFromThoseWhoLackIt_andFailsWhereOneRefuses() {
        CallKey.Ticket stepped = new CallKey.Ticket(WORLD.generation(), WORLD.id(), 4, "a", 0, 1, null);
        ready(stepped, 0, 2);
        assertThat(leader.next()).isEqualTo(Leader.DISPUTE_NANOS);
        leader.time(Leader.DISPUTE_NANOS);
        assertThat(mail).containsExactly("1 Wanted");
        leader.take(1, new Notice.Refused(stepped, CAUSE), 0);
        assertThat(mail).containsExactly("1 Wanted", "0 Failed", "1 Failed", "2 Failed");
    }

    /** A slow rank may still speak of what the leader has not only ended but forgotten. */
    @Test
    void groupThatIsForgotten_isIgnored() {
        GroupKey old = new GroupKey(0, 77);
        leader.take(0, new Notice.Ready(key(old, "a"), 0, FOUR, ""), 0);
        leader.take(0, new Notice.Asked(key(old, "a")), 0);
        leader.take(0, new Notice.Failed(key(old, "a"), CAUSE), 0);
        leader.take(0, new Notice.Ended(old, CAUSE, true), 0);
        leader.announce();
        assertThat(mail).isEmpty();
    }

    private static final CallKey.Ticket STEP = key(WORLD, "step");
    private static final CallKey.Ticket PART = inside(WORLD, "part", STEP, "part");

    private static CallKey.Ticket inside(GroupKey group, String name, CallKey.Ticket run, String words) {
        return new CallKey.Ticket(group.generation(), group.id(), name, 0, 1, new Enclosure(run, 0, words));
    }

    private void ready(CallKey.Ticket key, int... ranks) {
        for (int rank : ranks) {
            leader.take(rank, new Notice.Ready(key, 0, FOUR, ""), 0);
        }
    }

    @Test
    void callsOfDifferentRuns_neverMeet() {
        ready(inside(PAIR, "a", STEP, "step"), 1);
        ready(inside(PAIR, "a", key(WORLD, "other"), "step"), 2);
        ready(PAIR, "a", 0, 2);
        leader.announce();
        assertThat(mail).isEmpty();
        ready(PAIR, "a", 0, 1);
        leader.announce();
        assertThat(mail).containsExactly("1 Batch 0 [a#0]", "2 Batch 0 [a#0]");
    }

    /** However deep a call is in it; what is announced runs to its end. */
    @Test
    void runThatFails_failsWhatWaitsInIt_andNothingElse() {
        ready(inside(PAIR, "begun", STEP, "step"), 1, 2);
        leader.announce();
        mail.clear();
        last.clear();
        ready(inside(PAIR, "a", STEP, "step"), 1);
        ready(inside(PAIR, "b", PART, "part"), 2);
        ready(PAIR, "outside", 0, 1);
        leader.take(0, new Notice.Over(STEP, true, CAUSE), 0);
        assertThat(last)
                .containsExactlyInAnyOrder(
                        new Notice.Failed(inside(PAIR, "a", STEP, ""), CAUSE, 1),
                        new Notice.Failed(inside(PAIR, "b", PART, ""), CAUSE, 2));
        assertThat(mail).containsExactlyInAnyOrder("1 Failed", "2 Failed");
        assertThat(leader.pending()).isOne();
        leader.take(1, new Notice.Failed(inside(PAIR, "a", STEP, ""), CAUSE), 0);
        leader.take(2, new Notice.Failed(inside(PAIR, "b", PART, ""), CAUSE), 0);
        assertThat(leader.failed())
                .as("nobody else speaks of a failed run's calls")
                .isZero();
    }

    @Test
    void callOfAFailedRun_failsAtOnce_andEndsNoGroup() {
        leader.take(0, new Notice.Over(STEP, true, CAUSE), 0);
        ready(inside(PAIR, "a", PART, "part"), 2);
        assertThat(last).containsExactly(new Notice.Failed(inside(PAIR, "a", PART, ""), CAUSE, 2));
        // The member has given it up meanwhile.
        leader.take(2, new Notice.Failed(inside(PAIR, "a", PART, ""), CAUSE), 0);
        assertThat(mail).containsExactly("2 Failed");
        assertThat(leader.failed()).isZero();
    }

    @Test
    void rankThatIsNotReady_isAskedAfterAWhile_andFailsTheCallWhenItsBodyIsOver() {
        ready(inside(WORLD, "a", STEP, "step"), 0, 2);
        assertThat(leader.next()).isEqualTo(Leader.DISPUTE_NANOS);
        leader.time(Leader.DISPUTE_NANOS);
        assertThat(mail).containsExactly("1 Wanted");
        assertThat(leader.next()).isEqualTo(Leader.NEVER);
        leader.take(1, new Notice.Over(STEP, false, CAUSE), 0);
        assertThat(mail).containsExactly("1 Wanted", "0 Failed", "2 Failed");
        assertThat(last.getLast()).isEqualTo(new Notice.Failed(inside(WORLD, "a", STEP, ""), CAUSE, 1));
    }

    @Test
    void bodyThatIsOverOnARank_failsOnlyWhatThatRankHasNotMade() {
        ready(inside(PAIR, "a", STEP, "step"), 1);
        leader.take(1, new Notice.Over(STEP, false, CAUSE), 0);
        leader.take(0, new Notice.Over(STEP, false, CAUSE), 0);
        ready(inside(PAIR, "a", STEP, "step"), 2);
        leader.announce();
        assertThat(mail).containsExactly("1 Batch 0 [step#0/a#0]", "2 Batch 0 [step#0/a#0]");
        ready(inside(PAIR, "b", STEP, "step"), 2);
        assertThat(last.getLast()).isEqualTo(new Notice.Failed(inside(PAIR, "b", STEP, ""), CAUSE, 1));
    }

    /** Nothing is asked where all are ready in time. */
    @Test
    void runThatEndsWell_costsNoNotice() {
        ready(inside(PAIR, "a", STEP, "step"), 1, 2);
        leader.announce();
        assertThat(mail).containsExactly("1 Batch 0 [step#0/a#0]", "2 Batch 0 [step#0/a#0]");
        assertThat(leader.next()).isEqualTo(Leader.NEVER);
    }

    /** A refusal is forgotten when the ranks that never make the call have said so. */
    @Test
    void refusedCallOfAComposite_thatOthersNeverMake_isForgotten() {
        leader.take(1, new Notice.Refused(inside(PAIR, "a", STEP, "step"), CAUSE), 0);
        assertThat(leader.failed()).isOne();
        mail.clear();
        leader.time(Leader.DISPUTE_NANOS);
        assertThat(mail).containsExactly("2 Wanted");
        leader.take(2, new Notice.Over(STEP, false, CAUSE), 0);
        assertThat(leader.failed()).isZero();
    }

    @Test
    void otherComposite_underOneIdentity_failsTheRunOnAllThatAreInIt() {
        ready(inside(WORLD, "l", STEP, "left"), 0);
        ready(inside(WORLD, "r", STEP, "right"), 1);
        assertThat(mail).isEmpty();
        ready(inside(WORLD, "r", STEP, "right"), 2);
        assertThat(mail).containsExactlyInAnyOrder("0 Failed", "1 Failed", "2 Failed");
        Notice.Failed verdict = (Notice.Failed) last.getFirst();
        assertThat(verdict.level()).isOne();
        assertThat(verdict.cause().kind()).isEqualTo(Failure.Kind.MISMATCH);
        assertThat(verdict.cause().text())
                .contains(
                        "call=step#0, rank 0 called composite left, rank 1 called composite right, rank 2 called composite right");
    }

    @Test
    void plainCall_underACompositesIdentity_failsBoth_afterAWhile() {
        ready(inside(WORLD, "a", STEP, "step"), 2);
        ready(STEP, 1);
        leader.time(Leader.DISPUTE_NANOS);
        assertThat(mail).containsExactlyInAnyOrder("2 Failed", "1 Failed");
        assertThat(last).extracting(notice -> ((Notice.Failed) notice).level()).containsExactlyInAnyOrder(0, 1);
        assertThat(((Notice.Failed) last.getFirst()).cause().text())
                .contains("rank 0 has not issued it, rank 1 called all-gather(INT8 × 4), rank 2 called composite step");
        ready(STEP, 0);
        assertThat(mail).hasSize(3).last().isEqualTo("0 Failed");
    }

    @Test
    void senselessNotices_areRefused() {
        List<Notice> senseless = List.of(
                new Notice.Batch(0, List.of()),
                new Notice.Waiting(key(WORLD, "a"), List.of(), "", false),
                new Notice.Wanted(key(WORLD, "a")),
                new Notice.Ready(key(PAIR, "a"), 0, FOUR, ""),
                new Notice.Ended(PAIR, CAUSE, true),
                new Notice.Introduced(WORLD, List.of(0, 1)),
                new Notice.Introduced(new GroupKey(0, 5), List.of(1, 2)),
                new Notice.Introduced(new GroupKey(0, 5), List.of(0, 0)),
                new Notice.Introduced(new GroupKey(0, 5), List.of(0, 3)));
        for (Notice notice : senseless) {
            assertThatExceptionOfType(ProtocolException.class)
                    .as("%s", notice)
                    .isThrownBy(() -> leader.take(0, notice, 0));
        }
        ready(WORLD, "twice", 0, 0);
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> ready(WORLD, "twice", 0, 0));
    }
}
