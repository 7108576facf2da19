package io.reactivecomm.simulator;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.testkit.SeededRandom;
import io.reactivecomm.testkit.collective.Form;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Draws a scenario: small enough for thousands a second, with bounds so tight that every mechanism of the engine is needed. */
final class ScenarioDraw {

    private static final List<Form> FORMS = List.of(
            Form.ALL_REDUCE,
            Form.ALL_REDUCE,
            Form.ALL_REDUCE_COALESCED,
            Form.ALL_REDUCE_COALESCED,
            Form.SCOPE,
            Form.SCOPE,
            Form.INFERENCE_ALL_REDUCE,
            Form.REDUCE,
            Form.BROADCAST,
            Form.ALL_GATHER,
            Form.ALL_GATHER_RAGGED,
            Form.ALL_GATHER_COALESCED,
            Form.REDUCE_SCATTER,
            Form.REDUCE_SCATTER_RAGGED,
            Form.ALL_TO_ALL,
            Form.ALL_TO_ALL_SPLITS,
            Form.GATHER,
            Form.SCATTER,
            Form.BARRIER,
            Form.MONITORED_BARRIER);

    private static final List<DType> TYPES = List.of(
            DType.FLOAT32,
            DType.FLOAT32,
            DType.BFLOAT16,
            DType.FLOAT16,
            DType.FLOAT64,
            DType.INT8,
            DType.UINT32,
            DType.INT64,
            DType.BOOL);

    /** Small calls are enough to reach every row. */
    private static final List<Selection> SELECTIONS = List.of(
            Selection.parse(""),
            Selection.parse(
                    "all-reduce:total<=256=gather-fold; reduce:ranks>=4,bytes>=64=rank-order-chain; broadcast:bytes>=64=chain"),
            Selection.parse(
                    "all-reduce:total<=16K=gather-fold; reduce=rank-order-direct; all-gather=ring; all-to-all=bruck"));

    private final long seed;
    private final SeededRandom dice;
    private final int compositePercent;

    private ScenarioDraw(long seed, SeededRandom dice, int compositePercent) {
        this.seed = seed;
        this.dice = dice;
        this.compositePercent = compositePercent;
    }

    /** {@return the scenario of a seed, without composite calls} */
    static Scenario of(long seed, SeededRandom dice) {
        return new ScenarioDraw(seed, dice, 0).draw();
    }

    /** {@return the scenario of a seed} */
    static Scenario withComposites(long seed, SeededRandom dice) {
        return new ScenarioDraw(seed, dice, dice.oneOf(0, 10, 30)).draw();
    }

    private Scenario draw() {
        int worldSize = dice.oneOf(2, 2, 3, 3, 3, 4, 4, 5);
        EngineLimits limits = limits();
        Selection selection = dice.oneOf(SELECTIONS).within(limits.eagerBytes());
        NetworkConditions weather = NetworkConditions.of(dice);
        List<SimulatedGroup> teams = teams(worldSize);
        long span = weather.mostNanos() * dice.oneOf(1, 5, 40);
        PlanDraw plans = new PlanDraw(dice, limits, span, dice.oneOf(0, 0, 30));
        CompositeDraw composites = new CompositeDraw(dice, teams, span, each -> shape(each.size(), limits));
        int calls = 1 + Math.min(dice.below(12), dice.below(12));
        int forming = dice.percent(50) ? dice.below(calls) : calls;
        for (int i = 0; i < calls; i++) {
            if (i == forming) {
                form(teams, plans, span);
                forming += dice.oneOf(1, 3, calls);
            }
            SimulatedGroup team = dice.oneOf(teams);
            if (compositePercent > 0 && dice.percent(compositePercent)) {
                composites.draw(team, plans);
            } else if (team.size() > 1 && dice.percent(25)) {
                plans.flow(team);
            } else {
                plans.together(team, shape(team.size(), limits));
            }
        }
        WorldFault trouble = trouble(worldSize, teams, span);
        List<Integer> hosts = hosts(worldSize);
        return new Scenario(
                seed,
                worldSize,
                hosts,
                limits,
                selection,
                weather,
                List.copyOf(teams),
                plans.drawn(),
                composites.drawn(),
                trouble);
    }

    /** Adds a group of some ranks of another, in any order. */
    private void form(List<SimulatedGroup> teams, PlanDraw plans, long span) {
        SimulatedGroup parent = dice.oneOf(teams);
        List<Integer> members = new ArrayList<>(parent.worldRanks());
        dice.shuffle(members);
        members.subList(
                        (int) dice.between(Math.min(2, members.size()) - (dice.percent(10) ? 1 : 0), members.size()),
                        members.size())
                .clear();
        if (!members.isEmpty()) {
            SimulatedGroup.Parting parting = dice.oneOf(List.of(
                    SimulatedGroup.Parting.STAY,
                    SimulatedGroup.Parting.AFTER_CALLS,
                    SimulatedGroup.Parting.AFTER_CALLS,
                    SimulatedGroup.Parting.EARLY));
            SimulatedGroup team = new SimulatedGroup(
                    10 + teams.size(),
                    List.copyOf(members),
                    parent,
                    parting,
                    dice.oneOf(members),
                    dice.between(0, 2 * span));
            teams.add(team);
            plans.forming(parent, team);
        }
    }

    private EngineLimits limits() {
        int piece = dice.oneOf(8, 16, 24, 40, 64, 128);
        int window = piece * dice.oneOf(1, 1, 2, 3) + dice.oneOf(0, 0, 4);
        int parked = dice.oneOf(0, 0, 1, 2, 16);
        int parkedBytes = dice.oneOf(0, 16, 128, 4096);
        return new EngineLimits(
                piece,
                piece * dice.oneOf(1, 1, 2, 5),
                window,
                dice.oneOf(0, 0, 8, 64, 512),
                dice.oneOf(64, 128, 256, 1024, 1 << 16),
                dice.oneOf(1, 1, 2, 4),
                piece,
                new EngineLimits.Openings(
                        parked + dice.oneOf(1, 1, 2, 16),
                        parkedBytes + dice.oneOf(1, 64, 1024, 1 << 16),
                        parked,
                        parkedBytes),
                dice.oneOf(1, 1, 2, 3, 18),
                64,
                dice.oneOf(500_000, 5_000_000, 50_000_000),
                10_000_000L);
    }

    private List<SimulatedGroup> teams(int worldSize) {
        List<Integer> ranks =
                new ArrayList<>(IntStream.range(0, worldSize).boxed().toList());
        List<SimulatedGroup> teams = new ArrayList<>();
        teams.add(new SimulatedGroup(0, List.copyOf(ranks)));
        if (dice.percent(30)) {
            dice.shuffle(ranks);
            teams.add(new SimulatedGroup(7, List.copyOf(ranks.subList(0, (int) dice.between(2, worldSize)))));
        }
        return teams;
    }

    /** {@return ranks on one host, or on some that they share in any way} */
    private List<Integer> hosts(int worldSize) {
        int most = dice.oneOf(1, 2, 2, 3);
        List<Integer> hosts = new ArrayList<>();
        for (int rank = 0; rank < worldSize; rank++) {
            hosts.add(dice.below(most));
        }
        if (dice.percent(70)) {
            Collections.sort(hosts);
        }
        return List.copyOf(hosts);
    }

    private WorldFault trouble(int worldSize, List<SimulatedGroup> teams, long span) {
        WorldFault.Kind kind = switch (dice.below(100) / 8) {
            case 0, 1 -> WorldFault.Kind.CRASH;
            case 2 -> WorldFault.Kind.LEAVE;
            case 3 -> WorldFault.Kind.ABORT;
            case 4 -> WorldFault.Kind.CUT;
            case 5 -> WorldFault.Kind.SILENCE;
            default -> WorldFault.Kind.NONE;
        };
        SimulatedGroup team = dice.oneOf(teams);
        int rank = kind == WorldFault.Kind.ABORT ? dice.oneOf(team.worldRanks()) : dice.below(worldSize);
        int other = (rank + 1 + dice.below(worldSize - 1)) % worldSize;
        return new WorldFault(kind, rank, other, team, dice.between(0, 2 * span));
    }

    private Shape shape(int size, EngineLimits limits) {
        Form form = dice.oneOf(FORMS);
        if (form.isSilent()) {
            return Shape.silent(form, dice.percent(40));
        }
        DType type = dice.oneOf(TYPES);
        ReduceOp op = reduction(type);
        int piece = Math.max(1, limits.pieceBytes() / type.byteSize());
        return new Shape(form, type, lengths(form, size, piece), dice.below(size), op, dice.percent(40));
    }

    private List<Long> lengths(Form form, int size, int piece) {
        int parts = form.lengths(size);
        if (parts == 1) {
            return List.of(count(size, piece));
        }
        List<Long> lengths = new ArrayList<>();
        boolean allZero = dice.percent(5);
        for (int left = parts == 0 ? dice.oneOf(1, 2, 3, 5, 9) : parts; left > 0; left--) {
            lengths.add(allZero ? 0L : dice.oneOf(0, 1, 1, 2, 3, size, piece, piece + 1, 2 * piece + 3));
        }
        return lengths;
    }

    private ReduceOp reduction(DType type) {
        ReduceOp op;
        do {
            op = dice.oneOf(List.of(ReduceOp.values()));
        } while (!op.supports(type));
        return op;
    }

    /** {@return a count around which things change: none, the group's size, a prime, some pieces and one more or less} */
    private long count(int size, int pieceElements) {
        return switch (dice.below(8)) {
            case 0 -> dice.oneOf(0, 1);
            case 1 -> size - 1;
            case 2 -> size;
            case 3 -> size + 1;
            case 4 -> dice.oneOf(2, 3, 5, 7, 11, 13, 17);
            case 5 -> Math.max(0, pieceElements * dice.between(1, 4) + dice.between(-1, 1));
            case 6 -> (long) pieceElements * size + dice.below(size);
            default -> Math.min(64, 2L * pieceElements * size + dice.below(size + 1));
        };
    }
}
