package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LogRank;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.base.OwnThreads;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.MissingGradients;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.StepView;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * The buckets of a model from step to step: their plan, their memory, and the step that they are in.
 *
 * <p><b>Threads.</b> Any.
 */
public final class Buckets implements AutoCloseable {

    /** The threads on which steps pack and unpack. */
    static final Scheduler PACKING = OwnThreads.blocking("gradient-buckets");

    private static final Cleaner CLEANER = Cleaner.create();

    final ProcessGroup group;
    final BucketOptions options;
    final CommonPlan common;
    final BucketMemory memory;
    private final LogRank logRank;
    private final Cleaner.Cleanable memoryFreed;
    private @Nullable BucketStep step;

    /** @param registered the parameters; null if the first step shows them */
    public Buckets(ProcessGroup group, BucketOptions options, @Nullable List<Parameter> registered) {
        this.group = group;
        this.options = options;
        this.logRank = LogRank.of(group);
        this.common = new CommonPlan(registered, options, group.size());
        this.memory = new BucketMemory(group);
        this.memoryFreed = CLEANER.register(this, memory::dropped);
    }

    public ProcessGroup group() {
        return group;
    }

    public BucketOptions options() {
        return options;
    }

    /** Allocates memory for all buckets, zeroed, if that has not been done. {@return a gradient for each parameter, in their order} */
    public List<Gradient> allocate() {
        // A plan that ranks might not keep would leave gradients without homes.
        BucketPlan registered = common.registered();
        BucketPlan plan = registered == null ? common.known() : registered;
        if (plan == null) {
            throw new IllegalStateException(
                    "gradients are not known yet: registered=0, reduced=0; register the parameters, or run a step first");
        }
        if (plan.buckets().stream().anyMatch(Bucket::isConverted)) {
            throw new IllegalStateException("gradients cannot live in buckets of another type: communicationType="
                    + options.communicationType() + "; leave it out, or keep the gradients elsewhere");
        }
        if (plan.buckets().stream().anyMatch(Bucket::isSparse)) {
            throw new IllegalStateException("sparse gradients live in no bucket: registered=" + plan.parameters()
                    + "; keep gradients elsewhere, or take dense ones");
        }
        memory.allocateHomes(plan);
        return Objects.requireNonNull(memory.homes()).gradients();
    }

    Flight flight(Bucket bucket, BucketStep its, PlannedGradients gradients) {
        return bucket.isSparse()
                ? new SparseFlight(bucket, this, its, gradients)
                : new DenseFlight(bucket, this, its, gradients);
    }

    /** {@return whether ranks ask each other which gradients there are} */
    boolean askForPresence() {
        return options.missing() == MissingGradients.RETURNED;
    }

    /** {@return the presence that a reducer gets} @param present one byte for each gradient of a bucket */
    List<Boolean> presence(byte[] present) {
        List<Boolean> presence = new ArrayList<>(present.length);
        for (byte each : present) {
            presence.add(each > 0 || !askForPresence());
        }
        return presence;
    }

    /** {@return a view for the calls of a bucket} @param inside the view of the step's calls */
    ProcessGroup view(Bucket bucket, ProcessGroup inside) {
        long later = (long) group.priority() + bucket.index();
        return options.isPrioritized() ? inside.priority((int) Math.min(Integer.MAX_VALUE, later)) : inside;
    }

    /** Runs packing, unpacking or code of a reducer, which may take long. */
    void work(Runnable task) {
        PACKING.schedule(() -> logRank.run(task));
    }

    /** All buckets of a step have ended well. */
    void ended(BucketPlan plan) {
        BucketReducer reducer = options.reducer();
        if (reducer != null) {
            reducer.ended(plan.buckets().stream()
                    .filter(bucket -> !bucket.isSparse())
                    .map(Bucket::index)
                    .toList());
        }
    }

    /**
     * {@return the step that begins}
     *
     * @param taker as in {@link BucketStep}
     * @param active the count of ranks with inputs, or null
     * @throws InvalidCallException if another step has not ended, or these are closed
     */
    public BucketStep begins(StepView view, Consumer<List<Gradient>> taker, @Nullable ActiveRanks active) {
        memory.requireOpen();
        if (!group.hasMembersOf(view.group())) {
            throw new InvalidCallException("gradient buckets are registered with another group: buckets="
                    + group.ranks() + ", scope=" + view.group().ranks()
                    + "; register them with a scope of the group that they were made of");
        }
        BucketStep begun = begun(view, taker, active);
        begun.begin();
        return begun;
    }

    private synchronized BucketStep begun(StepView view, Consumer<List<Gradient>> taker, @Nullable ActiveRanks active) {
        if (step != null) {
            throw new InvalidCallException("gradient buckets are in two steps at once: step=" + view.number()
                    + ", rank=" + group.globalRank(group.rank())
                    + "; register them once, or run the steps of two runners one after the other");
        }
        BucketStep begun = new BucketStep(this, view, taker, active);
        step = begun;
        return begun;
    }

    /** {@return the present step} Only between its beginning and its end. */
    public synchronized BucketStep step() {
        return Objects.requireNonNull(step, "gradient buckets are in no step");
    }

    synchronized void over() {
        step = null;
    }

    /** Frees the memory once no call borrows it. */
    @Override
    public synchronized void close() {
        memory.close();
        memoryFreed.clean();
    }
}
