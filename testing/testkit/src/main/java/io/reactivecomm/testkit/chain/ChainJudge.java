package io.reactivecomm.testkit.chain;

import io.reactivecomm.CommException;
import io.reactivecomm.testkit.chain.ChainOperator.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The judgement on a run: no sum is wrong, each step ends as it should, and nothing is left.
 *
 * <ul>
 *   <li>What comes back is a sum of this step's gradients, over all ranks but those whose gradients an operator may have lost on the way.
 *   <li>A step without trouble is right on all ranks, whatever has been before.
 *   <li>A rank without trouble has all of its gradients back, once, or a typed error that is no deadline's.
 *   <li>A rank with an operator that fails has not succeeded.
 * </ul>
 */
final class ChainJudge {

    private final PlanRun run;
    private final ChainPlan plan;
    private final ChainWorld world;
    private final List<String> violations = new ArrayList<>();

    ChainJudge(PlanRun run, ChainWorld world) {
        this.run = run;
        this.plan = run.plan();
        this.world = world;
    }

    /** {@return what is wrong} */
    List<String> violations() {
        violations.addAll(run.failures());
        for (ChainRank rank : run.ranks()) {
            for (ChainStep step : rank.steps()) {
                judgeSums(rank.rank(), step);
                judgeEnd(rank.rank(), step, step.end().getNow(new ChainStep.End.Cancelled()));
            }
        }
        return violations;
    }

    private void require(boolean holds, String what, ChainStep step, int rank, Object found) {
        if (!holds) {
            violations.add(what + ": step=" + step.step() + ", rank=" + rank + ", found=" + found);
        }
    }

    private void judgeSums(int rank, ChainStep step) {
        long all = (1L << plan.worldSize()) - 1;
        long needed = all & ~mayMiss(rank, step.step());
        for (ChainStep.Result result : step.results()) {
            long ranks = ChainValues.ranks(step.step(), result.gradient(), result.elements());
            boolean isRight = ranks != ChainValues.NONE && (ranks & needed) == needed;
            require(
                    isRight,
                    "a wrong sum of " + ChainValues.name(result.gradient()),
                    step,
                    rank,
                    Arrays.toString(result.elements()));
        }
    }

    /** {@return the ranks, as bits, whose gradients may be missing in what a rank takes back} */
    private long mayMiss(int rank, int step) {
        ChainPlan.Layout layout = plan.layout();
        long missing = 0;
        for (ChainPlan.Insert insert : plan.inserts(step)) {
            int hooksBehind = layout.hooks - insert.place();
            if (insert.operator().kind().mayLose() && hooksBehind > 0) {
                boolean isOnTheWay = hooksBehind == layout.hooks
                        || (world.mates(layout, rank, insert.place()) & 1L << insert.rank()) != 0;
                boolean takesOthers =
                        layout.hooks > 1 && (world.mates(layout, rank, layout.hooks - 1) & 1L << insert.rank()) != 0;
                missing |= isOnTheWay ? 1L << insert.rank() : 0;
                missing |= takesOthers ? world.mates(layout, insert.rank(), 0) : 0;
            }
        }
        return missing;
    }

    private void judgeEnd(int rank, ChainStep step, ChainStep.End end) {
        List<Kind> own = plan.inserts(step.step(), rank).stream()
                .map(insert -> insert.operator().kind())
                .toList();
        boolean isDone = end instanceof ChainStep.End.Done;
        if (plan.isSound(step.step())) {
            require(isDone, "a step without trouble has not succeeded", step, rank, end);
        }
        if (end instanceof ChainStep.End.Failed failed) {
            require(!step.hasTimedOut(), "a step has ended by its deadline", step, rank, failed.error());
            require(
                    !own.isEmpty() || failed.error() instanceof CommException,
                    "an error of others is not typed",
                    step,
                    rank,
                    failed.error());
        }
        if (own.size() == 1 && own.getFirst().hasToFail()) {
            require(!isDone, "an operator's failure is lost", step, rank, end);
        }
        judgeResults(rank, step, own, isDone);
    }

    private void judgeResults(int rank, ChainStep step, List<Kind> own, boolean isDone) {
        List<Integer> back =
                step.results().stream().map(ChainStep.Result::gradient).toList();
        if (own.stream().noneMatch(Kind::mayLose)) {
            require(
                    back.stream().distinct().count() == back.size(),
                    "a gradient has come back twice",
                    step,
                    rank,
                    back);
        }
        boolean wantsAll = own.stream().allMatch(kind -> kind == Kind.PASSES) || plan.isSound(step.step());
        if (isDone && wantsAll) {
            require(back.size() == plan.gradients(), "gradients have not come back", step, rank, back);
        }
    }
}
