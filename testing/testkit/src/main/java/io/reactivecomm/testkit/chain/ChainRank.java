package io.reactivecomm.testkit.chain;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.bucket.BucketOptions;
import io.reactivecomm.bucket.GradientBuckets;
import io.reactivecomm.bucket.Scaling;
import io.reactivecomm.hook.GradientHook;
import io.reactivecomm.hook.GradientHooks;
import io.reactivecomm.hook.ParallelHooks;
import io.reactivecomm.testkit.chain.ChainOperator.Kind;
import io.reactivecomm.testkit.sim.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * One rank's chain of hooks, and its steps one behind the other.
 *
 * <p><b>Threads.</b> Its own.
 */
final class ChainRank implements Runnable {

    /** Less than a plan's gradients have, so that there are several buckets. */
    private static final int SMALL_BUCKET_BYTES = 48;

    private final PlanRun run;
    private final ChainPlan plan;
    private final int rank;
    private final SeededRandom dice;
    private final GradientHooks hooks = new GradientHooks();
    private final List<GradientBuckets> buckets = new ArrayList<>();
    private final List<ChainStep> steps = new ArrayList<>();
    private volatile ChainStep now;

    /** @param groups that of each hook */
    ChainRank(PlanRun run, int rank, List<ProcessGroup> groups) {
        this.run = run;
        this.plan = run.plan();
        this.rank = rank;
        this.dice = new SeededRandom(plan.dice().get(rank));
        List<GradientHook> chain = new ArrayList<>(List.of(place(0)));
        for (int hook = 0; hook < groups.size(); hook++) {
            chain.add(reducer(plan.hooks().get(hook), groups.get(hook)));
            chain.add(place(hook + 1));
        }
        form(chain);
        this.now = next(0);
    }

    /** {@return a hook of the program's, with what the plan has there in the step that it is applied in} */
    private GradientHook place(int place) {
        return ready -> {
            ChainStep step = now;
            for (ChainPlan.Insert insert : plan.inserts(step.step(), rank)) {
                if (insert.place() == place) {
                    return insert.operator().effect().on(ready, step);
                }
            }
            return ready;
        };
    }

    private GradientHook reducer(ChainPlan.Reducer kind, ProcessGroup group) {
        BucketOptions sums = BucketOptions.DEFAULT.withScaling(Scaling.SUM);
        BucketOptions small = sums.withBucketBytes(SMALL_BUCKET_BYTES);
        return switch (kind) {
            case CALLS -> ParallelHooks.modelParallel(group);
            case BUCKETS -> closedInTheEnd(GradientBuckets.of(group, sums));
            case SMALL_BUCKETS -> closedInTheEnd(GradientBuckets.of(group, small));
            case REGISTERED_BUCKETS ->
                closedInTheEnd(GradientBuckets.of(group, small).registered(ChainValues.parameters(plan.gradients())));
        };
    }

    private GradientBuckets closedInTheEnd(GradientBuckets made) {
        buckets.add(made);
        return made;
    }

    private void form(List<GradientHook> chain) {
        int half = chain.size() / 2;
        switch (plan.form()) {
            case REGISTERED -> chain.forEach(hooks::register);
            case NESTED_IN_FRONT -> hooks.register(nestedInFront(chain));
            case NESTED_BEHIND ->
                hooks.register(chain.reversed().stream()
                        .reduce((behind, each) -> each.then(behind))
                        .orElseThrow());
            case TWO_CHAINS -> {
                hooks.register(nestedInFront(chain.subList(0, half)));
                hooks.register(nestedInFront(chain.subList(half, chain.size())));
            }
        }
    }

    private static GradientHook nestedInFront(List<GradientHook> chain) {
        return chain.stream().reduce(GradientHook::then).orElseThrow();
    }

    private ChainStep next(int step) {
        ChainStep next = new ChainStep(plan, step, rank, run.begun(step), dice.split());
        steps.add(next);
        return next;
    }

    @Override
    public void run() {
        for (int step = 0; step < plan.steps() && !run.isStopped(); step++) {
            if (step > 0) {
                now = next(step);
            }
            if (!perform(now)) {
                run.fails("has not ended within " + run.limit() + ": step=" + step + ", rank=" + rank);
                return;
            }
            if (now.hasTimedOut()) {
                run.stop();
            }
            run.ended(step).arrive();
            if (plan.isTogether() && !isThere(run.ended(step).all())) {
                return;
            }
        }
    }

    /** {@return whether it has ended in time} */
    private boolean perform(ChainStep step) {
        begin(step);
        for (ChainPlan.Cut cut : plan.cuts(step.step(), rank)) {
            switch (cut.moment()) {
                case AT_ONCE -> step.leave();
                case WHEN_ALL_HAVE_BEGUN -> step.allHaveBegun().subscribe(ignored -> {}, ignored -> {}, step::leave);
                case AT_THE_FIRST_RESULT -> {}
            }
        }
        return isThere(Mono.fromFuture(step.end(), true));
    }

    private void begin(ChainStep step) {
        Mono<Void> whole = hooks.run(step);
        try {
            (isElsewhere(step.step()) ? whole.subscribeOn(Schedulers.boundedElastic()) : whole).subscribe(step);
        } catch (VirtualMachineError | LinkageError e) {
            step.died(e);
        } finally {
            run.begun(step.step()).arrive();
        }
    }

    /** One that is left, or dies, is subscribed to here: else the rank would go on, and its hooks be applied for another step. */
    private boolean isElsewhere(int step) {
        boolean mayBe = plan.cuts(step, rank).isEmpty()
                && plan.inserts(step, rank).stream()
                        .noneMatch(insert -> insert.operator().kind() == Kind.DIES);
        return dice.percent(15) && mayBe;
    }

    private boolean isThere(Mono<?> event) {
        Duration limit = run.limit();
        try {
            event.toFuture().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (TimeoutException e) {
            return false;
        }
    }

    int rank() {
        return rank;
    }

    List<ChainStep> steps() {
        return steps;
    }

    void close() {
        buckets.forEach(GradientBuckets::close);
        steps.forEach(step -> step.tensors().forEach(Tensor::close));
    }
}
