package io.reactivecomm.observability.doctor;

import java.util.ArrayList;
import java.util.List;

/** A rank of which there is no dump, though others wait for it and have not lost it: it lives, and does nothing. */
final class StoppedProcesses implements Symptom {

    @Override
    public List<Finding> find(Evidence evidence) {
        List<Finding> found = new ArrayList<>();
        for (int rank : evidence.absent()) {
            evidence.waitsFor(rank)
                    .findFirst()
                    .ifPresent(wait -> found.add(new Finding(
                            Disease.STOPPED_PROCESS,
                            List.of(rank),
                            wait.call().label(),
                            "There is no dump of rank " + rank + ", which nobody has lost" + evidence.whoWaits(rank)
                                    + answers(evidence, wait)
                                    + "; its process is stopped, or somebody has left its dump out")));
        }
        return found;
    }

    /** What it has said itself, if it still answered. */
    private static String answers(Evidence evidence, RankWait wait) {
        RankHistory waiter = evidence.rank(wait.waiter());
        return waiter == null
                ? ""
                : waiter.dump().state().live().stream()
                        .filter(call -> CallId.of(call.call()).equals(wait.id()))
                        .flatMap(call -> call.answers().stream())
                        .filter(answer -> answer.startsWith("rank " + wait.missing() + " "))
                        .findFirst()
                        .map(answer -> "; " + answer)
                        .orElse("");
    }
}
