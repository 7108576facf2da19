package io.reactivecomm.sequence;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.sequence.FuzzCall.Line;
import io.reactivecomm.sequence.FuzzCall.Receives;
import io.reactivecomm.sequence.FuzzPlan.Closing;
import io.reactivecomm.sequence.FuzzPlan.Kind;
import io.reactivecomm.sequence.FuzzPlan.Start;
import io.reactivecomm.sequence.FuzzPlan.Trouble;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import io.reactivecomm.spi.engine.Formation;
import io.reactivecomm.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The plans of worlds that exchange messages: lines of them, each to one rank under one name and tag, and the collectives beside them, by themselves, in a step
 * or in composite calls.
 */
final class MessagePlans {

    private static final List<Kind> DRAWN = List.of(Kind.values());

    private final SeededRandom dice;
    private final int worldSize;
    private final List<List<Integer>> groups;
    private final List<FuzzCall> calls = new ArrayList<>();
    private final List<Trouble> troubles = new ArrayList<>();
    private final long span;

    private MessagePlans(SeededRandom dice) {
        this.dice = dice;
        this.worldSize = 2 + dice.below(3);
        this.groups = groups();
        this.span = dice.oneOf(10, 1_000, 100_000, (int) Leader.DISPUTE_NANOS / 2);
    }

    static FuzzPlan of(SeededRandom dice) {
        return new MessagePlans(dice).draw();
    }

    private FuzzPlan draw() {
        boolean composes = dice.percent(40);
        for (int tag = 0, lines = 1 + dice.below(3); tag < lines || calls.isEmpty(); tag++) {
            addEnds(line(tag, composes));
        }
        for (int ticket = dice.below(4); ticket > 0; ticket--) {
            int group = dice.below(groups.size());
            Enclosure enclosure = enclosure(composes, CallKey.NO_STEP);
            calls.add(new FuzzCall.All(new CallKey.Ticket(0, group, "", ticket, 1, enclosure), group, dice.below(2)));
        }
        for (int i = dice.percent(40) ? 0 : dice.percent(90) ? 1 : 2; i > 0; i--) {
            troubles.add(trouble());
        }
        boolean departs = troubles.isEmpty() && dice.percent(15);
        boolean mayClose = troubles.stream().allMatch(each -> each.kind().isOfGroup()) && dice.percent(40);
        Closing closing = mayClose ? dice.oneOf(List.of(Closing.values())) : Closing.NEVER;
        return new FuzzPlan(
                worldSize,
                dice.oneOf(List.of(Formation.values())),
                groups,
                FuzzPlan.parents(groups, dice),
                calls,
                starts(),
                troubles,
                dice.oneOf(1, RecentNames.SLOTS),
                dice.percent(50),
                departs,
                closing,
                dice.oneOf(1, 100, 20_000),
                1 + span + dice.oneOf(0, 1_000, 3 * (int) Leader.DISPUTE_NANOS));
    }

    private List<List<Integer>> groups() {
        List<List<Integer>> drawn = new ArrayList<>();
        drawn.add(IntStream.range(0, worldSize).boxed().toList());
        if (dice.percent(50)) {
            List<Integer> members = new ArrayList<>(drawn.getFirst());
            dice.shuffle(members);
            drawn.add(List.copyOf(members.subList(0, 2 + dice.below(worldSize - 1))));
        }
        return drawn;
    }

    private Line line(int tag, boolean composes) {
        int group = dice.below(groups.size());
        long step = dice.percent(40) ? 1 : CallKey.NO_STEP;
        Enclosure enclosure = enclosure(composes, step);
        return new Line(
                group,
                dice.below(groups.get(group).size()),
                tag % 2 == 0 ? "" : "a",
                tag,
                dice.oneOf(List.of(Receives.values())),
                enclosure == null ? step : CallKey.NO_STEP,
                enclosure);
    }

    private Enclosure enclosure(boolean composes, long step) {
        return FuzzPlan.enclosure(composes ? dice.below(3) : 0, step, 0, 1);
    }

    private void addEnds(Line line) {
        List<Integer> members = groups.get(line.group());
        List<Integer> sources = new ArrayList<>(IntStream.range(0, members.size())
                .filter(source -> source != line.destination())
                .boxed()
                .toList());
        dice.shuffle(sources);
        if (line.receives() == Receives.OF_ONE) {
            sources = sources.subList(0, 1);
        }
        for (int source : sources) {
            for (int i = dice.below(5); i > 0; i--) {
                boolean isFromAny = switch (line.receives()) {
                    case NAMED -> false;
                    case FROM_ANY -> true;
                    case OF_ONE, MIXED -> dice.percent(40);
                };
                calls.add(new FuzzCall.End(line, members.get(source), true, line.destination(), dice.below(2)));
                calls.add(new FuzzCall.End(
                        line,
                        members.get(line.destination()),
                        false,
                        isFromAny ? ProcessGroup.ANY : source,
                        dice.below(2)));
            }
        }
    }

    private Trouble trouble() {
        // A receive that may stand behind one from any has more ways to fail.
        List<Integer> behind = IntStream.range(0, calls.size())
                .filter(this::mayBeBehind)
                .boxed()
                .toList();
        int call = behind.isEmpty() || dice.percent(75) ? dice.below(calls.size()) : dice.oneOf(behind);
        Kind drawn = dice.oneOf(DRAWN);
        Kind kind = drawn.isOfRun() && calls.get(call).enclosure() == null ? Kind.REFUSED : drawn;
        int group = calls.get(call).group();
        int rank = switch (calls.get(call)) {
            case FuzzCall.End end -> end.rank();
            case FuzzCall.All ignored -> dice.oneOf(groups.get(group));
        };
        // Of a rank that is no member, too: it may be one that helps.
        boolean isOfAny = kind == Kind.OPENING_FAILS && dice.percent(50) || kind.isOfRun();
        return new Trouble(
                kind,
                isOfAny ? dice.below(worldSize) : rank,
                call,
                group,
                dice.between(0, dice.percent(50) ? span / 2 : 2 * span));
    }

    private boolean mayBeBehind(int call) {
        return calls.get(call) instanceof FuzzCall.End end
                && !end.isSend()
                && end.peer() >= 0
                && end.line().receives() != Receives.NAMED;
    }

    private List<List<Start>> starts() {
        List<List<Start>> starts = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            List<Start> own = new ArrayList<>();
            for (int i = 0; i < calls.size(); i++) {
                boolean isOwn = switch (calls.get(i)) {
                    case FuzzCall.End end -> end.rank() == rank;
                    case FuzzCall.All all -> groups.get(all.group()).contains(rank);
                };
                if (isOwn) {
                    own.add(new Start(i, dice.between(0, span), -1));
                }
            }
            starts.add(own);
        }
        return starts;
    }
}
