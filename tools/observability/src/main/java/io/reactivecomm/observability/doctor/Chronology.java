package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.ProgramFault;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * The order of findings: causes before consequences, and the earliest cause first. Each rank's own order of events shows which findings are consequences.
 * Times of different ranks are compared by their wall clocks, which agree within milliseconds if they are synchronised.
 */
record Chronology(Evidence evidence) {

    /** {@return findings in order; those without a known time, such as calls in flight, come last in their previous order} */
    List<Finding> ordered(List<Finding> findings) {
        return findings.stream()
                .sorted(Comparator.comparing(this::isConsequence).thenComparing(this::beganMicros))
                .toList();
    }

    /** A program that dies after a failure of another rank was reported to it usually dies of that failure, whatever it throws. */
    private boolean isConsequence(Finding finding) {
        return finding.disease() == Disease.PROGRAM_DIED
                && finding.culprits().stream().allMatch(rank -> evidence.isFollower(rank) && diedAfterwards(rank));
    }

    private boolean diedAfterwards(int rank) {
        RankHistory history = evidence.rank(rank);
        Ending ending = history == null ? null : history.ending();
        return ending != null && (ending.micros() == Ending.UNKNOWN || ending.micros() <= diedMicros(rank));
    }

    private long beganMicros(Finding finding) {
        LongStream began = finding.disease() == Disease.PROGRAM_DIED
                ? finding.culprits().stream().mapToLong(this::diedMicros)
                : evidence.ranks().stream()
                        .flatMapToLong(rank -> rank.dump().state().ended().stream()
                                .filter(call -> isOf(call, finding))
                                .mapToLong(call -> rank.wallMicros(call.endedMicrosAgo())));
        return began.min().orElse(Ending.UNKNOWN);
    }

    private static boolean isOf(EndedCall call, Finding finding) {
        FailureRecord failure = call.failure();
        return failure != null
                && (finding.culprits().contains(failure.culprit())
                        || failure.is(FailureRecord.MISMATCH)
                                && call.call().label().equals(finding.call()));
    }

    private long diedMicros(int rank) {
        RankHistory history = evidence.rank(rank);
        Optional<ProgramFault> fault = history == null ? Optional.empty() : DeadPrograms.faultOf(history, evidence);
        return fault.map(each -> TimeUnit.MILLISECONDS.toMicros(each.time().toEpochMilli()))
                .orElse(Ending.UNKNOWN);
    }
}
