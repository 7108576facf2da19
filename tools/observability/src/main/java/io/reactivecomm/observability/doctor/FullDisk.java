package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.GroupRecord;
import io.reactivecomm.recorder.ProgramFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A rank that could not write, and whose calls or whose program failed of it. Java has no type for that: the system's words are all there is. */
final class FullDisk implements Symptom {

    private static final List<String> WORDS = List.of(
            "No space left on device",
            "Disk quota exceeded",
            "There is not enough space on the disk",
            "Read-only file system");

    @Override
    public List<Finding> find(Evidence evidence) {
        Map<Integer, Finding> found = new TreeMap<>();
        for (RankHistory rank : evidence.ranks()) {
            DeadPrograms.faults(rank, evidence)
                    .filter(fault -> fault.causes().stream().anyMatch(FullDisk::isOne))
                    .forEach(fault -> found.putIfAbsent(rank.rank(), of(rank.rank(), fault, evidence)));
        }
        for (RankHistory rank : evidence.ranks()) {
            for (EndedCall call : rank.dump().state().ended()) {
                failure(call.failure())
                        .forEach(failure -> found.putIfAbsent(
                                failure.culprit(),
                                new Finding(
                                        Disease.FULL_DISK,
                                        List.of(failure.culprit()),
                                        call.call().label(),
                                        "Rank " + failure.culprit() + "'s disk is full, and " + Words.call(call.call())
                                                + " failed of it: " + failure.text())));
            }
            rank.dump().state().groups().stream()
                    .map(GroupRecord::failure)
                    .flatMap(FullDisk::failure)
                    .forEach(failure -> found.putIfAbsent(
                            failure.culprit(),
                            new Finding(
                                    Disease.FULL_DISK,
                                    List.of(failure.culprit()),
                                    "",
                                    "Rank " + failure.culprit() + "'s disk is full, and it has ended the group: "
                                            + failure.text())));
        }
        return new ArrayList<>(found.values());
    }

    private static Stream<FailureRecord> failure(@Nullable FailureRecord failure) {
        return failure == null || !isOne(failure.text()) ? Stream.empty() : Stream.of(failure);
    }

    private static Finding of(int rank, ProgramFault fault, Evidence evidence) {
        String cause =
                fault.causes().stream().filter(FullDisk::isOne).findFirst().orElse("");
        return new Finding(
                Disease.FULL_DISK,
                List.of(rank),
                evidence.callAwaitedOf(rank),
                "Rank " + rank + "'s disk is full, and its thread " + fault.thread() + " died of it: " + cause + ", in "
                        + Stacks.shown(fault.stack()) + evidence.whoWaits(rank));
    }

    private static boolean isOne(String text) {
        return WORDS.stream().anyMatch(text::contains);
    }
}
