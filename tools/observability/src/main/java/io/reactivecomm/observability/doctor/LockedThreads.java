package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.ThreadRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A process in which threads wait for locks that none of them will ever give back. */
final class LockedThreads implements Symptom {

    @Override
    public List<Finding> find(Evidence evidence) {
        List<Finding> found = new ArrayList<>();
        for (RankHistory rank : evidence.ranks()) {
            List<RankHistory> process = evidence.process(rank);
            List<ThreadRecord> locked = rank.dump().threads().stream()
                    .filter(ThreadRecord::isDeadlocked)
                    .toList();
            if (!locked.isEmpty() && process.getFirst() == rank) {
                found.add(of(locked, culprits(process, evidence), evidence));
            }
        }
        return found;
    }

    /** Of the ranks of a JVM those that others wait for, if there are any. */
    private static List<Integer> culprits(List<RankHistory> process, Evidence evidence) {
        List<Integer> all = process.stream().map(RankHistory::rank).toList();
        List<Integer> late = all.stream()
                .filter(rank -> evidence.waitsFor(rank).findAny().isPresent())
                .toList();
        List<Integer> locked = process.stream()
                .filter(rank -> rank.caller().map(ThreadRecord::isDeadlocked).orElse(false))
                .map(RankHistory::rank)
                .toList();
        return locked.isEmpty() ? late.isEmpty() ? all : late : locked;
    }

    private static Finding of(List<ThreadRecord> locked, List<Integer> culprits, Evidence evidence) {
        String threads = locked.stream()
                .map(thread -> thread.name() + " waits for " + thread.lock() + ", which " + thread.lockOwner()
                        + " holds, in " + Stacks.shown(thread.stack()))
                .collect(Collectors.joining("; "));
        int first = culprits.getFirst();
        return new Finding(
                Disease.DEADLOCK,
                culprits,
                evidence.callAwaitedOf(first),
                Words.capitalRanks(culprits) + " " + Words.verb(culprits, "is", "are")
                        + " in a deadlock of the program's own threads: " + threads + evidence.whoWaits(first));
    }
}
