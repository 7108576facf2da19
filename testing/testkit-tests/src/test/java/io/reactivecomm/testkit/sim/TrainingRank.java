package io.reactivecomm.testkit.sim;

import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.bucket.BucketOptions;
import io.reactivecomm.bucket.DrivenBuckets;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.spi.CallKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One rank in training: its buckets, its steps, and whose its memory is. */
final class TrainingRank {

    private final TrainingScenario training;
    private final int groupRank;
    private final VirtualRank rank;
    private final VirtualNetwork network;
    private final Selection selection;
    private final TrainingJudge judge;
    private final DrivenBuckets buckets;
    private final List<SimulatedStep> steps = new ArrayList<>();
    /** Which bucket is in which memory. */
    private final Map<ScribbledMemory.Region, TrainingCall> users = new IdentityHashMap<>();

    private final Set<ScribbledMemory.Region> flat = new HashSet<>();
    private int opened;
    private int begun;

    TrainingRank(
            TrainingScenario training,
            int groupRank,
            VirtualRank rank,
            VirtualNetwork network,
            Selection selection,
            TrainingJudge judge) {
        this.training = training;
        this.groupRank = groupRank;
        this.rank = rank;
        this.network = network;
        this.selection = selection;
        this.judge = judge;
        this.buckets = new DrivenBuckets(
                training.parameters(), options(), training.team().size(), this::allocate, this::execute);
        if (!training.asks()) {
            buckets.haveReduced();
        }
        for (int step = 0; step < training.steps(); step++) {
            steps.add(new SimulatedStep(
                    this, step, training.parts().get(groupRank).get(step)));
        }
    }

    /** A flat buffer: nobody's until a bucket is in it. */
    private Tensor allocate(long bytes) {
        ScribbledMemory.Region region =
                network.memory().allocate(bytes, 8 * network.dice().below(4), "flat buffer of rank " + rank.rank());
        network.memory().release(region);
        flat.add(region);
        return Tensor.wrap(region.memory(), DType.UINT8, bytes);
    }

    TrainingScenario training() {
        return training;
    }

    SimulatedGroup team() {
        return training.team();
    }

    int groupRank() {
        return groupRank;
    }

    VirtualRank rank() {
        return rank;
    }

    VirtualNetwork network() {
        return network;
    }

    TrainingJudge judge() {
        return judge;
    }

    DrivenBuckets buckets() {
        return buckets;
    }

    BucketOptions options() {
        return training.options().get(groupRank);
    }

    List<SimulatedStep> steps() {
        return steps;
    }

    void begin() {
        long at = 0;
        for (SimulatedStep step : training.overlapping() ? steps : steps.subList(0, 1)) {
            at += step.part().after();
            after(at, step::begin);
        }
    }

    /** Has something happen after that time, if the rank is still there. */
    void after(long nanos, Runnable action) {
        network.agenda().at(network.agenda().now() + nanos, () -> unlessCrashed(action));
    }

    /** Has something happen soon, if the rank is still there. */
    void execute(Runnable action) {
        rank.execute(() -> unlessCrashed(action));
    }

    private void unlessCrashed(Runnable action) {
        if (!rank.hasCrashed()) {
            action.run();
        }
    }

    /** A step has its turn. {@return its run of the composite call of all steps, which has begun} */
    Composite open(SimulatedStep step, Composite.Sink ends) {
        if (step.number() != opened) {
            throw new Violation("a step has its turn out of order: next=" + opened + ", " + step);
        }
        opened++;
        begun = 0;
        CallKey.Ticket key = new CallKey.Ticket(0, team().id(), TrainingCall.NAME, 0, opened);
        Composite run = composite(key, null, "gradient buckets", ends);
        rank.event(() -> rank.engine().begin(run, network.agenda().now()));
        return run;
    }

    void agree(SimulatedStep step, boolean asks) {
        new TrainingAgreement(step, asks).begin(selection);
    }

    Composite composite(CallKey.Ticket key, @Nullable Composite outer, String operation, Composite.Sink ends) {
        return new Composite(
                rank.membership(team().id()).group(),
                key,
                outer,
                operation,
                network.agenda().now(),
                Composite.NO_DEADLINE,
                ends);
    }

    /** A bucket begins: in order, whole, and alone in its memory. */
    void begins(TrainingCall call, ScribbledMemory.Region memory) {
        if (call.step().number() != opened - 1 || call.bucket() != begun) {
            throw new Violation(
                    "a bucket begins out of order: next=" + begun + " of step " + (opened - 1) + ", " + call);
        }
        begun++;
        for (DrivenBuckets.Stowed stowed : buckets.cargo().get(call.bucket()).gradients()) {
            if (!call.step().isSettled(stowed.parameter().name())) {
                throw new Violation("a bucket begins before it is whole: gradient="
                        + stowed.parameter().name() + ", " + call);
            }
        }
        TrainingCall other = users.put(memory, call);
        if (other != null) {
            throw new Violation("two buckets are in the same memory: " + call + ", " + other);
        }
        network.memory().lend(memory);
    }

    void submit(TrainingCall call) {
        judge.add(call);
        int priority = options().isPrioritized() ? call.bucket() : 0;
        call.submit(priority, selection, network);
    }

    /** A bucket has let go of its memory. */
    void landed(TrainingCall call) {
        ScribbledMemory.Region memory = call.memory();
        if (!call.hasEnded() || !users.remove(memory, call)) {
            throw new Violation("a bucket lets go of its memory before its call has ended: " + call);
        }
        if (flat.contains(memory)) {
            network.memory().release(memory);
        }
    }

    void over(SimulatedStep step) {
        if (!training.overlapping() && step.number() + 1 < steps.size()) {
            SimulatedStep next = steps.get(step.number() + 1);
            after(next.part().after(), next::begin);
        }
    }

    /** {@return whether nothing is in any memory} */
    boolean isEmpty() {
        return users.isEmpty();
    }
}
