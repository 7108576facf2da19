package io.reactivecomm.simulator;

import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.simulator.SimulatedComposite.Fault;
import io.reactivecomm.spi.Failure;
import org.jspecify.annotations.Nullable;

/** Holds every end of a composite call against what was wrong with it. */
final class CompositeJudge {

    private final EventQueue agenda;

    CompositeJudge(EventQueue agenda) {
        this.agenda = agenda;
    }

    /** {@return whether a call failed because of a composite that it is in, or that others make in its place} */
    static boolean explains(@Nullable BodyStep place, Failure failure) {
        return place != null && explains(place.body(), failure);
    }

    /** {@return whether a failure is that of a composite, or of one that it is in} */
    static boolean explains(SimulatedComposite plan, Failure failure) {
        return isOwn(plan, failure) || explains(plan.inside(), failure);
    }

    private static boolean isOwn(SimulatedComposite plan, Failure failure) {
        String text = failure.text();
        boolean isCulprit = plan.odd() >= 0 && failure.culprit() == plan.oddRank();
        boolean isOver = isOver(plan, failure);
        return switch (plan.fault()) {
            case NONE -> false;
            case FAILS ->
                isCulprit
                        && failure.kind() == Failure.Kind.INVALID
                        && text.contains(plan.operation(plan.odd()) + " failed: ")
                        && names(plan, text, ";");
            case INVALID ->
                isCulprit
                        && failure.kind() == Failure.Kind.INVALID
                        && text.contains(" cannot begin: ")
                        && names(plan, text, ";");
            case LEAVES -> isCulprit && isOver || isCulprit && isClosed(plan, failure);
            case CANCELS ->
                isCulprit
                                && failure.kind() == Failure.Kind.CLOSED
                                && text.contains(" was cancelled on a rank: ")
                                && names(plan, text, ";")
                        || isCulprit && isClosed(plan, failure);
            case OTHER, PLAIN -> isOver || isVerdict(plan, failure);
            case ABSENT, HURRY -> failure.kind() == Failure.Kind.TIMEOUT;
        };
    }

    /** {@return whether a failure says that a composite's body made fewer calls on some rank} */
    static boolean isOver(SimulatedComposite plan, Failure failure) {
        return failure.kind() == Failure.Kind.MISMATCH
                && failure.text().contains("is over on a rank without a call")
                && (names(plan, failure.text(), ";") || names(plan, failure.text(), ", missing="));
    }

    private static boolean isVerdict(SimulatedComposite plan, Failure failure) {
        return failure.kind() == Failure.Kind.MISMATCH
                && failure.text().contains("different calls under one identity")
                && names(plan, failure.text(), ",");
    }

    private static boolean names(SimulatedComposite plan, String text, String behind) {
        return text.contains("call=" + plan.label() + behind);
    }

    /** A call that was about to begin when the body was over. */
    private static boolean isClosed(SimulatedComposite plan, Failure failure) {
        return failure.kind() == Failure.Kind.INVALID
                && failure.text().contains("is over, and no call can be made in it")
                && names(plan, failure.text(), ";");
    }

    /** A composite ends: behind all that is in it, and by its deadline. */
    void ends(VirtualBody body) {
        agenda.note(-1 - body.plan().index() * 64L - body.part().groupRank(), agenda.now());
        for (Caller caller : body.callers()) {
            if (caller.hasBegun() && caller.endedAt() == Caller.NOT_YET) {
                throw new Violation("a composite ended before a call in it: " + body + ", " + caller);
            }
        }
        long timeoutNanos = body.part().timeoutNanos();
        if (timeoutNanos != Composite.NO_DEADLINE && agenda.now() > body.begunAt() + timeoutNanos + Judge.SLACK_NANOS) {
            throw new Violation("a composite ended late: due=" + (body.begunAt() + timeoutNanos) + ", now="
                    + agenda.now() + ", " + body);
        }
    }

    /** A composite succeeds where nothing that it needs was missing. */
    void succeeded(VirtualBody body) {
        SimulatedComposite plan = body.plan();
        boolean isOdd = plan.odd() == body.part().groupRank();
        if (isOdd && (plan.fault() == Fault.FAILS && body.hasStopped() || plan.fault() == Fault.INVALID)) {
            throw new Violation("a composite succeeded though its body failed: " + body);
        }
        for (Caller caller : body.callers()) {
            Failure failure = caller.failure();
            if (failure != null
                    && failure.kind() != Failure.Kind.TIMEOUT
                    && explains(plan, failure)
                    && !isClosed(plan, failure)) {
                throw new Violation("a composite succeeded though it failed a call in it: " + failure + ", " + body);
            }
            if (isOdd
                    && plan.fault() == Fault.OTHER
                    && caller.work() != null
                    && caller.plan() instanceof CallPlan.Together
                    && caller.plan().team().size() > 1) {
                throw new Violation("another composite succeeded than the one that others make, with a call of theirs: "
                        + body + ", " + caller);
            }
        }
    }
}
