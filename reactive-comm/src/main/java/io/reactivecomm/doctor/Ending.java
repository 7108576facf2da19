package io.reactivecomm.doctor;

import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.GroupRecord;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The failure that a rank has not recovered from: the first of those after its last call that succeeded, or else the end of a group. A failure that it went
 * past, as by a retry, explains nothing of its end.
 *
 * @param blamed the rank that the failure names: the lost one, the first that was missing, or the one at which it began
 * @param micros when, by the rank's wall clock; {@link #UNKNOWN} for a group's
 */
record Ending(FailureRecord failure, int blamed, long micros) {

    static final long UNKNOWN = Long.MAX_VALUE;

    /** {@return that of a rank, or null if it has none} */
    static @Nullable Ending of(RankHistory rank) {
        EndedCall first = null;
        List<EndedCall> ended = rank.dump().state().ended().stream()
                .sorted(Comparator.comparingLong(EndedCall::endedMicrosAgo))
                .toList();
        for (EndedCall call : ended) {
            if (!call.hasFailed()) {
                break;
            }
            first = call;
        }
        if (first != null && first.failure() != null) {
            return new Ending(first.failure(), blamed(first.failure(), first.missing(), rank.rank()), rank.wallMicros(first.endedMicrosAgo()));
        }
        for (GroupRecord group : rank.dump().state().groups()) {
            FailureRecord failure = group.failure();
            if (failure != null && !group.isClosed()) {
                return new Ending(failure, failure.culprit(), UNKNOWN);
            }
        }
        return null;
    }

    private static int blamed(FailureRecord failure, List<Integer> missing, int rank) {
        OptionalInt late = missing.contains(rank) ? OptionalInt.of(rank) : missing.stream().mapToInt(Integer::intValue).findFirst();
        return failure.is(FailureRecord.TIMEOUT) ? late.orElse(failure.culprit()) : failure.culprit();
    }

    /** {@return whether it says that a rank was not there, or did not come} */
    boolean misses(int rank) {
        return blamed == rank && (failure.is(FailureRecord.PEER_LOST) || failure.is(FailureRecord.TIMEOUT));
    }
}
