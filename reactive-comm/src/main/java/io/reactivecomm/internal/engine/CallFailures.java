package io.reactivecomm.internal.engine;

import io.reactivecomm.collective.MonitoredBarrier;
import io.reactivecomm.internal.transfer.TransferFault;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.List;

/** The sentences in which one call fails or waits: what failed, the facts, what to do. */
final class CallFailures {

    private CallFailures() {}

    /** {@return the failure of a call whose steps cannot be done} */
    static Failure of(Call call, TransferFault fault) {
        int own = call.group().worldRank(call.group().rank());
        Failure.Kind kind;
        int culprit;
        String text;
        switch (fault) {
            case TransferFault.Spoiled spoiled -> {
                kind = Failure.Kind.INVALID;
                culprit = spoiled.culprit() == TransferFault.OWN ? own : spoiled.culprit();
                text = spoiledText(call, culprit, spoiled.why());
            }
            case TransferFault.NoMemory missing -> {
                kind = Failure.Kind.INTERNAL;
                culprit = own;
                text = noMemoryText(call, own, missing.bytes());
            }
        }
        return new Failure(kind, culprit, text);
    }

    /**
     * A call did not end by its deadline.
     *
     * @param otherCalls a part of the text about missing ranks that wait in other calls of the group; may be empty
     * @param heldUp what is to be said of loops that do not turn, or nothing
     */
    static Failure timeout(Call call, int rank, List<Integer> allMissing, String otherCalls, String heldUp) {
        boolean onlyFirst = call.collective() instanceof MonitoredBarrier barrier && !barrier.waitAllRanks();
        List<Integer> missing = onlyFirst ? allMissing.stream().limit(1).toList() : allMissing;
        List<String> facts = new ArrayList<>();
        Stall stall = call.stall();
        for (int each : missing) {
            if (stall != null) {
                facts.add(stall.latestOf(each));
            }
        }
        String who = !heldUp.isEmpty()
                ? "use publishOn there before work that takes long or blocks"
                : Missing.isFromAny(call)
                        ? "it takes a message from any rank over links: check that one is sent by this name and tag, on no other engine, or"
                                + " raise the timeout"
                        : !otherCalls.isEmpty() || stall != null && stall.hasAssembled(missing)
                                ? "let all ranks subscribe to these calls in one order, or to all of them before they wait for any: flatMap subscribes to 256 at a time unless"
                                        + " a concurrency is given, flatMap(mapper, concurrency)"
                                : missing.isEmpty()
                                        ? "the ranks are slow or the timeout is short: raise it"
                                        : "check that " + Failures.ranks(missing)
                                                + " is alive and issues this call, or raise the timeout";
        return new Failure(
                Failure.Kind.TIMEOUT,
                rank,
                call.collective().label() + " timed out: rank=" + rank + ", missing=" + missing + ", worldSize="
                        + call.groupSize()
                        + ", call=" + call.label() + ", waited="
                        + Failures.seconds(call.submission().timeoutNanos())
                        + (facts.isEmpty() ? "" : ", " + String.join(", ", facts)) + otherCalls + heldUp + "; " + who,
                missing);
    }

    /** {@return the warning about a call that has waited for long} @param more a part of the text about missing ranks' other calls and held-up loops; may be empty */
    static String stalled(
            Call call, int rank, long waitedNanos, List<Integer> notIssued, List<Integer> silent, String more) {
        StringBuilder text = new StringBuilder(call.collective().label())
                .append(" is waiting: rank=")
                .append(rank);
        text.append(", missing=").append(notIssued).append(", call=").append(call.label());
        text.append(", waited=").append(Failures.seconds(waitedNanos));
        Stall stall = call.stall();
        if (stall != null) {
            notIssued.forEach(each -> text.append(", ").append(stall.latestOf(each)));
        }
        if (!silent.isEmpty()) {
            text.append(", no answer from ").append(silent);
        }
        return text.append(more)
                .append("; it fails ")
                .append(Failures.seconds(call.submission().timeoutNanos()))
                .append(" after it began")
                .toString();
    }

    /** What ended all calls of a group, for one of them. */
    static Failure during(Failure lost, Call call) {
        return lost.withText(call.collective().label() + " failed: call=" + call.label() + ", " + lost.text());
    }

    /** The call needs memory that the machine does not have. */
    private static String noMemoryText(Call call, int rank, long bytes) {
        return call.collective().label() + " got no memory: rank=" + rank + ", call=" + call.label() + ", algorithm="
                + call.algorithm() + ", bytes=" + bytes + "; free memory, or choose an algorithm without scratch";
    }

    /** A caller's own operator threw, or its memory is gone. */
    static Failure spoiled(Call call, int rank, String why) {
        return new Failure(Failure.Kind.INVALID, rank, spoiledText(call, rank, why));
    }

    private static String spoiledText(Call call, int rank, String why) {
        return call.collective().label() + " failed: rank=" + rank + ", call=" + call.label() + ", " + why;
    }

    /** A message and its receive differ. */
    static Failure mismatchedMessage(Call receive, int receiver, String sent, int sender) {
        return new Failure(
                Failure.Kind.MISMATCH,
                receiver,
                "message and receive differ: call=" + receive.label() + ", rank " + sender
                        + " called send" + shape(sent) + ", rank " + receiver + " called receive"
                        + shape(receive.signature().describe())
                        + "; give both the same type and count");
    }

    /** The ends of a message were given to two engines. */
    static Failure engines(
            CallKey.Message message, int sender, String sent, int receiver, String received, int culprit) {
        return new Failure(
                Failure.Kind.MISMATCH,
                culprit,
                "the two ends of a message went to different engines: call=" + message.label() + ", rank "
                        + sender + " called " + sent + ", rank " + receiver + " called " + received
                        + "; have both tensors where one engine takes them, or give the messages tags of their own");
    }

    /** {@return the part in parentheses: a send and its receive have one operation, {@code message}} */
    static String shape(String description) {
        return description.substring(description.indexOf('('));
    }
}
