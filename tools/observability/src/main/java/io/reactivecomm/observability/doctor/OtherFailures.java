package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.GroupRecord;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A failure of any other sort, the first of each rank's doing: its message says it all. */
final class OtherFailures implements Symptom {

    @Override
    public List<Finding> find(Evidence evidence) {
        Map<Integer, Finding> found = new TreeMap<>();
        for (RankHistory rank : evidence.ranks()) {
            for (MadeCall call : rank.calls()) {
                add(
                        call.failure(),
                        Words.call(call.call()) + " failed on rank " + rank.rank(),
                        call.call().label(),
                        found);
            }
            for (GroupRecord group : rank.dump().state().groups()) {
                if (!group.isClosed()) {
                    add(group.failure(), "Group " + group.id() + " has ended on rank " + rank.rank(), "", found);
                }
            }
        }
        return List.copyOf(found.values());
    }

    private static void add(@Nullable FailureRecord failure, String what, String call, Map<Integer, Finding> found) {
        if (failure != null) {
            found.putIfAbsent(
                    failure.culprit(),
                    new Finding(
                            Disease.OTHER_FAILURE,
                            List.of(failure.culprit()),
                            call,
                            what + ", because of rank " + failure.culprit() + ": " + failure.text()));
        }
    }
}
