package io.reactivecomm.sequence;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.AssembledCalls;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.EngineGroup;
import io.reactivecomm.testkit.sim.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one seed: lines of them, each to one rank under one name and tag, the collectives beside them, and what goes wrong.
 *
 * @param groups members by world rank; the first is the world
 * @param ends in no order: each comes at its time
 * @param barriers calls of all members, by group
 * @param coalesced whether engines run a batch as a whole, or one call after the other
 * @param steppedAt when all ranks have made their ends of the step, and begin the next
 */
record MessagePlan(
        int worldSize,
        List<List<Integer>> groups,
        List<Line> lines,
        List<End> ends,
        List<Barrier> barriers,
        @Nullable Trouble trouble,
        int slots,
        boolean coalesced,
        long slowness,
        long steppedAt) {

    static final int COUNT = 4;

    /** The receives of a line. */
    enum Receives {
        /** Each names its source. */
        NAMED,
        /** Each is from any. */
        FROM_ANY,
        /** Of one source's messages, some by its name and some from any. */
        OF_ONE,
        /** Some from any, which may take what another was for: so not all need find one. */
        MIXED
    }

    /** @param destination in the group @param isStepped whether it is in a step, which is over on all ranks when their ends have been made */
    record Line(int group, int destination, String name, int tag, Receives receives, boolean isStepped) {

        long step() {
            return isStepped ? 1 : CallKey.NO_STEP;
        }
    }

    /** @param peer the other end in the group, or any @param count elements */
    record End(int line, int rank, boolean isSend, int peer, int count, long at, int priority) {}

    record Barrier(int group, int rank, long at, long ticket) {}

    enum Kind {
        /** An end has another length. */
        MISMATCH,
        /** An end fails its checks. */
        REFUSED,
        /** An end is never made. */
        MISSING,
        /** An end has no time. */
        SHORT,
        /** A group is aborted. */
        ABORT,
        /** A rank dies. */
        LOST,
        /** A rank leaves the world too early. */
        LEAVES
    }

    /** @param end what it is about, or whose group or rank */
    record Trouble(Kind kind, int end, long at) {}

    static MessagePlan of(SeededRandom dice) {
        int worldSize = 2 + dice.below(3);
        List<List<Integer>> groups = groups(worldSize, dice);
        List<Line> lines = new ArrayList<>();
        List<End> ends = new ArrayList<>();
        long span = dice.oneOf(10, 1_000, 100_000, (int) Leader.DISPUTE_NANOS / 2);
        for (int i = 1 + dice.below(3); i > 0 || ends.isEmpty(); i--) {
            int group = dice.below(groups.size());
            Line line = new Line(group, dice.below(groups.get(group).size()), lines.size() % 2 == 0 ? "" : "a", lines.size(),
                    dice.oneOf(List.of(Receives.values())), dice.percent(40));
            lines.add(line);
            addEnds(lines.size() - 1, line, groups.get(group), span, ends, dice);
        }
        List<Barrier> barriers = new ArrayList<>();
        for (int i = dice.below(4); i > 0; i--) {
            int group = dice.below(groups.size());
            long ticket = i;
            groups.get(group).forEach(rank -> barriers.add(new Barrier(group, rank, dice.between(0, span), ticket)));
        }
        Trouble trouble = dice.percent(40) ? null : new Trouble(dice.oneOf(List.of(Kind.values())), dice.below(ends.size()), dice.between(0, 2 * span));
        return new MessagePlan(
                worldSize, groups, lines, ends, barriers, trouble, dice.oneOf(1, RecentNames.SLOTS), dice.percent(50), dice.oneOf(1, 100, 20_000),
                1 + span + dice.oneOf(0, 1_000, 3 * (int) Leader.DISPUTE_NANOS));
    }

    private static List<List<Integer>> groups(int worldSize, SeededRandom dice) {
        List<List<Integer>> groups = new ArrayList<>();
        groups.add(IntStream.range(0, worldSize).boxed().toList());
        if (dice.percent(50)) {
            List<Integer> members = new ArrayList<>(groups.getFirst());
            dice.shuffle(members);
            groups.add(List.copyOf(members.subList(0, 2 + dice.below(worldSize - 1))));
        }
        return groups;
    }

    private static void addEnds(int number, Line line, List<Integer> members, long span, List<End> ends, SeededRandom dice) {
        List<Integer> sources = new ArrayList<>(IntStream.range(0, members.size()).filter(source -> source != line.destination).boxed().toList());
        dice.shuffle(sources);
        if (line.receives == Receives.OF_ONE) {
            sources = sources.subList(0, 1);
        }
        for (int source : sources) {
            for (int i = dice.below(5); i > 0; i--) {
                boolean isFromAny = switch (line.receives) {
                    case NAMED -> false;
                    case FROM_ANY -> true;
                    case OF_ONE, MIXED -> dice.percent(40);
                };
                ends.add(new End(number, members.get(source), true, line.destination, COUNT, dice.between(0, span), dice.below(2)));
                ends.add(new End(number, members.get(line.destination), false, isFromAny ? ProcessGroup.ANY : source, COUNT, dice.between(0, span),
                        dice.below(2)));
            }
        }
    }

    EngineGroup group(int number, int rank, AssembledCalls assembled) {
        List<Integer> members = groups.get(number);
        return new EngineGroup(number, 0, members, members.indexOf(rank), List.of(), assembled);
    }

    int groupOf(End end) {
        return lines.get(end.line).group;
    }

    /** {@return the trouble, if it is of that kind and about that end} */
    boolean has(Kind kind, int end) {
        return trouble != null && trouble.kind == kind && trouble.end == end;
    }

    /** {@return whether anything may become of a group's ends, as long as they end} */
    boolean isSpoiled(int group) {
        if (trouble == null) {
            return false;
        }
        End end = ends.get(trouble.end);
        return switch (trouble.kind) {
            case MISMATCH, REFUSED, MISSING, SHORT -> false;
            case ABORT -> groupOf(end) == group;
            case LOST, LEAVES -> end.rank == Leader.RANK || groups.get(group).contains(end.rank);
        };
    }
}
