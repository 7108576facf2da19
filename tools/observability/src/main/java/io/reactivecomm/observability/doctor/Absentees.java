package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.GroupRecord;
import io.reactivecomm.recorder.LoopRecord;
import io.reactivecomm.recorder.ThreadRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A rank that others wait for, and that waits for none of them: where its program is instead tells what is wrong with it. */
final class Absentees implements Symptom {

    @Override
    public List<Finding> find(Evidence evidence) {
        List<Finding> found = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        for (RankWait wait : evidence.waits()) {
            RankHistory late = evidence.rank(wait.missing());
            if (late != null && seen.add(late.rank())) {
                look(wait, late, evidence, found);
            }
        }
        return found;
    }

    private static void look(RankWait wait, RankHistory late, Evidence evidence, List<Finding> found) {
        MadeCall made = late.find(wait.id());
        MadeCall last = late.lastEnded();
        if (made != null) {
            cameLate(wait, late, made, evidence, found);
        } else if (last != null && last.failure() != null && !late.hasLive() && isBefore(last, wait, evidence)) {
            found.add(swallowed(last, last.failure(), late, wait, evidence));
        } else if (late.wentPast(wait.call()) || late.hasLive()) {
            if (!isWaitingItself(late, evidence)) {
                found.add(skipped(late, wait, evidence, passedBy(late)));
            }
        } else if (!hasLeft(late, wait)) {
            lookAtProgram(wait, late, evidence, found);
        }
    }

    /** It waits in no call: what its program does instead tells whether it is late or over. */
    private static void lookAtProgram(RankWait wait, RankHistory late, Evidence evidence, List<Finding> found) {
        ThreadRecord caller = late.caller().orElse(null);
        boolean isOver = caller == null || Stacks.programFrame(caller.stack()).isEmpty();
        if (isOver && !isLoop(late.dump().loop(), caller)) {
            found.add(skipped(
                    late, wait, evidence, "its program makes no further call: it has skipped one, or has ended early"));
        } else {
            found.add(busy(late, caller, wait, evidence));
        }
    }

    /** It has made the call: long after others had begun to wait in it, or it has failed there alone. */
    private static void cameLate(
            RankWait wait, RankHistory late, MadeCall made, Evidence evidence, List<Finding> found) {
        RankHistory waiter = evidence.rank(wait.waiter());
        MadeCall theirs = waiter == null ? null : waiter.find(wait.id());
        if (waiter == null || theirs == null) {
            return;
        }
        FailureRecord failure = made.failure();
        long behind = late.wallMicros(made.subscribedMicrosAgo()) - waiter.wallMicros(theirs.subscribedMicrosAgo());
        if (failure != null && !failure.is(FailureRecord.TIMEOUT) && theirs.failure() == null) {
            found.add(swallowed(made, failure, late, wait, evidence));
        } else if (!wait.isLive() && behind >= wait.micros() / 2) {
            found.add(new Finding(
                    Disease.SLOW_RANK,
                    List.of(late.rank()),
                    wait.call().label(),
                    "Rank " + late.rank() + " was late in " + Words.call(wait.call()) + ": it made it "
                            + Words.seconds(behind) + " after " + Words.ranks(evidence.waiters(wait.id()))));
        }
    }

    /** {@return whether the waiter has that call behind it: it went on from there to the one in which it waits} */
    private static boolean isBefore(MadeCall call, RankWait wait, Evidence evidence) {
        RankHistory waiter = evidence.rank(wait.waiter());
        MadeCall there = waiter == null ? null : waiter.find(call.id());
        return there != null && !there.isLive();
    }

    private static Finding swallowed(
            MadeCall failed, FailureRecord failure, RankHistory late, RankWait wait, Evidence evidence) {
        List<Integer> waiters = evidence.waiters(wait.id());
        RankHistory waiter = evidence.rank(wait.waiter());
        MadeCall there = waiter == null ? null : waiter.find(failed.id());
        boolean isAlone = there == null || there.failure() == null;
        String who = isAlone
                ? "failed on rank " + late.rank()
                        + " alone, whose program swallowed the error and has not made what follows"
                : "failed; " + Words.ranks(waiters) + " swallowed the error and went on, rank " + late.rank()
                        + " did not";
        return new Finding(
                Disease.SWALLOWED_ERROR,
                isAlone ? List.of(late.rank()) : waiters,
                failed.call().label(),
                Words.call(failed.call()) + " " + who + evidence.whoWaits(late.rank()) + "; the error: "
                        + failure.text());
    }

    /** Whoever waits for a rank that is not there is none of the culprits: somewhere down the line is one, or a circle. */
    private static boolean isWaitingItself(RankHistory late, Evidence evidence) {
        return evidence.waits().stream()
                .anyMatch(wait -> wait.waiter() == late.rank() && wait.isLive() && evidence.isOpen(wait));
    }

    private static String passedBy(RankHistory late) {
        MadeCall last = late.latest();
        return "it has skipped it, and is in " + Words.call(last.call()) + (last.isLive() ? "" : ", which has ended");
    }

    private static Finding skipped(RankHistory late, RankWait wait, Evidence evidence, String how) {
        RankHistory waiter = evidence.rank(wait.waiter());
        MadeCall before = waiter == null ? null : waiter.before(wait.call());
        String place =
                before == null ? "" : ", which comes after " + before.call().label();
        return new Finding(
                Disease.SKIPPED_CALL,
                List.of(late.rank()),
                wait.call().label(),
                "Rank " + late.rank() + " has not made " + Words.call(wait.call()) + place + ": " + how
                        + evidence.whoWaits(late.rank()));
    }

    private static boolean hasLeft(RankHistory late, RankWait wait) {
        return late.dump().state().groups().stream()
                .filter(group -> group.id() == wait.call().group())
                .anyMatch(GroupRecord::isClosed);
    }

    private static boolean isLoop(LoopRecord loop, @Nullable ThreadRecord caller) {
        return caller != null
                && loop.thread().equals(caller.name())
                && !Stacks.programFrame(loop.stack()).isEmpty();
    }

    private static Finding busy(RankHistory late, @Nullable ThreadRecord caller, RankWait wait, Evidence evidence) {
        MadeCall last = late.lastEnded();
        String since = last == null
                ? "has made no call yet"
                : "has made none since " + last.call().label() + at(last, wait);
        String doing = caller == null ? "" : "; " + Stacks.doing(caller);
        boolean isLocked = caller != null && !caller.lockOwner().isEmpty();
        return new Finding(
                isLocked ? Disease.DEADLOCK : Disease.SLOW_RANK,
                List.of(late.rank()),
                wait.call().label(),
                "Rank " + late.rank() + " is late: it waits in no call" + butIdle(late) + ", and " + since + doing
                        + evidence.whoWaits(late.rank()));
    }

    private static String butIdle(RankHistory late) {
        MadeCall idle = late.idle();
        return idle == null ? "" : " but " + Words.call(idle.call()) + ", which may be idle";
    }

    private static String at(MadeCall last, RankWait wait) {
        boolean isBehind =
                last.call().step() >= 0 && wait.call().step() > last.call().step();
        return isBehind ? ", while others are in scope " + wait.call().step() : "";
    }
}
