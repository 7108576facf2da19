package io.reactivecomm.doctor;

import io.reactivecomm.recorder.ProgramFault;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A rank whose program has died of an exception that nobody caught. */
final class DeadPrograms implements Symptom {

    @Override
    public List<Finding> find(Evidence evidence) {
        List<Finding> found = new ArrayList<>();
        for (RankHistory rank : evidence.ranks()) {
            faults(rank, evidence).findFirst().ifPresent(fault -> found.add(new Finding(
                    Disease.PROGRAM_DIED, List.of(rank.rank()), evidence.callAwaitedOf(rank.rank()),
                    "Rank " + rank.rank() + "'s thread " + fault.thread() + " died of an exception that nobody caught: "
                            + String.join(", caused by ", fault.causes()) + ", in " + Stacks.shown(fault.stack()) + evidence.whoWaits(rank.rank()))));
        }
        return found;
    }

    /** {@return what threads of a rank's program died of} In a JVM of several ranks it is that rank's on whose last caller it came. */
    static Stream<ProgramFault> faults(RankHistory rank, Evidence evidence) {
        boolean isAlone = rank.dump().origin().worldSize() == 1 || evidence.process(rank).size() == 1;
        return rank.dump().faults().stream().filter(fault -> fault.isCaller() || isAlone);
    }
}
