package io.reactivecomm.sequence;

import io.reactivecomm.internal.base.ErrorTexts;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineCall;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.GroupKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The sentences in which calls fail here: what failed, the facts, what to do. */
final class FailureTexts {

    private static final String NOT_ISSUED = "has not issued it";

    private static final String SUBSCRIPTION_ORDER =
            "let all ranks subscribe to these calls in one order, or to all of them before they wait for any: flatMap"
                    + " subscribes to 256 at a time unless a concurrency is given, flatMap(mapper, concurrency)";

    private FailureTexts() {}

    /** A call did not have its turn by its deadline. */
    static Failure timeout(MemberCall entry) {
        List<Integer> missing = entry.missing();
        String latest = entry.latest();
        boolean isFromAny = entry.key() instanceof CallKey.Message message && message.source() < 0;
        String remedy = isFromAny
                ? "it takes a message from any rank on this engine: check that one is sent by this name and tag, on no other engine, or raise the timeout"
                : entry.isOrder()
                        ? SUBSCRIPTION_ORDER
                        : missing.isEmpty()
                                ? "check that rank 0, which orders the calls, makes progress, or raise the timeout"
                                : "check that " + ranks(missing)
                                        + " is alive and issues this call, or raise the timeout";
        return failed(entry, missing, (latest.isEmpty() ? "" : ", " + latest) + "; " + remedy);
    }

    /** A call had its turn everywhere, and its engine did not end it by its deadline. */
    static Failure stuck(MemberCall entry) {
        return failed(
                entry,
                List.of(),
                "; every rank has issued it and the engine has begun it: the ranks are slow, or the engine is stuck, or the"
                        + " timeout is short");
    }

    static Failure unended(MemberCall entry) {
        return failed(
                entry, List.of(), "; its group has failed, and the engine does not end it: the engine has a fault");
    }

    private static Failure failed(MemberCall entry, List<Integer> missing, String rest) {
        EngineGroup group = entry.call().group();
        return new Failure(
                Failure.Kind.TIMEOUT,
                rank(group),
                entry.label() + " timed out: rank=" + rank(group) + ", missing=" + missing + ", worldSize="
                        + group.worldRanks().size() + ", call=" + entry.key().label() + ", waited="
                        + seconds(entry.timeoutNanos()) + rest,
                missing);
    }

    /** A call has waited for long. */
    static String stalled(MemberCall entry, long waitedNanos) {
        return entry.label() + " is waiting: rank=" + rank(entry.call().group()) + ", missing=" + entry.missing()
                + ", call="
                + entry.key().label() + ", waited=" + seconds(waitedNanos) + ", " + entry.latest() + "; it fails "
                + seconds(entry.timeoutNanos())
                + " after it began";
    }

    /** What ended a call's group, for the call. */
    static Failure during(Failure cause, EngineCall call, CallKey key) {
        return cause.withText(call.collective().label() + " failed: call=" + key.label() + ", " + cause.text());
    }

    /** The leader can remember no more of what failed. */
    static Failure tooManyFailures(GroupKey group, int most) {
        return new Failure(
                Failure.Kind.INVALID,
                Leader.RANK,
                "the group ended: group=" + group.id() + ", failed calls that not all of its ranks have made: more"
                        + " than " + most + "; let all ranks make the same calls, also those that fail");
    }

    /** A rank left the world in good order. */
    static Failure departed(int rank) {
        return new Failure(
                Failure.Kind.PEER_LOST,
                rank,
                "rank " + rank + " has left in good order: rank=" + rank
                        + "; let all ranks make the same calls before they close");
    }

    /** A rank that was to help to open a group has gone. */
    static Failure notOpened(GroupKey group, Failure cause) {
        return cause.withText("the group was not opened: group=" + group.id() + ", " + cause.text());
    }

    /** Something was to be split from a group that this rank's engine has no more. */
    static Failure notHeld(int rank, GroupKey group) {
        return new Failure(
                Failure.Kind.CLOSED,
                rank,
                "the group has ended on the engine of a rank: group=" + group.id() + ", rank=" + rank);
    }

    /** Nothing can be split, since a rank has gone or what it was to be split from has ended: the members open the group alone. */
    static Failure openedAnew(GroupKey group) {
        return new Failure(
                Failure.Kind.PEER_LOST,
                Leader.RANK,
                "a rank that was to help to open the group has gone, or what it was to"
                        + " be split from has ended; its members open it alone: group=" + group.id());
    }

    /** Rank 0 left the world in good order, and nobody orders calls any more. */
    static Failure leaderDeparted() {
        return new Failure(
                Failure.Kind.PEER_LOST,
                Leader.RANK,
                "rank " + Leader.RANK + ", which orders the calls of all ranks, has left in good" + " order: rank="
                        + Leader.RANK + "; let it close last");
    }

    /** Rank 0 cannot be reached. */
    static Failure leaderLost(String cause) {
        return new Failure(
                Failure.Kind.PEER_LOST,
                Leader.RANK,
                "rank " + Leader.RANK + ", which orders the calls of all ranks, is out of reach:" + " rank="
                        + Leader.RANK + ", cause=" + cause + "; look at that rank's own output, then connect anew");
    }

    /** A rank cannot be reached by rank 0. */
    static Failure lost(int rank, String cause) {
        return new Failure(
                Failure.Kind.PEER_LOST,
                rank,
                "rank " + rank + " is out of reach: rank=" + rank + ", cause=" + cause
                        + "; look at that rank's own output, then connect anew");
    }

    /** The sequencer, or the engine behind it, threw. */
    static Failure fault(int rank, String name, Throwable cause) {
        return new Failure(
                Failure.Kind.INTERNAL,
                rank,
                "an engine failed: engine=" + name + ", rank=" + rank + ", cause=" + ErrorTexts.describe(cause)
                        + "; look at that rank's own output");
    }

    /** The engine ended a call with no end that one could tell of. */
    static Failure unsaid(String name, MemberCall entry) {
        return unsaid(entry.rank(), name, "call=" + entry.key().label());
    }

    /** The engine said that an opening or a freeing failed, and not why. */
    static Failure unsaid(String name, GroupOpening opening) {
        return unsaid(opening.rank(), name, "group=" + opening.group().id());
    }

    private static Failure unsaid(int rank, String name, String what) {
        return new Failure(
                Failure.Kind.INTERNAL,
                rank,
                "an engine did not say how something ended: engine=" + name + ", rank=" + rank + ", " + what
                        + "; the engine has a fault");
    }

    static Failure closed(int rank) {
        return new Failure(
                Failure.Kind.CLOSED,
                rank,
                "the group was closed: rank=" + rank + "; end all calls before close, or connect anew");
    }

    /** A member closed one group. */
    static Failure closedByMember(EngineGroup group) {
        int rank = rank(group);
        return new Failure(
                Failure.Kind.PEER_LOST,
                rank,
                "rank " + rank + " has closed the group: rank=" + rank
                        + "; let all ranks make the same calls before they close");
    }

    /** An identity came a second time, or in an order that this rank knows nothing of. */
    static Failure internal(int rank, String what, CallKey key) {
        return new Failure(
                Failure.Kind.INTERNAL,
                rank,
                what + ": rank=" + rank + ", call=" + key.label() + "; this is a fault of the library");
    }

    /** Ranks called different things; {@code called} has what each said by world rank. */
    static Failure mismatch(CallKey key, List<Integer> worldRanks, Map<Integer, Notice.Ready> called) {
        Map<Integer, String> words = new HashMap<>();
        called.forEach((rank, ready) -> words.put(rank, ready.words()));
        return mismatch(key, Exchanges.culprit(worldRanks, called), worldRanks, words);
    }

    /** {@return the verdict for a rank that made its call after it: it names that call} */
    static Failure withOwn(Failure verdict, CallKey key, int rank, String called) {
        String notIssued = ", rank " + rank + " " + NOT_ISSUED;
        boolean isOfCall =
                verdict.kind() == Failure.Kind.MISMATCH && verdict.text().contains("call=" + key.label() + ", ");
        String replacement = isOfCall ? ", rank " + rank + " called " + called : notIssued;
        return verdict.withText(verdict.text().replace(notIssued, replacement));
    }

    /** Ranks began different composite calls under one identity, or some began one and others called something else. */
    static Failure otherComposite(CallKey.Ticket run, List<Integer> worldRanks, Map<Integer, String> called) {
        List<Integer> spoke = worldRanks.stream().filter(called::containsKey).toList();
        int culprit = spoke.stream()
                .filter(rank -> !Objects.equals(called.get(rank), called.get(spoke.getFirst())))
                .findFirst()
                .orElse(worldRanks.getFirst());
        return mismatch(run, culprit, worldRanks, called);
    }

    private static Failure mismatch(CallKey key, int culprit, List<Integer> worldRanks, Map<Integer, String> called) {
        List<String> who = worldRanks.stream()
                .map(rank ->
                        "rank " + rank + (called.containsKey(rank) ? " called " + called.get(rank) : " " + NOT_ISSUED))
                .toList();
        return new Failure(
                Failure.Kind.MISMATCH,
                culprit,
                "ranks issued different calls under one identity: call=" + key.label() + ", " + String.join(", ", who)
                        + "; let all ranks make the same calls in the same order, with the same algorithms and bits, or name the calls");
    }

    private static String ranks(List<Integer> ranks) {
        return ranks.size() == 1 ? "rank " + ranks.getFirst() : "each of ranks " + ranks;
    }

    static int rank(EngineGroup group) {
        return group.worldRanks().get(group.rank());
    }

    private static String seconds(long nanos) {
        double seconds = Duration.ofNanos(nanos).toMillis() / 1000.0;
        return (seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds)) + " s";
    }
}
