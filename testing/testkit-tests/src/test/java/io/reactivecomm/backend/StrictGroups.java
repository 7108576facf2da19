package io.reactivecomm.backend;

import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Turn;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The groups that the ranks of a {@link StrictMeeting} have open. It refuses a call of a group that a rank does not have open, an opening of one that it has, or
 * from one that it has not, and a freeing of one that it has not; and it has not many.
 *
 * <p><b>Threads.</b> Any.
 */
final class StrictGroups {

    /** What happens when a group is opened, by its members. */
    static final Map<List<Integer>, Trouble> TROUBLES = new ConcurrentHashMap<>();

    /** How many groups a rank may have open; MPICH has about 2,000 communicators. */
    static final int MOST = 64;

    private final Map<Integer, Set<Long>> open = new HashMap<>();

    /** A trouble with an opening. */
    enum Trouble {
        /** It fails on the last member. */
        FAILS,
        /** It does not end. */
        ENDLESS
    }

    /** {@return whether a rank's turns may be taken; else they have failed} */
    boolean admits(int rank, List<Turn> batch) {
        boolean admits = true;
        for (Turn turn : batch) {
            String why = refusal(rank, turn);
            if (why != null) {
                admits = false;
                fail(
                        turn,
                        new Failure(
                                Failure.Kind.INTERNAL,
                                rank,
                                "disorder: " + why + ": rank=" + rank + ", group="
                                        + turn.group().id()));
            }
        }
        return admits;
    }

    private static void fail(Turn turn, Failure cause) {
        switch (turn) {
            case Turn.Call call -> call.sink().failed(cause);
            case Turn.Opening opening -> opening.sink().failed(cause);
            case Turn.Freeing freeing -> freeing.sink().failed(cause);
        }
    }

    private synchronized @Nullable String refusal(int rank, Turn turn) {
        Set<Long> own = open.computeIfAbsent(rank, ignored -> new HashSet<>());
        boolean isOpen = own.contains(turn.group().id());
        return switch (turn) {
            case Turn.Call ignored ->
                isOpen || turn.group().id() == EngineGroup.WORLD ? null : "a call of a group that is not open";
            case Turn.Freeing ignored -> isOpen ? null : "a freeing of a group that is not open";
            case Turn.Opening opening -> {
                EngineGroup from = opening.from();
                boolean hasParent = from == null || from.id() == EngineGroup.WORLD || own.contains(from.id());
                yield isOpen
                        ? "a group was opened twice"
                        : !hasParent ? "nothing to split from" : own.size() >= MOST ? "too many groups" : null;
            }
        };
    }

    synchronized void opened(int rank, EngineGroup group) {
        if (group.isMember()) {
            open.computeIfAbsent(rank, ignored -> new HashSet<>()).add(group.id());
        }
    }

    synchronized void freed(int rank, EngineGroup group) {
        open.computeIfAbsent(rank, ignored -> new HashSet<>()).remove(group.id());
    }
}
