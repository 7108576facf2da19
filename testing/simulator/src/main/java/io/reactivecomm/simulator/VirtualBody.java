package io.reactivecomm.simulator;

import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Failures;
import io.reactivecomm.simulator.SimulatedComposite.RankBody;
import io.reactivecomm.spi.Failure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of a composite call on one rank: makes the calls of a step once the step before is over, however that ended, and tells the engine of
 * its own end, as the group does. A call that was about to begin when it stopped still tries to.
 */
final class VirtualBody implements Composite.Sink {

    private final SimulatedComposite plan;
    private final RankBody part;
    private final VirtualRank rank;
    private final VirtualNetwork network;
    private final Judge judge;
    private final Membership membership;
    private final @Nullable VirtualBody outer;
    private final List<Step> steps = new ArrayList<>();
    private final List<Caller> callers = new ArrayList<>();
    private @Nullable Composite run;
    private @Nullable Failure failure;
    private long begunAt = Caller.NOT_YET;
    private boolean over;
    private boolean hasStopped;
    private boolean told;
    private boolean ended;

    private static final class Step {

        private final List<Runnable> calls = new ArrayList<>();
        private boolean begun;
        private int unfinished;

        private boolean isOver() {
            return begun && unfinished == 0;
        }
    }

    VirtualBody(
            SimulatedComposite plan,
            RankBody part,
            VirtualRank rank,
            VirtualNetwork network,
            Judge judge,
            Membership membership,
            @Nullable VirtualBody outer) {
        this.plan = plan;
        this.part = part;
        this.rank = rank;
        this.network = network;
        this.judge = judge;
        this.membership = membership;
        this.outer = outer;
        plan.after().forEach(ignored -> steps.add(new Step()));
    }

    SimulatedComposite plan() {
        return plan;
    }

    RankBody part() {
        return part;
    }

    VirtualRank rank() {
        return rank;
    }

    /** {@return those who make the calls in it, but for the ones in further composites} */
    List<Caller> callers() {
        return callers;
    }

    long begunAt() {
        return begunAt;
    }

    /** {@return whether it has stopped as its plan says, and by nothing else} */
    boolean hasStopped() {
        return hasStopped;
    }

    boolean hasEnded() {
        return ended;
    }

    @Nullable Failure failure() {
        return failure;
    }

    /** {@return the run in which its calls are made} */
    Composite run() {
        Composite begun = run;
        if (begun == null) {
            throw new IllegalStateException("a call in a body that has not begun: " + this);
        }
        return begun;
    }

    /** Something is to happen so long after a step has begun. */
    void plan(int step, long after, Runnable action) {
        steps.get(step).calls.add(() -> network.agenda().at(network.agenda().now() + after, action));
    }

    /** One more call of a step will end. */
    void expect(int step, @Nullable Caller caller) {
        steps.get(step).unfinished++;
        if (caller != null) {
            callers.add(caller);
        }
    }

    /** A call of a step has ended. */
    void innerEnded(int step) {
        steps.get(step).unfinished--;
        network.agenda().at(network.agenda().now(), this::goOn);
    }

    /** Subscribes. */
    void begin() {
        begunAt = network.agenda().now();
        Composite outerRun = outer == null ? null : outer.run();
        long timeoutNanos =
                outerRun == null ? part.timeoutNanos() : Math.min(part.timeoutNanos(), outerRun.leftNanos(begunAt));
        Composite made = new Composite(
                membership.group(),
                plan.keyIn(outerRun == null ? null : outerRun.enclosure()),
                outerRun,
                plan.operation(part.groupRank()),
                begunAt,
                timeoutNanos,
                this);
        run = made;
        network.agenda().tell(rank.rank(), () -> "subscribes to " + plan);
        if (plan.fault() == SimulatedComposite.Fault.INVALID && plan.odd() == part.groupRank()) {
            over = true;
            rank.event(() -> rank.engine()
                    .refuse(made, own("cannot begin"), network.agenda().now()));
            return;
        }
        rank.event(() -> rank.engine().begin(made, network.agenda().now()));
        if (rank.engine().whyFailed(made.key()) == null) {
            goOn();
        }
    }

    private Failure own(String what) {
        return new Failure(
                Failure.Kind.INVALID,
                rank.rank(),
                plan.operation(part.groupRank()) + " " + what + ": rank=" + rank.rank() + ", call="
                        + run().key().label() + "; let it");
    }

    private void goOn() {
        for (int i = 0; i < steps.size(); i++) {
            int before = plan.after().get(i);
            if (!over && !steps.get(i).begun && (before < 0 || steps.get(before).isOver())) {
                begin(i);
            }
        }
        if (!over && steps.stream().allMatch(Step::isOver)) {
            if (part.stopsAt() == steps.size()) {
                stop();
            } else {
                leave(null);
            }
        }
    }

    private void begin(int i) {
        Step step = steps.get(i);
        step.begun = true;
        if (i == part.stopsAt() && part.stopsAfter() == 0) {
            stop();
            return;
        }
        if (i == part.stopsAt()) {
            network.agenda().at(network.agenda().now() + part.stopsAfter(), this::stop);
        }
        step.calls.forEach(Runnable::run);
    }

    private void stop() {
        if (over || rank.hasCrashed()) {
            return;
        }
        hasStopped = true;
        switch (plan.fault()) {
            case FAILS -> {
                over = true;
                network.agenda().tell(rank.rank(), () -> "the body fails of " + plan);
                rank.event(() -> rank.engine()
                        .failed(run(), own("failed"), network.agenda().now()));
            }
            case CANCELS ->
                leave(Failures.compositeCancelled(
                        rank.rank(),
                        plan.operation(part.groupRank()),
                        run().key().label()));
            case LEAVES -> leave(null);
            case NONE, OTHER, PLAIN, INVALID, ABSENT, HURRY ->
                throw new IllegalStateException("it does not stop: " + this);
        }
    }

    private void leave(@Nullable Failure cause) {
        over = true;
        network.agenda()
                .tell(
                        rank.rank(),
                        () -> (cause == null ? "the body is over of " : "the subscriber cancels of ") + plan);
        rank.event(() -> rank.engine().left(run(), cause, network.agenda().now()));
    }

    @Override
    public void left(@Nullable Failure cause) {}

    @Override
    public void stopped(Failure cause) {
        if (told || ended) {
            throw new Violation("a body was stopped twice, or after its end: " + this);
        }
        told = true;
        over = true;
    }

    @Override
    public void ended(@Nullable Failure cause) {
        network.agenda().tell(rank.rank(), () -> "ended: " + plan + ", failure=" + cause);
        if (ended) {
            throw new Violation("a composite ended twice: " + this);
        }
        ended = true;
        failure = cause;
        judge.ended(this, cause);
        BodyStep inside = plan.inside();
        if (outer == null || inside == null) {
            membership.callEnded();
        } else {
            outer.innerEnded(inside.step());
        }
    }

    @Override
    public String toString() {
        return "rank " + rank.rank() + " in " + plan + " (" + part + ")";
    }
}
