package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.EndedCall;
import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.GroupRecord;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The failure from which a rank has not recovered: the first failed call after its last successful one, or else the end of a group. A failure before a
 * successful call, such as one before a retry, does not explain the rank's end.
 *
 * @param blamed the rank that the failure names: the lost rank, the first missing one, or the one where the failure began
 * @param micros the time by the rank's wall clock; {@link #UNKNOWN} for the end of a group
 */
record Ending(FailureRecord failure, int blamed, long micros) {

    static final long UNKNOWN = Long.MAX_VALUE;

    /** {@return the failure of a rank, or null} */
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
            return new Ending(
                    first.failure(),
                    blamed(first.failure(), first.missing(), rank.rank()),
                    rank.wallMicros(first.endedMicrosAgo()));
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
        OptionalInt late = missing.contains(rank)
                ? OptionalInt.of(rank)
                : missing.stream().mapToInt(Integer::intValue).findFirst();
        return failure.is(FailureRecord.TIMEOUT) ? late.orElse(failure.culprit()) : failure.culprit();
    }

    /** {@return whether the failure says that a rank was lost or did not issue a call} */
    boolean misses(int rank) {
        return blamed == rank && (failure.is(FailureRecord.PEER_LOST) || failure.is(FailureRecord.TIMEOUT));
    }
}
