package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberOpeningsTest {

    private static final EngineGroup GROUP = new EngineGroup(9, 0, List.of(4, 2), 1);
    private static final GroupKey KEY = GroupKey.of(GROUP);
    private static final Failure CAUSE = new Failure(Failure.Kind.INTERNAL, 4, "for the test");
    private static final Notice.Opening OPENING = new Notice.Opening(0, KEY, List.of(4, 2), null, List.of());

    private final List<String> log = new ArrayList<>();
    private final List<GroupOpening> turns = new ArrayList<>();
    private final Member member = new Member(2, 4, new Member.Effects() {
        @Override
        public void send(Notice notice) {
            log.add("says " + notice.getClass().getSimpleName());
        }

        @Override
        public void run(List<MemberCall> batch) {}

        @Override
        public void open(GroupOpening opening) {
            turns.add(opening);
            log.add("opens " + opening.group().worldRanks() + " as "
                    + opening.group().rank());
        }

        @Override
        public void free(GroupOpening opening) {
            turns.add(opening);
            log.add("frees");
        }

        @Override
        public void fail(CollectiveEngine.Sink sink, Failure cause) {
            sink.failed(cause);
        }

        @Override
        public void failRun(CollectiveEngine.Sink sink, CallKey.Ticket run, Failure cause) {
            sink.runFailed(run, cause);
        }

        @Override
        public void abandon(EngineGroup group, Failure cause, List<MemberCall> running) {
            log.add("abandons " + group.id());
        }

        @Override
        public void failed(GroupKey group, Failure cause) {}

        @Override
        public void warn(String text) {}
    });

    /** As if a call had come of it. */
    private void introduce() {
        member.stepped(GROUP);
        log.clear();
    }

    private void open() {
        introduce();
        member.take(OPENING);
        member.openingEnded(turns.getLast(), null);
    }

    @Test
    void group_isOpenedAndFreedInTurn() {
        open();
        member.closeGroup(GROUP);
        member.take(new Notice.Freeing(7, KEY));
        assertThat(member.opened()).isOne();
        member.openingEnded(turns.getLast(), null);
        assertThat(log)
                .containsExactly("opens [4, 2] as 1", "says Done", "says Ended", "says Closed", "frees", "says Done");
        assertThat(member.opened()).isZero();
    }

    @Test
    void rankThatIsNoMember_helps_andHoldsNothing() {
        member.take(new Notice.Opening(0, KEY, List.of(4, 3), new GroupKey(0, 0), List.of(2, 3, 4)));
        member.openingEnded(turns.getLast(), null);
        assertThat(log).containsExactly("opens [4, 3] as -1", "says Done");
        assertThat(turns.getLast().from()).isEqualTo(new EngineGroup(EngineGroup.WORLD, 0, List.of(2, 3, 4), 0));
        assertThat(member.opened() + member.groups()).isZero();
    }

    @Test
    void groupThatWasClosedBeforeItsOpening_isOpened_andTheLeaderHearsOfBoth() {
        introduce();
        member.closeGroup(GROUP);
        member.take(OPENING);
        assertThat(log).containsExactly("says Ended", "opens [4, 2] as 1", "says Closed");
    }

    @Test
    void openingThatFails_endsTheGroup() {
        introduce();
        member.take(OPENING);
        member.openingEnded(turns.getLast(), CAUSE);
        assertThat(log).containsExactly("opens [4, 2] as 1", "abandons 9", "says Ended");
        assertThat(member.opened()).isZero();
    }

    @Test
    void openingThatFails_whereItIsNoMember_isTold() {
        member.take(new Notice.Opening(0, KEY, List.of(4, 3), new GroupKey(0, 0), List.of(2, 3, 4)));
        member.openingEnded(turns.getLast(), CAUSE);
        assertThat(log).containsExactly("opens [4, 3] as -1", "abandons 9", "says Ended");
    }

    @Test
    void groupThatIsToBeSplitFromOneThatFailedHere_isNotOpened_andTheLeaderIsTold() {
        member.take(new Notice.Opening(0, KEY, List.of(4, 3), new GroupKey(0, 5), List.of(2, 3, 4)));
        member.failGroup(new EngineGroup(EngineGroup.WORLD, 0, List.of(0, 1, 2, 3, 4), 2), CAUSE);
        member.take(new Notice.Opening(1, KEY, List.of(4, 3), new GroupKey(0, 0), List.of(0, 1, 2, 3, 4)));
        assertThat(log).containsExactly("says Ended", "abandons 0", "says Ended", "says Ended");
        assertThat(turns).isEmpty();
    }

    @Test
    void groupThatFailedHere_isNotOpened() {
        introduce();
        member.failGroup(GROUP, CAUSE);
        member.take(OPENING);
        assertThat(log).containsExactly("abandons 9", "says Ended");
    }

    @Test
    void groupThatFailedBeforeItsFirstCallHere_isNotOpened_andTheLeaderIsTold() {
        member.failGroup(GROUP, CAUSE);
        member.take(OPENING);
        assertThat(log).containsExactly("abandons 9", "says Ended");
        assertThat(member.opened()).isZero();
    }

    @Test
    void openingThatComesAnew_takesTheFirstOnesPlace() {
        introduce();
        member.take(OPENING);
        GroupOpening first = turns.getLast();
        member.take(new Notice.Opening(3, KEY, List.of(4, 2), null, List.of()));
        member.openingEnded(first, CAUSE);
        member.openingEnded(turns.getLast(), null);
        assertThat(log).containsExactly("opens [4, 2] as 1", "abandons 9", "opens [4, 2] as 1", "says Done");
    }

    @Test
    void failure_alwaysReachesTheEngine() {
        member.failGroup(GROUP, CAUSE);
        assertThat(log).containsExactly("abandons 9");
    }

    @Test
    void failureOfAClosedGroup_isToldToTheOthers() {
        open();
        member.closeGroup(GROUP);
        member.take(new Notice.Ended(KEY, CAUSE, false));
        log.clear();
        member.failGroup(GROUP, CAUSE);
        assertThat(log).containsExactly("says Ended", "abandons 9");
        assertThat(member.opened()).isZero();
    }

    /** However many groups have ended since. */
    @Test
    void closedGroupThatFailsElsewhere_isAbandoned() {
        open();
        member.closeGroup(GROUP);
        member.take(new Notice.Ended(KEY, CAUSE, false));
        for (int other = 100; other < 2_500; other++) {
            member.take(new Notice.Ended(new GroupKey(0, other), CAUSE, false));
        }
        log.clear();
        member.take(new Notice.Ended(KEY, CAUSE, true));
        assertThat(log).containsExactly("abandons 9");
    }

    @Test
    void withoutALeader_aGroupIsFreedAloneWhenItIsClosed() {
        open();
        member.take(new Notice.Left());
        log.clear();
        member.closeGroup(GROUP);
        assertThat(log).contains("abandons 9");
        assertThat(member.opened()).isZero();
    }
}
