package io.reactivecomm.simulator;

import io.reactivecomm.internal.engine.GroupState;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The membership of one rank in one group. It gets it by a call of the group that it is made of, makes the calls of its part, and leaves
 * it, as the scenario says.
 */
final class Membership {

    /** {@link #leftAt()} while the rank has not left the group. */
    static final long NOT_YET = -1;

    private final SimulatedGroup team;
    private final VirtualRank rank;
    private final VirtualNetwork network;
    private final List<Runnable> calls = new ArrayList<>();
    private @Nullable GroupState group;
    private int unfinished;
    private long leftAt = NOT_YET;

    Membership(SimulatedGroup team, VirtualRank rank, VirtualNetwork network) {
        this.team = team;
        this.rank = rank;
        this.network = network;
    }

    SimulatedGroup team() {
        return team;
    }

    VirtualRank rank() {
        return rank;
    }

    long leftAt() {
        return leftAt;
    }

    /** {@return whether the rank is done with the group: it has left it, or never got it} */
    boolean isOver() {
        return group == null || leftAt != NOT_YET;
    }

    GroupState group() {
        GroupState had = group;
        if (had == null) {
            throw new IllegalStateException(
                    "a call in a group that the rank does not have: rank=" + rank.rank() + ", group=" + team.id());
        }
        return had;
    }

    /** Something is to happen so long after the rank has the group. */
    void plan(long after, Runnable action) {
        calls.add(() -> network.agenda().at(network.agenda().now() + after, action));
    }

    /** One more call will end. */
    void expectCall() {
        unfinished++;
    }

    /** The rank has the group. */
    void begin(GroupState had) {
        group = had;
        calls.forEach(Runnable::run);
        if (team.parting() == SimulatedGroup.Parting.EARLY && rank.rank() == team.early()) {
            network.agenda().at(network.agenda().now() + team.earlyAfter(), this::leave);
        } else if (unfinished == 0) {
            leaveSoon();
        }
    }

    /** A call of the group has ended on this rank. */
    void ended(Caller caller) {
        GroupState formed = caller.forms();
        if (formed != null) {
            network.agenda().at(network.agenda().now(), () -> formed(caller, formed));
        }
        callEnded();
    }

    /** A call of the group, or a composite with all that is in it, has ended on this rank. */
    void callEnded() {
        unfinished--;
        if (unfinished == 0) {
            leaveSoon();
        }
    }

    private void formed(Caller caller, GroupState made) {
        if (caller.failure() == null) {
            rank.membership(made.id()).begin(made);
        } else {
            network.agenda().tell(rank.rank(), () -> "abandons group " + made.id());
            rank.event(() -> rank.engine().abandonGroup(made, network.agenda().now()));
        }
    }

    private void leaveSoon() {
        if (team.parting() != SimulatedGroup.Parting.STAY) {
            network.soon(this::leave);
        }
    }

    private void leave() {
        if (leftAt == NOT_YET && !rank.hasLeft()) {
            leftAt = network.agenda().now();
            network.agenda().tell(rank.rank(), () -> "leaves group " + team.id());
            rank.event(() -> rank.engine().leaveGroup(group(), network.agenda().now()));
        }
    }
}
