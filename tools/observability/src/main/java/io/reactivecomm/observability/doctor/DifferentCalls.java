package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FailureRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Ranks that have called different things under one identity: other shapes, two calls in another order, or all from a skipped one on. */
final class DifferentCalls implements Symptom {

    @Override
    public List<Finding> find(Evidence evidence) {
        Map<CallId, FailureRecord> differing = new LinkedHashMap<>();
        for (RankHistory rank : evidence.ranks()) {
            for (EndedCall call : rank.dump().state().ended()) {
                FailureRecord failure = call.failure();
                if (failure != null && failure.is(FailureRecord.MISMATCH)) {
                    differing.putIfAbsent(CallId.of(call.call()), failure);
                }
            }
        }
        // The first tells where they diverged; the rest follows from it.
        return differing.entrySet().stream()
                .limit(1)
                .map(entry -> of(entry.getKey(), entry.getValue(), evidence))
                .toList();
    }

    private static Finding of(CallId id, FailureRecord failure, Evidence evidence) {
        TreeMap<String, List<RankHistory>> whoCalled = new TreeMap<>();
        for (RankHistory rank : evidence.ranks()) {
            MadeCall made = rank.find(id);
            if (made != null) {
                whoCalled
                        .computeIfAbsent(Words.call(made.call()), ignored -> new ArrayList<>())
                        .add(rank);
            }
        }
        if (whoCalled.size() < 2) {
            return new Finding(
                    Disease.UNEQUAL_CALLS,
                    List.of(failure.culprit()),
                    id.label(),
                    "Ranks differ in what " + id.label() + " is: " + failure.text());
        }
        int most = whoCalled.values().stream().mapToInt(List::size).max().orElse(0);
        List<List<RankHistory>> large = whoCalled.values().stream()
                .filter(ranks -> ranks.size() == most)
                .toList();
        List<RankHistory> others = large.size() == 1 ? large.getFirst() : List.of();
        List<RankHistory> culprits = whoCalled.values().stream()
                .flatMap(List::stream)
                .filter(rank -> !others.contains(rank))
                .toList();
        String called = whoCalled.entrySet().stream()
                .map(entry -> Words.ranks(numbers(entry.getValue())) + " called " + entry.getKey())
                .collect(Collectors.joining(", "));
        return judged(id, culprits, others, "Ranks diverged at " + id.label() + after(id, culprits) + ": " + called);
    }

    private static List<Integer> numbers(List<RankHistory> ranks) {
        return ranks.stream().map(RankHistory::rank).toList();
    }

    private static String after(CallId id, List<RankHistory> ranks) {
        MadeCall made = ranks.getFirst().find(id);
        MadeCall before = made == null ? null : ranks.getFirst().before(made.call());
        return before == null ? "" : ", after " + before.call().label();
    }

    /** Where one rank's call is what the others call next, it has left one out; where it also makes theirs next, it has exchanged the two. */
    private static Finding judged(CallId id, List<RankHistory> culprits, List<RankHistory> others, String text) {
        RankHistory culprit = culprits.getFirst();
        RankHistory other = others.isEmpty() ? culprits.getLast() : others.getFirst();
        boolean isAhead = isNext(id, culprit, other);
        boolean isBehind = isNext(id, other, culprit);
        if (isAhead && isBehind) {
            return new Finding(
                    Disease.TWO_ORDERS,
                    numbers(culprits),
                    id.label(),
                    text + "; each makes the other's call next: the same calls, in two orders");
        }
        if (isAhead || isBehind) {
            RankHistory skipper = isAhead ? culprit : other;
            List<Integer> skippers = isAhead && !others.isEmpty() ? numbers(culprits) : List.of(skipper.rank());
            return new Finding(
                    Disease.SKIPPED_CALL,
                    skippers,
                    id.label(),
                    text + "; what " + Words.ranks(skippers)
                            + " called there is what comes one later elsewhere: it has skipped a call");
        }
        return new Finding(Disease.UNEQUAL_CALLS, numbers(culprits), id.label(), text);
    }

    /** {@return whether what a rank has called there is what another calls next, or has called next at the same place before} */
    private static boolean isNext(CallId id, RankHistory rank, RankHistory other) {
        MadeCall here = rank.find(id);
        MadeCall there = other.find(id);
        if (here == null || there == null) {
            return false;
        }
        MadeCall next = other.after(id);
        return isSame(here, next)
                || next == null && isSame(here, other.usuallyAfter(there)) && !isRepeated(there, here);
    }

    private static boolean isRepeated(MadeCall one, MadeCall other) {
        return one.call().what().equals(other.call().what());
    }

    private static boolean isSame(MadeCall here, @Nullable MadeCall next) {
        return next != null && next.call().what().equals(here.call().what());
    }
}
