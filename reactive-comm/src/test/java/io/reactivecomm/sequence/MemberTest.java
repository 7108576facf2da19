package io.reactivecomm.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.collective.Barrier;
import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.ProtocolException;
import io.reactivecomm.spi.engine.AssembledCalls;
import io.reactivecomm.spi.engine.CollectiveEngine;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemberTest {

    private static final EngineGroup GROUP = new EngineGroup(9, 0, List.of(4, 2), 1);
    private static final GroupKey KEY = GroupKey.of(GROUP);
    private static final Failure CAUSE = new Failure(Failure.Kind.INVALID, 4, "for the test");
    private static final long SECOND = 1_000_000_000L;

    private final List<String> log = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    /** What the rank hears of failed groups. */
    private final List<String> told = new ArrayList<>();

    private final List<MemberCall> running = new ArrayList<>();
    private final RecentNames leaders = new RecentNames(KEY, 4);
    private long batches;
    private final Member member = new Member(2, 4, new Member.Effects() {
        @Override
        public void send(Notice notice) {
            log.add(
                    switch (notice) {
                        case Notice.Ended end -> "says Ended" + (end.abandoned() ? " abandoned" : "");
                        case Notice other -> "says " + other.getClass().getSimpleName();
                    });
        }

        @Override
        public void run(List<MemberCall> batch) {
            running.addAll(batch);
            log.add("runs " + batch.stream().map(entry -> entry.key().label()).toList());
        }

        @Override
        public void open(GroupOpening opening) {
            log.add("opens " + opening.group().id());
        }

        @Override
        public void free(GroupOpening opening) {
            log.add("frees " + opening.group().id());
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
        public void failed(GroupKey group, Failure cause) {
            told.add(cause.text());
        }

        @Override
        public void warn(String text) {
            log.add("warns " + text);
        }
    });

    private static CallKey.Ticket key(String name) {
        return new CallKey.Ticket(0, 9, name, 0, 1);
    }

    private void submit(String name) {
        submit(name, () -> {});
    }

    private void submit(String name, Runnable then) {
        submit(name, null, then);
    }

    private void submit(String name, @Nullable Enclosure enclosure, Runnable then) {
        EngineCall call = new EngineCall(
                GROUP, CallKey.NO_STEP, name, 0, 1, enclosure, new Barrier(), Duration.ofSeconds(30), 0, false, false);
        member.submit(
                call,
                new CollectiveEngine.Sink() {
                    @Override
                    public void succeeded(Completion completion) {
                        then.run();
                    }

                    @Override
                    public void failed(Failure failure, Handle hands) {
                        log.add(name + " fails: " + failure.kind() + " " + failure.missing());
                        failures.add(failure);
                    }

                    @Override
                    public void runFailed(CallKey.Ticket run, Failure failure) {
                        log.add(name + " fails with " + run.label() + ": " + failure.kind());
                    }
                },
                0);
    }

    private void announce(String... names) {
        member.take(new Notice.Batch(
                batches++,
                List.of(names).stream().map(name -> leaders.write(key(name))).toList()));
    }

    @Test
    void calls_runInTheAnnouncedOrder() {
        submit("a");
        submit("b");
        submit("c");
        announce("c", "a");
        announce("b");
        assertThat(log)
                .containsExactly(
                        "says Introduced", "says Ready", "says Ready", "says Ready", "runs [c#0, a#0]", "runs [b#0]");
        running.forEach(entry -> member.ended(entry, null));
        assertThat(member.calls()).isZero();
        assertThat(member.next()).isEqualTo(Leader.NEVER);
    }

    @Test
    void waitingCall_asksAndWarns_andFailsAtItsDeadline() {
        submit("a");
        assertThat(member.next()).isEqualTo(5 * SECOND);
        member.time(5 * SECOND);
        member.take(new Notice.Waiting(key("a"), List.of(4), "rank 4 last issued nothing", false));
        member.time(10 * SECOND);
        member.time(30 * SECOND);
        assertThat(log.subList(2, log.size()))
                .containsExactly(
                        "says Asked",
                        "warns barrier is waiting: rank=2, missing=[4], call=a#0, waited=10 s, rank 4 last issued nothing; it fails 30 s after it began",
                        "says Asked",
                        "a fails: TIMEOUT [4]",
                        "says Failed");
        assertThat(member.next()).isEqualTo(Leader.NEVER);
    }

    @Test
    void waitingCall_whosePeerWaitsInOtherCalls_namesTheConcurrencyOfFlatMap() {
        submit("a");
        member.time(5 * SECOND);
        member.take(new Notice.Waiting(
                key("a"),
                List.of(4),
                "rank 4 last issued barrier z#0, rank 4 waits in 256 other calls of this group",
                true));
        member.time(30 * SECOND);
        assertThat(failures)
                .last()
                .satisfies(failure -> assertThat(failure.text())
                        .contains(
                                "waits in 256 other calls of this group; let all ranks subscribe",
                                "flatMap(mapper, concurrency)"));
    }

    @Test
    void callGivenUp_andAnnouncedMeanwhile_endsTheGroup() {
        submit("a");
        member.time(30 * SECOND);
        submit("b");
        log.clear();
        announce("a", "b");
        assertThat(log).containsExactly("b fails: TIMEOUT []", "abandons 9", "says Ended abandoned");
        submit("c");
        assertThat(log).last().isEqualTo("c fails: TIMEOUT []");
    }

    @Test
    void callGivenUp_andFailedByTheLeader_endsNothing() {
        submit("a");
        member.time(30 * SECOND);
        member.take(new Notice.Failed(key("a"), CAUSE));
        submit("b");
        announce("b");
        assertThat(log).last().isEqualTo("runs [b#0]");
    }

    @Test
    void runningCall_thatDoesNotEndInTime_isStopped_andEndsWhenTheEngineSaysSo() {
        submit("a");
        submit("b");
        announce("a");
        member.time(30 * SECOND);
        assertThat(log.subList(4, log.size()))
                .contains("abandons 9", "says Ended abandoned")
                .doesNotContain("a fails: TIMEOUT []");
        assertThat(member.calls()).isEqualTo(1);
        member.ended(running.getFirst(), CAUSE);
        member.take(new Notice.Ended(KEY, CAUSE, true));
        assertThat(member.groups()).isZero();
    }

    @Test
    void gentleEnd_failsWhatWaits_andLeavesWhatRuns() {
        submit("a");
        submit("b");
        announce("a");
        log.clear();
        member.take(new Notice.Ended(KEY, CAUSE, false));
        assertThat(log).containsExactly("b fails: INVALID []");
        member.take(new Notice.Ended(KEY, CAUSE, true));
        assertThat(log).containsExactly("b fails: INVALID []", "abandons 9");
        member.ended(running.getFirst(), CAUSE);
        assertThat(member.groups()).isZero();
    }

    @Test
    void closedGroup_tellsOfWhatWaitedAndWhetherSomethingRan() {
        submit("a");
        submit("b");
        announce("a");
        log.clear();
        member.closeGroup(GROUP);
        member.closeGroup(GROUP);
        assertThat(log).containsExactly("says Failed", "b fails: CLOSED []", "abandons 9", "says Ended abandoned");
    }

    /** Each call that is ready and fails gets one last word: the leader forgets it then. */
    @Test
    void callThatFails_isAnsweredOnce() {
        submit("a");
        submit("b");
        member.time(30 * SECOND);
        log.clear();
        member.take(new Notice.Failed(key("a"), CAUSE));
        assertThat(log).as("has been given up, and was said so").isEmpty();
        submit("c");
        log.clear();
        member.take(new Notice.Failed(key("c"), CAUSE));
        member.take(new Notice.Failed(key("c"), CAUSE));
        member.take(new Notice.Failed(key("d"), CAUSE));
        assertThat(log).containsExactly("says Failed", "c fails: INVALID []");
    }

    /** A group that is closed after its call has failed on this rank's links too: others may still be at that call. */
    @Test
    void groupClosedAfterItsCall_whichFailsHereThen_harmsNobodysCall() {
        submit("a");
        announce("a");
        member.ended(running.getFirst(), null);
        log.clear();
        member.closeGroup(GROUP);
        member.failGroup(GROUP, CAUSE);
        assertThat(log).contains("says Ended").doesNotContain("says Ended abandoned");
    }

    /** What a subscriber does who closes the group as soon as it has its result. */
    @Test
    void groupClosedByWhoIsToldOfTheEnd_harmsNobodysCall() {
        submit("a", () -> member.closeGroup(GROUP));
        announce("a");
        log.clear();
        new CallCompletion("test", running.getFirst(), member, Runnable::run).succeeded(Completion.of(""));
        assertThat(log).containsExactly("says Ended");
    }

    private static Failure lost(String who) {
        return new Failure(Failure.Kind.PEER_LOST, 4, who + " lost a rank");
    }

    @Test
    void loss_thatTheEngineFinds_isToldToTheRank() {
        submit("a");
        announce("a");
        member.ended(running.getFirst(), lost("engine"));
        assertThat(told).containsExactly("engine lost a rank");
    }

    @Test
    void loss_thatAnotherMembersEngineFinds_isToldToTheRank() {
        submit("a");
        member.take(new Notice.Ended(KEY, lost("engine"), true, true));
        member.take(new Notice.Ended(new GroupKey(0, 10), lost("other engine"), true, true));
        assertThat(told).containsExactly("engine lost a rank", "other engine lost a rank");
    }

    /** The rank knows them over links, and who goes on without whom. */
    @Test
    void lossesAndClosings_thatOthersFind_areNotToldToTheRank() {
        submit("a");
        member.take(new Notice.Ended(KEY, lost("leader"), true));
        member.failGroup(new EngineGroup(10, 0, List.of(4, 2), 1), lost("links"));
        EngineGroup third = new EngineGroup(11, 0, List.of(4, 2), 1);
        member.closeGroup(third);
        member.failGroup(third, lost("links"));
        member.leaderGone(lost("control"), true);
        assertThat(told).isEmpty();
    }

    @Test
    void closedGroup_ofWhichNoCallWasMade_isToldOf() {
        member.closeGroup(GROUP);
        assertThat(log).containsExactly("says Introduced", "says Ended");
    }

    @Test
    void lostLeader_endsEverything_oneThatLeftOnlyWhatWaits() {
        submit("a");
        submit("b");
        announce("a");
        log.clear();
        member.take(new Notice.Left());
        assertThat(log).containsExactly("b fails: PEER_LOST []");
        member.leaderGone(CAUSE, true);
        submit("c");
        assertThat(log).containsExactly("b fails: PEER_LOST []", "c fails: PEER_LOST []");
    }

    private static final CallKey.Ticket STEP = new CallKey.Ticket(0, 0, "step", 7, 1);
    private static final CallKey.Ticket PART = new CallKey.Ticket(0, 9, "part", 0, 1, new Enclosure(STEP, 0, "step"));

    private static CallKey.Ticket inside(String name, CallKey.Ticket run) {
        return new CallKey.Ticket(0, 9, name, 0, 1, new Enclosure(run, 0, ""));
    }

    private void submit(String name, CallKey.Ticket run) {
        submit(name, new Enclosure(run, 0, ""), () -> {});
    }

    @Test
    void callsOfOneName_inDifferentRuns_areDifferentCalls() {
        submit("a");
        submit("a", STEP);
        submit("a", PART);
        log.clear();
        member.take(new Notice.Batch(0, List.of(leaders.write(inside("a", PART)), leaders.write(key("a")))));
        assertThat(log).containsExactly("runs [step#7/part#0/a#0, a#0]");
    }

    /** The leader may have announced meanwhile what waits here. */
    @Test
    void runThatFails_isToldOnce_andItsCallsEndByTheLeadersWord() {
        submit("a", PART);
        submit("b", PART);
        submit("c");
        log.clear();
        member.compositeFailed(STEP, CAUSE);
        assertThat(log).containsExactly("says Over");
        member.take(new Notice.Batch(0, List.of(leaders.write(inside("a", PART)))));
        member.take(new Notice.Failed(inside("b", PART), CAUSE, 2));
        assertThat(log)
                .containsExactly(
                        "says Over", "runs [step#7/part#0/a#0]", "says Failed", "b fails with step#7: INVALID");
        member.compositeFailed(PART, CAUSE);
        assertThat(log).as("nothing waits in that one").hasSize(4);
    }

    @Test
    void runThatEnds_isToldOnlyToWhoeverAsks() {
        member.compositeOver(PART, missing -> CAUSE);
        member.compositeOver(STEP, missing -> CAUSE);
        member.compositeFailed(new CallKey.Ticket(0, 0, "step", 8, 1), CAUSE);
        assertThat(log).isEmpty();
        member.take(new Notice.Wanted(inside("a", PART)));
        member.take(new Notice.Wanted(STEP));
        assertThat(log).containsExactly("says Over", "says Over");
    }

    @Test
    void wantedCall_isAnsweredWhenItsRunIsOver_orByItself() {
        member.take(new Notice.Wanted(inside("a", PART)));
        member.take(new Notice.Wanted(inside("b", PART)));
        submit("c", PART);
        member.take(new Notice.Wanted(inside("c", PART)));
        submit("a", PART);
        assertThat(log).containsExactly("says Introduced", "says Ready", "says Ready");
        log.clear();
        member.compositeOver(STEP, missing -> CAUSE);
        assertThat(log).as("for b").containsExactly("says Over");
        member.compositeOver(PART, missing -> CAUSE);
        assertThat(log).hasSize(1);
    }

    /** In the second step its program makes nothing of the first but what is called so. */
    private static final EngineGroup STEPPING =
            new EngineGroup(9, 0, List.of(4, 2), 1, List.of(), new AssembledCalls() {
                @Override
                public boolean isUnclaimed(CallKey.Ticket key) {
                    return key.name().equals("made");
                }

                @Override
                public boolean ifNever(CallKey key, Consumer<Failure> told) {
                    boolean isNever = key.step() == 1 && !isUnclaimed((CallKey.Ticket) key);
                    if (isNever) {
                        told.accept(CAUSE);
                    }
                    return isNever;
                }
            });

    private static CallKey.Ticket stepped(String name) {
        return new CallKey.Ticket(0, 9, 1, name, 0, 1, null);
    }

    @Test
    void wantedCall_ofAStepThatEndsWithoutIt_isRefused_aloneOrWithItsComposite() {
        member.take(new Notice.Wanted(stepped("a")));
        member.take(new Notice.Wanted(inside("b", stepped("run"))));
        member.take(new Notice.Wanted(stepped("made")));
        assertThat(log).isEmpty();
        member.stepped(STEPPING);
        assertThat(log).containsExactly("says Introduced", "says Refused", "says Over");
        log.clear();
        member.take(new Notice.Wanted(stepped("later")));
        member.take(new Notice.Wanted(stepped("made")));
        member.stepped(STEPPING);
        assertThat(log).containsExactly("says Refused", "says Assembled");
    }

    /** From its next step on, calls and runs of that name are off here. */
    private static EngineGroup switching(String off, AtomicBoolean isOff) {
        return new EngineGroup(9, 0, List.of(4, 2), 1, List.of(), new AssembledCalls() {
            @Override
            public @Nullable Failure whyOff(CallKey.Ticket call) {
                return isOff.get() && call.name().equals(off) ? CAUSE : null;
            }
        });
    }

    @Test
    void wantedCall_thatIsSwitchedOff_isRefused_beforeAndAfterItIsKnown() {
        AtomicBoolean isOff = new AtomicBoolean();
        CallKey.Ticket run = new CallKey.Ticket(0, 9, "off", 0, 1, null);
        member.take(new Notice.Wanted(run));
        member.take(new Notice.Wanted(inside("a", run)));
        member.take(new Notice.Wanted(inside("off", stepped("run"))));
        member.stepped(switching("off", isOff));
        assertThat(log).containsExactly("says Introduced");
        isOff.set(true);
        log.clear();
        member.stepped(switching("off", isOff));
        assertThat(log).containsExactly("says Refused", "says Over", "says Refused");
        log.clear();
        member.stepped(switching("off", isOff));
        assertThat(log).as("answered once").isEmpty();
        // The body of the run is over, which is not why others wait in vain.
        member.compositeOver(run, missing -> CAUSE);
        member.take(new Notice.Wanted(new CallKey.Ticket(0, 9, "off", 7, 2, null)));
        assertThat(log).containsExactly("says Refused");
    }

    @Test
    void batchThatComesTwice_isRefused() {
        member.take(new Notice.Batch(3, List.of()));
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> member.take(new Notice.Batch(3, List.of())));
    }

    @Test
    void memberThatCannotGoOn_failsEverything_andSaysSo() {
        submit("a");
        submit("b");
        announce("a");
        log.clear();
        member.giveUp(CAUSE);
        submit("c");
        assertThat(log)
                .containsExactly(
                        "b fails: INVALID []",
                        "abandons 9",
                        "says Ended abandoned",
                        "says Left",
                        "c fails: INVALID []");
    }

    @Test
    void senselessNotices_areRefused() {
        List<Notice> senseless = List.of(
                new Notice.Over(STEP, true, CAUSE),
                new Notice.Batch(0, List.of(new NameReference.New(key("a")))),
                new Notice.Asked(key("a")),
                new Notice.Refused(key("a"), CAUSE));
        for (Notice notice : senseless) {
            assertThatExceptionOfType(ProtocolException.class).as("%s", notice).isThrownBy(() -> member.take(notice));
        }
    }
}
