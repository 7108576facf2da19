package io.reactivecomm.samples.programs.engine;

import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Turn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The place in which the ranks of a world meet. The k-th call of a group that each member brings is the same call, because the sequencer has put the calls
 * of all ranks into one order; so nothing here looks at identities, as NCCL and MPI do not.
 *
 * <p><b>Threads.</b> Any.
 */
final class Hall {

    /** For each call that not all members have brought, in the order in which the first ones came, who has. */
    private final List<List<Turn.Call>> gathering = new ArrayList<>();

    /** A member brings a call. {@return the turns of all members, in group order, once they are there; else null} */
    synchronized @Nullable List<Turn.Call> meet(Turn.Call turn) {
        List<Turn.Call> call = gathering.stream()
                .filter(each -> group(each.getFirst()).id() == group(turn).id()
                        && each.stream().noneMatch(other -> rank(other) == rank(turn)))
                .findFirst()
                .orElseGet(() -> {
                    List<Turn.Call> begun = new ArrayList<>();
                    gathering.add(begun);
                    return begun;
                });
        call.add(turn);
        if (call.size() < group(turn).worldRanks().size()) {
            return null;
        }
        gathering.remove(call);
        call.sort(Comparator.comparingInt(each -> group(each).rank()));
        return call;
    }

    /** {@return those of a rank's calls that not all members have brought, which it takes away again} */
    synchronized List<Turn.Call> leave(int worldRank, Predicate<EngineGroup> groups) {
        List<Turn.Call> left = new ArrayList<>();
        for (List<Turn.Call> call : gathering) {
            call.removeIf(turn -> rank(turn) == worldRank && groups.test(group(turn)) && left.add(turn));
        }
        gathering.removeIf(List::isEmpty);
        return left;
    }

    private static EngineGroup group(Turn.Call turn) {
        return turn.call().group();
    }

    private static int rank(Turn.Call turn) {
        return group(turn).worldRanks().get(group(turn).rank());
    }
}
