package io.reactivecomm.observability.doctor;

import io.reactivecomm.recorder.CallRecord;
import io.reactivecomm.recorder.LiveCall;
import io.reactivecomm.recorder.PeerRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A rank whose loop does not turn: its own dump was written without it, or its peers were told. */
final class BlockedLoops implements Symptom {

    /** A dump waits half a second for the loop. A turn that began in the second half of that time shows only a busy loop or machine. */
    private static final long LEAST_TURN_MICROS = 250_000;

    @Override
    public List<Finding> find(Evidence evidence) {
        List<Finding> found = new ArrayList<>();
        for (RankHistory rank : evidence.ranks()) {
            if (!rank.dump().loop().isTurning() && isHolder(rank, evidence) && isLong(rank)) {
                found.add(of(rank, evidence));
            }
        }
        for (int rank : evidence.absent()) {
            evidence.ranks().stream()
                    .flatMap(other -> said(other, rank))
                    .findFirst()
                    .ifPresent(said -> found.add(new Finding(
                            Disease.BLOCKED_LOOP,
                            List.of(rank),
                            evidence.callAwaitedOf(rank),
                            "There is no dump of rank " + rank + ", and " + said + evidence.whoWaits(rank))));
        }
        return found;
    }

    /** Ranks of one JVM share loops: the one whose turn does not end is it. Where none has a turn, something else holds the loop of all. */
    private static boolean isHolder(RankHistory rank, Evidence evidence) {
        boolean isAnyTurn = evidence.process(rank).stream()
                .filter(each ->
                        each.dump().loop().thread().equals(rank.dump().loop().thread()))
                .anyMatch(BlockedLoops::hasTurn);
        return hasTurn(rank) || !isAnyTurn;
    }

    private static boolean isLong(RankHistory rank) {
        return !hasTurn(rank) || rank.dump().loop().turnMicros() >= LEAST_TURN_MICROS;
    }

    private static boolean hasTurn(RankHistory rank) {
        return rank.dump().loop().turnMicros() != CallRecord.NONE;
    }

    private static Finding of(RankHistory rank, Evidence evidence) {
        List<String> stack = rank.dump().loop().stack();
        String who = Stacks.isProgramAtWork(stack) ? "the program runs there" : "no code of the program's runs there";
        String since =
                hasTurn(rank) ? " for " + Words.seconds(rank.dump().loop().turnMicros()) : "";
        long queued = rank.dump().state().live().stream()
                .filter(call -> call.state() == LiveCall.State.QUEUED)
                .count();
        String waiting = queued == 0 ? "" : "; " + queued + " of its own calls wait for the loop";
        return new Finding(
                Disease.BLOCKED_LOOP,
                List.of(rank.rank()),
                evidence.callAwaitedOf(rank.rank()),
                "Rank " + rank.rank() + "'s loop has not turned" + since + ": thread "
                        + rank.dump().loop().thread() + " is in " + Stacks.shown(stack) + ", " + who + waiting
                        + evidence.whoWaits(rank.rank()));
    }

    private static Stream<String> said(RankHistory rank, int of) {
        return rank.dump().state().peers().stream()
                .filter(peer -> peer.rank() == of && !peer.heldUp().isEmpty())
                .map(PeerRecord::heldUp);
    }
}
