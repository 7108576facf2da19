package io.reactivecomm.testkit.chain;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.sim.SeededRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import reactor.core.publisher.Hooks;

/**
 * Chains of hooks, one for each seed, with operators of a program's at any place of them: whether sums are right, and steps end.
 *
 * <p>Seeds share a world of each size until one fails, which takes the world with it. What a seed does is given; in which order threads do it is not.
 *
 * <p><b>Threads.</b> The caller's. One search at a time in a JVM: what operators drop is dropped in silence meanwhile.
 */
public final class ChainFuzz {

    /** What {@link #firstFailure} says when no seed failed. */
    public static final long NO_SEED = -1;

    private final IntFunction<List<ProcessGroup>> worlds;
    private final Duration deadline;
    private final Duration limit;
    private final Map<Integer, ChainWorld> open = new HashMap<>();
    private long steps;
    private List<String> violations = List.of();

    /**
     * @param worlds opens one of so many ranks, and closes it afterwards
     * @param deadline of each call of a hook's: longer than any takes
     * @param limit of each step: longer than the deadline
     */
    public ChainFuzz(IntFunction<List<ProcessGroup>> worlds, Duration deadline, Duration limit) {
        this.worlds = worlds;
        this.deadline = deadline;
        this.limit = limit;
    }

    /** {@return the first of consecutive seeds that fails, or {@link #NO_SEED}} */
    public long firstFailure(long from, int count) {
        Hooks.onErrorDropped(dropped -> {});
        try {
            for (long seed = from; seed < from + count; seed++) {
                violations = run(seed);
                if (!violations.isEmpty()) {
                    return seed;
                }
            }
            return NO_SEED;
        } finally {
            Hooks.resetOnErrorDropped();
        }
    }

    private List<String> run(long seed) {
        ChainPlan plan = plan(seed);
        ChainWorld world = open.computeIfAbsent(plan.worldSize(), size -> new ChainWorld(worlds.apply(size), deadline));
        try (PlanRun run = new PlanRun(plan, world, "seed" + seed, limit)) {
            run.perform();
            steps += plan.steps();
            return new ChainJudge(run, world).violations();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while seed " + seed + " ran", e);
        }
    }

    private static ChainPlan plan(long seed) {
        return ChainPlan.of(new SeededRandom(seed));
    }

    /** {@return a seed's plan, and what was wrong with the last one} */
    public String report(long seed) {
        return "seed=" + seed + "\nplan: " + plan(seed) + "\nviolations:\n  " + String.join("\n  ", violations);
    }

    /** {@return steps so far, of all ranks together} */
    public long steps() {
        return steps;
    }
}
