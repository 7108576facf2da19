package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.GroupRecord;
import java.util.ArrayList;
import java.util.List;

/** A rank that has left a group while others still had calls to make in it. */
final class Leavers implements Symptom {

    @Override
    public List<Finding> find(Evidence evidence) {
        List<Finding> found = new ArrayList<>();
        for (RankWait wait : evidence.waits()) {
            RankHistory late = evidence.rank(wait.missing());
            if (late != null
                    && late.find(wait.id()) == null
                    && late.dump().state().groups().stream().anyMatch(group -> isClosed(group, wait))) {
                found.add(new Finding(
                        Disease.LEFT_EARLY,
                        List.of(late.rank()),
                        wait.call().label(),
                        "Rank " + late.rank() + " has left without making " + Words.call(wait.call())
                                + evidence.whoWaits(late.rank())));
            }
        }
        return found;
    }

    private static boolean isClosed(GroupRecord group, RankWait wait) {
        return group.id() == wait.call().group() && group.isClosed();
    }
}
