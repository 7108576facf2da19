package io.reactivecomm.netty.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.reactivecomm.Choices;
import io.reactivecomm.netty.internal.connection.ManualTimers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RollCallTest {

    private final ManualTimers timers = new ManualTimers();
    private int wrongTokens;
    private final RollCall rollCall = new RollCall(ImmediateEventExecutor.INSTANCE, timers, () -> wrongTokens);

    /** A rank that notes what it hears. */
    private static final class Listener implements RollCall.Member {

        private final JoinRequest arrival;
        private final List<String> heard = new ArrayList<>();
        private Roster roster;

        Listener(int rank, int worldSize, long patienceSeconds, Map<String, String> choices) {
            Roster.Entry entry =
                    new Roster.Entry(rank, worldSize, "h" + rank, 1000 + rank, 2000 + rank, patienceSeconds * 1000);
            arrival = new JoinRequest(entry, choices);
        }

        @Override
        public JoinRequest arrival() {
            return arrival;
        }

        @Override
        public String origin() {
            return "origin" + entry().rank();
        }

        @Override
        public void complete(Roster roster) {
            this.roster = roster;
        }

        @Override
        public void failed(String text) {
            heard.add(text);
        }

        @Override
        public void waiting(String missing, long waitedMillis) {
            heard.add("waiting " + missing + " " + waitedMillis);
        }

        @Override
        public void without(int rank, String origin) {
            heard.add("without " + rank + " of " + origin);
        }
    }

    private Listener join(int rank, int worldSize, long patienceSeconds) {
        return join(rank, worldSize, patienceSeconds, Map.of());
    }

    private Listener join(int rank, int worldSize, long patienceSeconds, Map<String, String> choices) {
        Listener member = new Listener(rank, worldSize, patienceSeconds, choices);
        rollCall.join(member);
        return member;
    }

    private void pass(double seconds) {
        timers.advance((long) (seconds * TimeUnit.SECONDS.toNanos(1)));
    }

    @Test
    void missingRanks_areNamedEveryFiveSeconds_andAtTheFirstDeadline() {
        Listener zero = join(0, 5, 60);
        pass(4.9);
        assertThat(zero.heard).isEmpty();
        pass(0.1);
        assertThat(zero.heard).containsExactly("waiting [1, 2, 3, 4] 5000");
        Listener three = join(3, 5, 12);
        pass(5);
        assertThat(three.heard).containsExactly("waiting [1, 2, 4] 10000");
        pass(7);
        String last = zero.heard.getLast();
        assertThat(last).contains("missing=[1, 2, 4]", "worldSize=5", "waited=12.0 s");
        assertThat(three.heard).endsWith(last).hasSize(3);
        pass(60);
        assertThat(zero.heard).hasSize(4);
    }

    @Test
    void manyMissingRanks_areCounted() {
        Listener zero = join(0, 1000, 60);
        pass(5);
        assertThat(zero.heard.getFirst()).contains("31, 32] and 967 more").doesNotContain("33");
    }

    @Test
    void allPresent_hearOneRosterInRankOrder() {
        List<Listener> ranks = List.of(join(2, 3, 60), join(0, 3, 60), join(1, 3, 60));
        Roster roster = ranks.getFirst().roster;
        assertThat(ranks).allMatch(rank -> rank.roster == roster);
        assertThat(roster.entries()).extracting(Roster.Entry::host).containsExactly("h0", "h1", "h2");
        Roster copy = Roster.decode(roster.encode());
        assertThat(copy.job()).isEqualTo(roster.job());
        assertThat(copy.entries()).isEqualTo(roster.entries());
        pass(120);
        assertThat(ranks).allMatch(rank -> rank.heard.isEmpty());
    }

    @Test
    void aRankThatLeft_mayComeBack() {
        Listener first = join(1, 2, 60);
        rollCall.leave(first);
        Listener second = join(1, 2, 60);
        Listener zero = join(0, 2, 60);
        assertThat(second.roster).isNotNull();
        assertThat(zero.roster.job()).isEqualTo(second.roster.job());
        assertThat(first.heard).isEmpty();
    }

    @Test
    void aRankThatWent_andDoesNotComeBack_isToldToAllWithinTwoSeconds() {
        Listener zero = join(0, 4, 60);
        Listener two = join(2, 4, 60);
        Listener one = join(1, 4, 60);
        pass(0.25);
        rollCall.leave(one);
        pass(1.4);
        assertThat(zero.heard).isEmpty();
        pass(0.5);
        assertThat(zero.heard)
                .singleElement()
                .asString()
                .contains("rank 1 joined from origin1 and went", "after=0.25 s", "missing=[1, 3]", "worldSize=4");
        assertThat(two.heard).isEqualTo(zero.heard);
        assertThat(join(3, 4, 60).heard).as("who comes next").isEqualTo(zero.heard);
        pass(60);
        assertThat(zero.heard).hasSize(1);
    }

    @Test
    void aRankThatWent_andCameBackAtOnce_isWelcome() {
        Listener zero = join(0, 2, 60);
        Listener other = join(0, 2, 60);
        assertThat(other.heard).isEqualTo(zero.heard).hasSize(1);
        pass(3);
        Listener first = join(0, 3, 60);
        rollCall.leave(join(1, 3, 60));
        pass(1);
        Listener back = join(1, 3, 60);
        pass(4.5);
        assertThat(first.heard).singleElement().asString().startsWith("waiting [2]");
        assertThat(join(2, 3, 60).roster).isNotNull();
        assertThat(back.roster).isNotNull();
    }

    @Test
    void aRankThatWent_beforeAnybodyElseCame_isNamedAmongTheMissing() {
        rollCall.leave(join(1, 3, 60));
        pass(10);
        Listener zero = join(0, 3, 6);
        pass(5);
        assertThat(zero.heard.getFirst()).contains("[1, 2], gone=[1 joined from origin1 and went]");
        pass(1);
        assertThat(zero.heard.getLast()).contains("missing=[1, 2], gone=[1 joined from origin1 and went]");
    }

    @Test
    void aRankThatWent_whileAnotherIsThere_isToldToWhoComesMeanwhile() {
        rollCall.leave(join(1, 3, 60));
        pass(1);
        Listener zero = join(0, 3, 60);
        pass(1);
        assertThat(zero.heard).singleElement().asString().contains("rank 1 joined from origin1 and went");
    }

    @Test
    void aRankThatLeavesAWorldJustComplete_isToldToTheOthers_forTheyMayNotBeConnected() {
        Listener zero = join(0, 3, 60);
        Listener one = join(1, 3, 60);
        Listener two = join(2, 3, 60);
        pass(9);
        rollCall.leave(one);
        assertThat(zero.heard).containsExactly("without 1 of origin1").isEqualTo(two.heard);
        pass(2);
        rollCall.leave(two);
        assertThat(zero.heard).hasSize(1);
    }

    @Test
    void manyThatLeaveAWorldJustComplete_areToldOnlyToThoseThatConnectStill() {
        List<Listener> ranks = List.of(join(0, 4, 60), join(1, 4, 60), join(2, 4, 60), join(3, 4, 60));
        ranks.subList(0, 3).forEach(rollCall::connected);
        ranks.subList(0, 2).forEach(rollCall::leave);
        assertThat(ranks.get(3).heard).containsExactly("without 0 of origin0", "without 1 of origin1");
        rollCall.connected(ranks.get(3));
        rollCall.leave(ranks.get(3));
        assertThat(ranks.subList(0, 3)).allMatch(rank -> rank.heard.isEmpty());
    }

    @Test
    void anotherWorldSizeBesideACompleteWorld_isRefusedAtOnce() {
        Listener zero = join(0, 2, 60);
        join(1, 2, 60);
        for (int rank : new int[] {1, 2}) {
            assertThat(join(rank, 3, 60).heard)
                    .singleElement()
                    .asString()
                    .contains("world size differs", "rank=0 has WORLD_SIZE=2", "rank=" + rank + " has WORLD_SIZE=3");
        }
        pass(60);
        assertThat(zero.heard).isEmpty();
    }

    @Test
    void aSmallerWorld_mayGatherOnceARankHasLeft() {
        Listener zero = join(0, 3, 60);
        join(1, 3, 60);
        rollCall.leave(join(2, 3, 60));
        rollCall.leave(zero);
        Listener again = join(0, 2, 60);
        assertThat(again.heard).isEmpty();
    }

    @Test
    void wrongTokensSinceTheLastAttempt_areToldToThoseWhoWait() {
        wrongTokens = 1;
        Listener zero = join(0, 3, 12);
        pass(5);
        assertThat(zero.heard).containsExactly("waiting [1, 2], 1 connection was refused: wrong token 5000");
        wrongTokens = 3;
        pass(7);
        assertThat(zero.heard.getLast()).contains("missing=[1, 2]", "3 connections were refused: wrong token");
        // Until then the failure speaks for whoever comes.
        pass(3);
        Listener again = join(0, 3, 5);
        pass(5);
        assertThat(again.heard).last().asString().contains("missing=[1, 2]").doesNotContain("refused");
    }

    @Test
    void missingRanksBesideTheRestOfAWorld_areToldOfIt() {
        join(0, 2, 60);
        rollCall.leave(join(1, 2, 60));
        Listener late = join(2, 3, 10);
        pass(10);
        assertThat(late.heard.getLast()).contains("missing=[0, 1]", "worldSize=3", "WORLD_SIZE=2");
    }

    @Test
    void choicesDiffer_allHearWhoseAndBothValues() {
        Map<String, String> usual = Choices.DEFAULT.texts();
        Listener zero = join(0, 3, 60, usual);
        Listener two = join(2, 3, 60, new Choices("cuda:nccl", Set.of(), "").texts());
        assertThat(zero.heard).isEmpty();
        Listener one = join(1, 3, 60, usual);
        assertThat(zero.heard)
                .singleElement()
                .asString()
                .contains("rank=0 has RCOMM_BACKEND=cpu:links", "rank=2 has RCOMM_BACKEND=cuda:nccl");
        assertThat(List.of(one, two)).allMatch(rank -> rank.heard.equals(zero.heard) && rank.roster == null);
    }

    @Test
    void aFailure_speaksForLatecomersAndIsThenForgotten() {
        Listener zero = join(0, 2, 60);
        Listener other = join(1, 3, 60);
        assertThat(zero.heard).isEqualTo(other.heard).hasSize(1);
        pass(2.9);
        assertThat(join(1, 2, 60).heard).isEqualTo(zero.heard);
        pass(0.2);
        join(0, 2, 60);
        assertThat(join(1, 2, 60).roster).isNotNull();
    }
}
