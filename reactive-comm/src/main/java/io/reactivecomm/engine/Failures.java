package io.reactivecomm.engine;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.collective.MonitoredBarrier;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The sentences in which calls fail: what failed, the facts, what to do. */
final class Failures {

    private Failures() {}

    /** A call did not end by its deadline. */
    static Failure timeout(Call call, int rank, List<Integer> allMissing) {
        boolean onlyFirst = call.collective() instanceof MonitoredBarrier barrier && !barrier.waitAllRanks();
        List<Integer> missing = onlyFirst ? allMissing.stream().limit(1).toList() : allMissing;
        List<String> facts = new ArrayList<>();
        Stall stall = call.stall();
        for (int each : missing) {
            if (stall != null) {
                facts.add(stall.latestOf(each));
            }
        }
        String who = missing.isEmpty() ? "the ranks are slow or the timeout is short: raise it"
                : "check that " + ranks(missing) + " is alive and issues this call, or raise the timeout";
        return new Failure(
                Failure.Kind.TIMEOUT,
                rank,
                call.collective().label() + " timed out: rank=" + rank + ", missing=" + missing + ", worldSize=" + call.groupSize()
                        + ", call=" + call.label() + ", waited=" + seconds(call.submission().timeoutNanos())
                        + (facts.isEmpty() ? "" : ", " + String.join(", ", facts)) + "; " + who,
                missing);
    }

    /** A call has waited for long. */
    static String stalled(Call call, int rank, long waitedNanos, List<Integer> notIssued, List<Integer> silent) {
        StringBuilder text = new StringBuilder(call.collective().label()).append(" is waiting: rank=").append(rank);
        text.append(", missing=").append(notIssued).append(", call=").append(call.label());
        text.append(", waited=").append(seconds(waitedNanos));
        Stall stall = call.stall();
        if (stall != null) {
            notIssued.forEach(each -> text.append(", ").append(stall.latestOf(each)));
        }
        if (!silent.isEmpty()) {
            text.append(", no answer from ").append(silent);
        }
        return text.append("; it fails ").append(seconds(call.submission().timeoutNanos())).append(" after it began").toString();
    }

    /** A rank died or fell silent. */
    static Failure lost(int lostRank, String cause) {
        return new Failure(Failure.Kind.PEER_LOST, lostRank, "lost rank " + lostRank + ": rank=" + lostRank + ", cause=" + cause
                + "; look at that rank's own output, then connect anew");
    }

    /** The same, for one call. */
    static Failure during(Failure lost, Call call) {
        return new Failure(lost.kind(), lost.culprit(), call.collective().label() + " failed: call=" + call.label() + ", " + lost.text(),
                lost.missing());
    }

    /** A rank left in good order, and the call needed it. */
    static Failure departed(String what, String label, int rank) {
        return new Failure(Failure.Kind.PEER_LOST, rank, what + " cannot complete: call=" + label + ", rank " + rank
                + " has left the group in good order; let all ranks make the same calls before they close");
    }

    static Failure closed(int rank) {
        return new Failure(Failure.Kind.CLOSED, rank, "the group was closed: rank=" + rank + "; end all calls before close, or connect anew");
    }

    static Failure aborted(int rank, String reason) {
        return new Failure(Failure.Kind.CLOSED, rank, "the group was aborted: rank=" + rank + ", reason=" + reason + "; connect anew");
    }

    /** The call needs memory that the machine does not have. */
    static Failure noMemory(Call call, int rank, long bytes) {
        return new Failure(Failure.Kind.INTERNAL, rank, call.collective().label() + " got no memory: rank=" + rank + ", call=" + call.label()
                + ", algorithm=" + call.algorithm() + ", bytes=" + bytes + "; free memory, or choose an algorithm without scratch");
    }

    /** A caller's own operator threw. */
    static Failure spoiled(Call call, int rank, InvalidCallException error) {
        return new Failure(Failure.Kind.INVALID, rank, call.collective().label() + " failed: rank=" + rank + ", call=" + call.label() + ", "
                + error.getMessage());
    }

    /** A message and its receive differ. */
    static Failure mismatchedMessage(Call receive, int receiver, String sent, int sender) {
        return new Failure(Failure.Kind.MISMATCH, receiver, "message and receive differ: call=" + receive.label() + ", rank " + sender
                + " called send" + shape(sent) + ", rank " + receiver + " called receive" + shape(receive.signature().describe())
                + "; give both the same type and count");
    }

    /** {@return the part in parentheses: a send and its receive have one operation, {@code message}} */
    private static String shape(String description) {
        return description.substring(description.indexOf('('));
    }

    static String ranks(List<Integer> ranks) {
        return ranks.size() == 1 ? "rank " + ranks.getFirst() : "each of ranks " + ranks;
    }

    private static String seconds(long nanos) {
        double seconds = Duration.ofNanos(nanos).toMillis() / 1000.0;
        return (seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds)) + " s";
    }
}
