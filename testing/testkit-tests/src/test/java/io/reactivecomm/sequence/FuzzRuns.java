package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.Failure;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The composite calls of one rank, as the engine over links has them: each is open until its last call has been made, then over, and may fail as
 * long as one of its calls has not ended. What is not open takes no call.
 */
final class FuzzRuns {

    private enum State {
        OPEN,
        OVER,
        FAILED
    }

    private final FuzzWorld world;
    private final int rank;
    private final Member member;
    private final Map<CallKey.Ticket, State> states = new LinkedHashMap<>();
    private final Map<CallKey.Ticket, Set<Integer>> unmade = new LinkedHashMap<>();
    private final Map<CallKey.Ticket, Set<Integer>> unfinished = new LinkedHashMap<>();

    FuzzRuns(FuzzWorld world, int rank, Member member) {
        this.world = world;
        this.rank = rank;
        this.member = member;
        for (FuzzPlan.Start start : world.plan().starts().get(rank)) {
            for (Enclosure each = enclosure(start.call()); each != null; each = each.outer()) {
                states.put(each.run(), State.OPEN);
                unmade.computeIfAbsent(each.run(), ignored -> new HashSet<>()).add(start.call());
                unfinished
                        .computeIfAbsent(each.run(), ignored -> new HashSet<>())
                        .add(start.call());
            }
        }
    }

    private @Nullable Enclosure enclosure(int call) {
        return world.plan().calls().get(call).enclosure();
    }

    /** {@return whether a call can be made: all runs that it is in are open} */
    boolean isOpen(int call) {
        for (Enclosure each = enclosure(call); each != null; each = each.outer()) {
            if (states.get(each.run()) != State.OPEN) {
                return false;
            }
        }
        return true;
    }

    /** A call has been made, or will not be. */
    void made(int call) {
        for (Enclosure each = enclosure(call); each != null; each = each.outer()) {
            CallKey.Ticket run = each.run();
            if (unmade.get(run).remove(call) && unmade.get(run).isEmpty() && states.get(run) == State.OPEN) {
                states.put(run, State.OVER);
                member.compositeOver(
                        run, missing -> new Failure(Failure.Kind.MISMATCH, rank, "over on a rank: missing=" + missing));
            }
        }
    }

    /** A call has ended, or will not be made. */
    void ended(int call) {
        for (Enclosure each = enclosure(call); each != null; each = each.outer()) {
            unfinished.get(each.run()).remove(call);
        }
    }

    /** A run fails, unless it has been finished; so do those in it, and the other ranks hear of it. */
    void fail(CallKey.Ticket failed, Failure cause) {
        if (!isUnfinished(failed)) {
            return;
        }
        world.tellRunFailed(rank, failed, cause);
        for (CallKey.Ticket run : Set.copyOf(states.keySet())) {
            if (isUnfinished(run) && (run.equals(failed) || MemberRuns.isPartOf(run, failed))) {
                states.put(run, State.FAILED);
                member.compositeFailed(run, cause);
            }
        }
    }

    /** {@return whether the rank takes part in a run, or will} */
    boolean knows(CallKey run) {
        return run instanceof CallKey.Ticket ticket && states.containsKey(ticket);
    }

    /** {@return whether a run that a call is in has failed here, as long as one of its calls had not ended} */
    boolean hasFailed(int call) {
        for (Enclosure each = enclosure(call); each != null; each = each.outer()) {
            if (states.get(each.run()) == State.FAILED) {
                return true;
            }
        }
        return false;
    }

    private boolean isUnfinished(CallKey.Ticket run) {
        return states.containsKey(run)
                && states.get(run) != State.FAILED
                && !unfinished.get(run).isEmpty();
    }
}
