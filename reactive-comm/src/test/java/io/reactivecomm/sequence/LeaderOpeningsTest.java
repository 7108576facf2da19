package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeaderOpeningsTest {

    private static final GroupKey PAIR = new GroupKey(0, 9);
    private static final GroupKey PARENT = new GroupKey(0, 8);
    private static final Signature FOUR = new Signature(Operation.ALL_GATHER, DType.INT8, 4, Signature.NO_ROOT, null);
    private static final Failure CAUSE = new Failure(Failure.Kind.INTERNAL, 1, "for the test");

    private final List<String> mail = new ArrayList<>();
    private final List<Notice> last = new ArrayList<>();
    private Leader leader = leader(Formation.PARENT);

    private Leader leader(Formation formation) {
        return new Leader(4, 4, formation, (rank, notice) -> {
            mail.add(rank + " " + words(notice));
            last.add(notice);
        });
    }

    private static String words(Notice notice) {
        return switch (notice) {
            case Notice.Opening opening ->
                "Opening"
                        + (opening.from() == null
                                ? " alone"
                                : " from " + opening.from().id());
            case Notice.Ended end -> "Ended" + (end.abandoned() ? " abandoned" : "");
            default -> notice.getClass().getSimpleName();
        };
    }

    /** All members are ready for a call. */
    private void ready(GroupKey group, List<GroupKey> parents, String name, int... members) {
        List<Integer> ranks = IntStream.of(members).boxed().toList();
        for (int rank : members) {
            leader.take(rank, new Notice.Introduced(group, ranks, parents), 0);
            CallKey.Ticket key = new CallKey.Ticket(group.generation(), group.id(), name, 0, 1);
            leader.take(rank, new Notice.Ready(key, 0, FOUR, ""), 0);
        }
        leader.announce();
    }

    private void done(GroupKey group, int... ranks) {
        long number = switch (last.reversed().stream()
                .filter(each -> each instanceof Notice.Opening || each instanceof Notice.Freeing)
                .findFirst()
                .orElseThrow()) {
            case Notice.Opening opening -> opening.number();
            case Notice.Freeing freeing -> freeing.number();
            default -> -1;
        };
        for (int rank : ranks) {
            leader.take(rank, new Notice.Done(number, group), 0);
        }
        leader.announce();
    }

    private void close(GroupKey group, int... ranks) {
        for (int rank : ranks) {
            leader.take(rank, new Notice.Ended(group, CAUSE, false), 0);
            leader.take(rank, new Notice.Closed(group), 0);
        }
    }

    @Test
    void firstCall_waitsForTheOpening_andLaterOnesForNothing() {
        leader = leader(Formation.MEMBERS);
        ready(PAIR, List.of(), "a", 1, 2);
        ready(PAIR, List.of(), "b", 1, 2);
        assertThat(mail).containsExactly("1 Opening alone", "2 Opening alone");
        done(PAIR, 1);
        assertThat(mail).hasSize(2);
        done(PAIR, 2);
        ready(PAIR, List.of(), "c", 1, 2);
        assertThat(mail.subList(2, mail.size())).containsExactly("1 Batch", "2 Batch", "1 Batch", "2 Batch");
    }

    @Test
    void splittingEngine_takesTheNearestOpenParent() {
        ready(PARENT, List.of(), "a", 1, 2, 3);
        assertThat(mail)
                .containsExactly("0 Opening from 0", "1 Opening from 0", "2 Opening from 0", "3 Opening from 0");
        done(PARENT, 0, 1, 2, 3);
        close(PARENT, 3);
        mail.clear();
        ready(PAIR, List.of(PARENT), "a", 1, 2);
        assertThat(mail).containsExactly("1 Opening from 8", "2 Opening from 8", "3 Opening from 8");
    }

    @Test
    void parentThatIsNotOpen_isPassedOver() {
        ready(PAIR, List.of(PARENT), "a", 1, 2);
        assertThat(mail)
                .containsExactly("0 Opening from 0", "1 Opening from 0", "2 Opening from 0", "3 Opening from 0");
    }

    @Test
    void rankThatHasLeft_isNotNeeded() {
        leader.take(3, new Notice.Left(), 0);
        ready(PAIR, List.of(), "a", 1, 2);
        assertThat(mail).containsExactly("1 Opening alone", "2 Opening alone");
    }

    @Test
    void helperThatLeaves_hasTheMembersBeginAnew_andWhatTheyDidBeforeCountsNoMore() {
        ready(PAIR, List.of(), "a", 1, 2);
        done(PAIR, 1);
        Notice.Done late = new Notice.Done(((Notice.Opening) last.getFirst()).number(), PAIR);
        mail.clear();
        leader.take(3, new Notice.Left(), 0);
        assertThat(mail).containsExactly("0 Ended abandoned", "1 Opening alone", "2 Opening alone");
        leader.take(1, late, 0);
        leader.take(2, late, 0);
        leader.announce();
        assertThat(mail).hasSize(3);
        done(PAIR, 1, 2);
        assertThat(mail).hasSize(5).endsWith("1 Batch", "2 Batch");
    }

    @Test
    void parentThatFails_hasTheMembersBeginAnew() {
        ready(PARENT, List.of(), "a", 1, 2, 3);
        done(PARENT, 0, 1, 2, 3);
        ready(PAIR, List.of(PARENT), "a", 1, 2);
        mail.clear();
        leader.take(3, new Notice.Ended(PARENT, CAUSE, true), 0);
        assertThat(mail)
                .containsExactly(
                        "1 Ended abandoned",
                        "2 Ended abandoned",
                        "3 Ended abandoned",
                        "3 Ended abandoned",
                        "1 Opening alone",
                        "2 Opening alone");
    }

    @Test
    void nothingIsSplitFromAWorldThatHasFailed() {
        leader.take(3, new Notice.Ended(new GroupKey(0, 0), CAUSE, true), 0);
        ready(PAIR, List.of(), "a", 1, 2);
        assertThat(mail).containsExactly("1 Opening alone", "2 Opening alone");
    }

    @Test
    void openingThatFails_endsTheGroup_alsoForWhoStillHelps() {
        ready(PAIR, List.of(), "a", 1, 2);
        done(PAIR, 1, 3);
        mail.clear();
        leader.take(0, new Notice.Ended(PAIR, CAUSE, true), 0);
        assertThat(mail).containsExactly("1 Ended abandoned", "2 Ended abandoned", "0 Ended abandoned");
        assertThat(leader.opened() + leader.pending()).isZero();
    }

    @Test
    void groupThatAllHaveClosed_isFreed() {
        ready(PAIR, List.of(), "a", 1, 2);
        done(PAIR, 0, 1, 2, 3);
        close(PAIR, 1);
        mail.clear();
        close(PAIR, 2);
        assertThat(mail).containsExactly("1 Freeing", "2 Freeing");
        assertThat(leader.opened()).isOne();
        done(PAIR, 1, 2);
        assertThat(leader.opened()).isZero();
    }

    @Test
    void memberThatLeaves_hasTheOthersFreeItAlone_onceTheyHaveClosedIt() {
        ready(PAIR, List.of(), "a", 1, 2);
        done(PAIR, 0, 1, 2, 3);
        mail.clear();
        leader.take(2, new Notice.Left(), 0);
        assertThat(mail).containsExactly("1 Ended");
        close(PAIR, 1);
        assertThat(mail).containsExactly("1 Ended", "1 Ended abandoned");
        assertThat(leader.opened()).isZero();
    }

    @Test
    void memberThatLeaves_whileOthersFreeTheGroup_hasThemGiveUp() {
        ready(PAIR, List.of(), "a", 1, 2);
        done(PAIR, 0, 1, 2, 3);
        close(PAIR, 1, 2);
        mail.clear();
        leader.take(2, new Notice.Left(), 0);
        assertThat(mail).containsExactly("1 Ended abandoned");
        assertThat(leader.opened()).isZero();
    }

    @Test
    void fiveThousandGroups_leaveNothing() {
        for (int i = 1; i <= 5_000; i++) {
            GroupKey group = new GroupKey(0, i);
            ready(group, List.of(), "a", 1, 2);
            done(group, 0, 1, 2, 3);
            close(group, 1, 2);
            done(group, 1, 2);
            assertThat(leader.opened() + leader.pending()).isZero();
        }
    }
}
