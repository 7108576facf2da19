package io.reactivecomm.observability.doctor;

import io.reactivecomm.observability.internal.MissingRanks;
import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.FlightDump;
import io.reactivecomm.recorder.LiveCall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The dumps of a job, the newest of each rank, and what follows from them: who waits for whom, and who is to blame already. */
final class Evidence {

    private final TreeMap<Integer, RankHistory> ranks = new TreeMap<>();
    private final int worldSize;
    private final List<RankWait> waits = new ArrayList<>();
    private final MissingRanks<CallId> missing = new MissingRanks<>();
    private final Set<Integer> blamed = new HashSet<>();

    Evidence(Collection<FlightDump> dumps) {
        dumps.stream()
                .sorted(Comparator.comparing((FlightDump each) -> each.origin().time()))
                .forEach(each -> ranks.put(each.rank(), new RankHistory(each)));
        worldSize = dumps.stream()
                .mapToInt(each -> Math.max(each.origin().worldSize(), each.rank() + 1))
                .max()
                .orElse(0);
        ranks.values().forEach(each -> addWaits(each.dump()));
    }

    private void addWaits(FlightDump dump) {
        for (LiveCall call : dump.state().live()) {
            List<Integer> late = call.mayBeIdle() ? List.of() : call.missing();
            missing.add(CallId.of(call.call()), dump.rank(), late);
            late.forEach(each -> waits.add(RankWait.of(dump.rank(), call, each)));
        }
        for (EndedCall call : dump.state().ended()) {
            FailureRecord failure = call.failure();
            boolean isTimeout = failure != null && failure.is(FailureRecord.TIMEOUT);
            List<Integer> late = isTimeout ? call.missing() : List.of();
            missing.add(CallId.of(call.call()), dump.rank(), late);
            late.forEach(each -> waits.add(new RankWait(dump.rank(), call.call(), each, call.tookMicros(), false)));
        }
        // Who has waited longest knows of the first that was late; all else may follow from that.
        waits.sort(Comparator.comparing((RankWait each) -> !each.isLive())
                .thenComparing(Comparator.comparingLong(RankWait::micros).reversed()));
    }

    Collection<RankHistory> ranks() {
        return ranks.values();
    }

    @Nullable RankHistory rank(int rank) {
        return ranks.get(rank);
    }

    List<Integer> present() {
        return List.copyOf(ranks.keySet());
    }

    List<Integer> absent() {
        return IntStream.range(0, worldSize)
                .filter(rank -> !ranks.containsKey(rank))
                .boxed()
                .toList();
    }

    /** {@return who waits for whom to make a call, those under way and long first} For a call that may be idle nobody waits. */
    List<RankWait> waits() {
        return waits;
    }

    /** {@return the waits for a rank to make a call that it has not made} Ranks write their dumps at different moments. */
    Stream<RankWait> waitsFor(int rank) {
        return waits.stream().filter(each -> each.missing() == rank && isOpen(each));
    }

    /** {@return whether the rank that one is for has not made its call} */
    boolean isOpen(RankWait wait) {
        return missing.isMissing(wait.id(), wait.missing());
    }

    /** {@return who waits in that call} */
    List<Integer> waiters(CallId id) {
        return waits.stream()
                .filter(each -> each.id().equals(id))
                .map(RankWait::waiter)
                .distinct()
                .sorted()
                .toList();
    }

    /**
     * {@return whether a rank only passes on a failure that began at another rank} The failure names another rank, possibly through further ranks. Two ranks that
     * name each other are both causes.
     */
    boolean isFollower(int rank) {
        Set<Integer> passed = new HashSet<>();
        RankHistory next = ranks.get(rank);
        Ending first = next == null ? null : next.ending();
        if (first == null || first.blamed() == rank) {
            return false;
        }
        while (next != null && next.ending() != null && passed.add(next.rank())) {
            int blamed = next.ending().blamed();
            if (blamed == rank) {
                return false;
            }
            next = blamed == next.rank() ? null : ranks.get(blamed);
        }
        return true;
    }

    void blame(Finding finding) {
        blamed.addAll(finding.culprits());
    }

    boolean isBlamed(int rank) {
        return blamed.contains(rank);
    }

    /** {@return the ranks that share a process with one, itself included} */
    List<RankHistory> process(RankHistory rank) {
        return ranks.values().stream()
                .filter(each ->
                        each.dump().origin().pid() == rank.dump().origin().pid()
                                && each.dump()
                                        .origin()
                                        .host()
                                        .equals(rank.dump().origin().host()))
                .toList();
    }

    /** {@return a sentence's end on who waits for a rank, and for how long; empty if nobody does} */
    String whoWaits(int rank) {
        return waitsFor(rank)
                .findFirst()
                .map(wait ->
                        ": " + Words.ranks(waiters(wait.id())) + " " + Words.verb(waiters(wait.id()), "waits", "wait")
                                + " for it in " + Words.call(wait.call()) + ", for " + Words.seconds(wait.micros()))
                .orElse("");
    }

    /** {@return the call in which a rank is waited for; empty if nobody does} */
    String callAwaitedOf(int rank) {
        return waitsFor(rank).findFirst().map(wait -> wait.call().label()).orElse("");
    }
}
