package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.FailureRecord;
import io.reactivecomm.recorder.ProgramFault;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A rank whose program died of an uncaught exception of its own. An exception that only names other ranks is a consequence and does not count. */
final class DeadPrograms implements Symptom {

    private static final String COMM_EXCEPTION = "io.reactivecomm.";

    /** Exceptions about the acts or omissions of other ranks. All others may have their cause in the rank itself. */
    private static final List<String> OF_OTHERS =
            List.of("PeerLostException", "MismatchException", "CommTimeoutException", "GroupClosedException");

    @Override
    public List<Finding> find(Evidence evidence) {
        List<Finding> found = new ArrayList<>();
        for (RankHistory rank : evidence.ranks()) {
            faultOf(rank, evidence)
                    .ifPresent(fault -> found.add(new Finding(
                            Disease.PROGRAM_DIED,
                            List.of(rank.rank()),
                            evidence.callAwaitedOf(rank.rank()),
                            "Rank " + rank.rank() + "'s thread " + fault.thread()
                                    + " died of an exception that nothing caught: "
                                    + String.join(", caused by ", fault.causes()) + ", in "
                                    + Stacks.shown(fault.stack()) + evidence.whoWaits(rank.rank()))));
        }
        return found;
    }

    /** {@return the first exception with its cause in the rank itself that ended a thread of its program} */
    static Optional<ProgramFault> faultOf(RankHistory rank, Evidence evidence) {
        return faults(rank, evidence)
                .filter(fault -> fault.causes().stream().noneMatch(cause -> isOfOthers(cause, rank)))
                .findFirst();
    }

    /** {@return what threads of a rank's program died of} In a JVM of several ranks it is that rank's on whose last caller it came. */
    static Stream<ProgramFault> faults(RankHistory rank, Evidence evidence) {
        boolean isAlone =
                rank.dump().origin().worldSize() == 1 || evidence.process(rank).size() == 1;
        return rank.dump().faults().stream().filter(fault -> fault.isCaller() || isAlone);
    }

    /** The recorded failure decides; if the recorder no longer has it, the exception's type does. */
    private static boolean isOfOthers(String cause, RankHistory rank) {
        if (!cause.startsWith(COMM_EXCEPTION)) {
            return false;
        }
        Optional<FailureRecord> known = rank.failures()
                .filter(failure -> cause.contains(failure.text()))
                .findFirst();
        String type = cause.substring(COMM_EXCEPTION.length()).split(":", 2)[0];
        return known.map(failure -> isOfOthers(failure, rank)).orElseGet(() -> OF_OTHERS.contains(type));
    }

    private static boolean isOfOthers(FailureRecord failure, RankHistory rank) {
        boolean isShared = failure.is(FailureRecord.MISMATCH)
                || failure.is(FailureRecord.TIMEOUT)
                || failure.is(FailureRecord.PEER_LOST);
        return isShared || failure.culprit() != rank.rank();
    }
}
