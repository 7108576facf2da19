package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.engine.AssembledCalls;
import io.reactivecomm.spi.engine.EngineGroup;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The events of one seed: groups that overlap, calls, when each rank subscribes to each, and what goes wrong.
 *
 * @param groups members by world rank; the first is the world
 * @param parents by group, each made of an earlier one; the world has none, −1
 * @param calls a rank's call may wait for the end of an earlier one of this list, never of a later one: so no program is wrong in itself
 * @param starts by world rank
 * @param slots of every ring
 * @param coalesced whether engines run a batch as a whole, or one call after the other
 * @param departs whether ranks leave the world when their own calls have ended, others' or not
 * @param closing whether ranks close each group when their own calls in it have ended, others' or not
 * @param steppedAt when all ranks have made their calls of a step, and begin the next
 */
record FuzzPlan(
        int worldSize,
        Formation formation,
        List<List<Integer>> groups,
        List<Integer> parents,
        List<FuzzCall> calls,
        List<List<Start>> starts,
        List<Trouble> troubles,
        int slots,
        boolean coalesced,
        boolean departs,
        Closing closing,
        long slowness,
        long steppedAt) {

    /** The step is never over. */
    static final long ONE_STEP = Long.MAX_VALUE;

    /** The moment in which a rank closes a group in which it has no more calls. */
    enum Closing {
        NEVER,
        /** In the code that is told of the last one's end. */
        AT_ONCE,
        /** Some time after. */
        LATER
    }

    /** @param after the call whose end it waits for, or −1 */
    record Start(int call, long at, int after) {}

    enum Kind {
        /** A rank calls something else. */
        MISMATCH,
        /** A rank's checks fail. */
        REFUSED,
        /** A rank never calls. */
        MISSING,
        /** A rank's call has no time. */
        SHORT,
        /** A rank's engine fails. */
        ENGINE_FAILS,
        /** A rank's engine throws, with the call in its hands. */
        ENGINE_THROWS,
        /** A rank's engine fails to open a group. */
        OPENING_FAILS,
        /** The group is aborted. */
        ABORT,
        /** A rank dies. */
        LOST,
        /** A rank leaves the world in good order, but too early. */
        LEAVES,
        /** A rank closes the group too early. */
        CLOSES,
        /** A composite fails on a rank. */
        RUN_FAILS,
        /** A rank takes a composite for another one. */
        RUN_DIFFERS;

        boolean isOfRun() {
            return this == RUN_FAILS || this == RUN_DIFFERS;
        }

        boolean isOfGroup() {
            return this == ABORT || this == LOST || this == LEAVES || this == OPENING_FAILS;
        }

        /** {@return whether it is of one call that fails alone, before its turn} */
        boolean isOfOne() {
            return this == MISMATCH || this == REFUSED || this == MISSING || this == SHORT;
        }
    }

    /** @param at when, for what happens at a time */
    record Trouble(Kind kind, int rank, int call, int group, long at) {

        Trouble as(Kind other) {
            return new Trouble(other, rank, call, group, at);
        }
    }

    /** {@return of which group each is made: of the world or of an earlier one that has all its members} */
    static List<Integer> parents(List<List<Integer>> groups, SeededRandom dice) {
        List<Integer> parents = new ArrayList<>(List.of(-1));
        for (int i = 1; i < groups.size(); i++) {
            int parent = dice.below(i);
            parents.add(groups.get(parent).containsAll(groups.get(i)) ? parent : 0);
        }
        return parents;
    }

    /** {@return a composite of the world's group, or one in it; null at depth 0} */
    static @Nullable Enclosure enclosure(int depth, long number, long step, int ordinal) {
        if (depth == 0) {
            return null;
        }
        Enclosure outer = enclosure(depth - 1, number, step, ordinal);
        CallKey.Ticket run = outer == null
                ? new CallKey.Ticket(0, 0, number, "step", step, ordinal, null)
                : new CallKey.Ticket(0, 0, "part", 0, 1, outer);
        return new Enclosure(run, 0, "step");
    }

    EngineGroup group(int number, int rank, AssembledCalls assembled) {
        List<Integer> members = groups.get(number);
        List<Long> ancestors = new ArrayList<>();
        for (int parent = parents.get(number); parent > 0; parent = parents.get(parent)) {
            ancestors.add((long) parent);
        }
        return new EngineGroup(number, 0, members, members.indexOf(rank), ancestors, assembled);
    }

    /** {@return the ranks that are to make a call that an engine knows by that identity} */
    List<Integer> membersOf(CallKey key) {
        List<Integer> members = groups.get((int) key.group());
        return switch (key) {
            case CallKey.Ticket ignored -> members;
            case CallKey.Message message -> List.of(members.get(message.source()), members.get(message.destination()));
        };
    }

    /** {@return the run that a trouble is about, or null} */
    CallKey.@Nullable Ticket run(Trouble trouble) {
        Enclosure enclosure = calls.get(trouble.call).enclosure();
        boolean isOfRun = trouble.kind.isOfRun() || trouble.kind == Kind.MISSING;
        return isOfRun && enclosure != null ? enclosure.run() : null;
    }

    /** {@return whether a call may fail with a run that it is in} */
    boolean mayFailWithRun(int call) {
        Enclosure enclosure = calls.get(call).enclosure();
        return enclosure != null
                && troubles.stream().map(this::run).anyMatch(run -> run != null && enclosure.isPartOf(run));
    }

    /** {@return the trouble of that kind that a rank has with a call, or null} */
    @Nullable Trouble trouble(Kind kind, int rank, int call) {
        for (Trouble each : troubles) {
            if (each.kind == kind && each.rank == rank && each.call == call) {
                return each;
            }
        }
        return null;
    }

    /** {@return whether anything may become of a group's calls, as long as they end} */
    boolean isSpoiled(int group) {
        return troubles.size() > 1
                || troubles.stream().anyMatch(trouble -> switch (trouble.kind) {
                    case MISMATCH, REFUSED, MISSING, SHORT, RUN_FAILS, RUN_DIFFERS -> false;
                    // One that is being split from a group that fails, or helped by a rank that goes, is opened by its
                    // members alone.
                    case CLOSES, ENGINE_FAILS, ABORT, OPENING_FAILS -> trouble.group == group;
                    // The calls of a batch are of any groups.
                    case ENGINE_THROWS -> groups.get(group).contains(trouble.rank);
                    case LOST, LEAVES ->
                        trouble.rank == Leader.RANK || groups.get(group).contains(trouble.rank);
                });
    }
}
