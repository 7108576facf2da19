package io.reactivecomm.internal.engine;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.List;
import reactor.core.Exceptions;

/** The sentences in which groups end and calls fail with them: what failed, the facts, what to do. */
public final class Failures {

    private Failures() {}

    /** A rank died or fell silent. */
    static Failure lost(int lostRank, String cause) {
        return new Failure(
                Failure.Kind.PEER_LOST,
                lostRank,
                "lost rank " + lostRank + ": rank=" + lostRank + ", cause=" + cause
                        + "; look at that rank's own output, then connect anew");
    }

    /** This rank is lost to the others: they go on without it. */
    static Failure lostToOthers(int rank, String cause) {
        return new Failure(
                Failure.Kind.PEER_LOST,
                rank,
                "this rank was declared lost: rank=" + rank + ", cause=" + cause
                        + "; look whether it was stopped or its network failed, then connect anew");
    }

    /**
     * Two ranks do not hear each other.
     *
     * @param culprit the one of them that is named, whichever is at fault
     */
    static Failure cut(int one, int other, int culprit, String cause) {
        return new Failure(
                Failure.Kind.PEER_LOST,
                culprit,
                "the network is cut: ranks=" + List.of(Math.min(one, other), Math.max(one, other)) + ", cause=" + cause
                        + "; look at both ranks' own output and at the network between them, then connect anew");
    }

    /** A rank left in good order, and the call needed it. */
    static Failure departed(String what, String label, int rank) {
        return new Failure(
                Failure.Kind.PEER_LOST,
                rank,
                what + " cannot complete: call=" + label + ", rank " + rank
                        + " has left the group in good order; let all ranks make the same calls before they close");
    }

    public static Failure closed(int rank) {
        return new Failure(
                Failure.Kind.CLOSED,
                rank,
                "the group was closed: rank=" + rank + "; end all calls before close, or connect anew");
    }

    public static Failure aborted(int rank, String reason) {
        return new Failure(
                Failure.Kind.CLOSED,
                rank,
                "the group was aborted: rank=" + rank + ", reason=" + reason + "; connect anew");
    }

    /** Something failed on a rank that must not. */
    public static Failure fatal(int rank, Throwable error) {
        return fatal(rank, "rank " + rank, "that rank", error);
    }

    /** Something failed on a loop that must not, and that is none of its ranks'. */
    public static Failure fatalOnLoop(int rank, String loop, Throwable error) {
        return fatal(rank, "a loop of several ranks, thread=" + loop, "their process", error);
    }

    private static Failure fatal(int rank, String where, String who, Throwable error) {
        String remedy = error instanceof OutOfMemoryError
                ? "give " + who
                        + " more memory, run it with -XX:+ExitOnOutOfMemoryError so that it ends at once, and connect anew"
                : "look at " + who + "'s own output, then connect anew";
        String what = Exceptions.isJvmFatal(error) ? "fatal error" : "internal error";
        return new Failure(
                        Failure.Kind.CLOSED,
                        rank,
                        what + " on " + where + ": " + ErrorTexts.describe(error) + "; " + remedy)
                .withCause(error);
    }

    /** This rank ended a group that had ended before. */
    static Failure after(Failure before, Failure own) {
        return own.withText(own.text() + " (before that it had ended: " + before.text() + ")");
    }

    /** A composite call's body made fewer calls here than elsewhere. @param missing one of them, or empty if it is not known which */
    public static Failure compositeOver(int rank, String operation, String label, String missing) {
        return new Failure(
                Failure.Kind.MISMATCH,
                rank,
                operation + " is over on a rank without a call that others made in it: rank=" + rank + ", call=" + label
                        + (missing.isEmpty() ? "" : ", missing=" + missing)
                        + "; let its body make the same calls on all ranks");
    }

    /** A composite call's subscriber cancelled it, and its body with it. */
    public static Failure compositeCancelled(int rank, String operation, String label) {
        return new Failure(
                Failure.Kind.CLOSED,
                rank,
                operation + " was cancelled on a rank: rank=" + rank + ", call=" + label
                        + "; let all ranks end it alike, or look why that one did not want the rest");
    }

    /** A composite call did not end by its deadline. */
    static Failure compositeTimeout(int rank, Composite run) {
        return new Failure(
                Failure.Kind.TIMEOUT,
                rank,
                run.operation() + " timed out: rank=" + rank + ", call=" + run.label() + ", waited="
                        + seconds(run.timeoutNanos())
                        + "; its body is slow or waits for a rank: raise the timeout, or look at the warnings before");
    }

    /** A call was made in a composite call that was over. */
    static Failure compositeClosed(int rank, Composite run) {
        return new Failure(
                Failure.Kind.INVALID,
                rank,
                run.operation() + " is over, and no call can be made in it: rank=" + rank + ", call=" + run.label()
                        + "; make calls in its body, and wait for them there");
    }

    /** What ended a composite call's group, for the composite. */
    static Failure during(Failure cause, Composite run) {
        return cause.withText(run.operation() + " failed: call=" + run.label() + ", " + cause.text());
    }

    static String ranks(List<Integer> ranks) {
        return ranks.size() == 1 ? "rank " + ranks.getFirst() : "each of ranks " + ranks;
    }

    static String seconds(long nanos) {
        double seconds = Duration.ofNanos(nanos).toMillis() / 1000.0;
        return (seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds)) + " s";
    }
}
