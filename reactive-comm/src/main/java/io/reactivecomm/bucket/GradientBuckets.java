package io.reactivecomm.bucket;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Located;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Work;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.hook.GradientHook;
import io.reactivecomm.hook.ReducingPass;
import io.reactivecomm.internal.base.OwnThreads;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

/**
 * An operator that fuses the gradients of a step into buckets and reduces each bucket over a group by one call, while the backward pass
 * goes on.
 *
 * <pre>{@code
 * try (GradientBuckets buckets = GradientBuckets.average(group.named("gradients"))) {
 *     step.gradients().transform(buckets).doOnNext(optimizer::apply).blockLast();      // one step; or hooks.register(buckets)
 * }
 * }</pre>
 *
 * <p>Small tensors are slow to reduce one by one, and one tensor of all gradients could not begin before the last of them is there. Buckets
 * of some MiB lie in between. Here five gradients come in another order than they were registered in; two buffers are enough:
 *
 * <pre>
 *   registered   e d │ c │ b a          three buckets, for the backward pass begins with e
 *
 *   arrivals     d    c    e    b        a
 *   bucket 0     ·····waits·├pack┤── in flight (buffer 1) ──┤unpack┤─&gt; e, d
 *   bucket 1          ··waits····├pack┤── in flight (buffer 2) ──┤unpack┤─&gt; c
 *   bucket 2                     ·waits··│·waits for a buffer·······├pack┤── in flight (buffer 1) ──┤unpack┤─&gt; b, a
 * </pre>
 *
 * <p><b>One composite call.</b> All calls of a step are one {@linkplain ProcessGroup#composite composite call} of the group, which the first
 * {@link #apply} assembles; step n is its n-th subscription on all ranks. So a step that ends early on one rank ends on all, and leaves nothing behind
 * that a later one could meet.
 *
 * <p><b>The plan.</b> Names, types, shapes and order of the gradients decide which lies in which bucket and where: {@link BucketPlan}. They
 * are {@link #registered}; without that the first step collects all of its gradients before it begins, and rank 0's order of arrival
 * becomes the order. Before its first bucket begins all ranks compare a hash of the plan and the options, by one small all-gather inside it, and a
 * small all-reduce where only the order differs. A rank asks so in every step until it has seen a bucket reduced: then all ranks have the plan, and keep
 * it. A rank that asks later, for its steps have failed, is told by the others that it need not, within its step.
 *
 * <p><b>The same buckets on all ranks.</b> When a step begins and the plan is known, it assembles a composite call for each bucket at once, inside its
 * own, so their identities do not depend on when gradients come. A bucket's call begins when it is whole and those before it have begun. A gradient
 * that does not come counts as zeros, so its bucket is whole when the backward pass ends, and nothing is emitted for it.
 *
 * <p><b>No deadlock.</b> Ranks may have their gradients ready in any order and take their results one at a time. Take the first bucket that
 * is not reduced: every earlier one has ended on all ranks. A rank on which it has not begun either lacks one of its gradients. Then
 * anything wanted there asks for gradients until it comes, since demand ({@link Demand}) depends on no buffer and gradients wait by
 * reference. Or it lacks a buffer. Then an earlier bucket has that one, which has ended and is about to let go: unpacking waits for nobody. So
 * the bucket begins on every rank where something is wanted, and ends. With {@link ResultOrder#PARAMETER} results also wait for each other, but only by
 * reference.
 *
 * <p><b>Demand.</b> As many gradients are asked for as results are wanted, and again as many when these have come, until as many results
 * were handed out. What is on its way then still comes. So an optimizer that takes results one by one stops the production of gradients
 * whenever its wish has been met, but for one. What a step holds is bounded by the model: its gradients, by reference, and two buffers.
 *
 * <p><b>Threads.</b> The producer's thread only hands over references, and computes on. The group's loop, where calls end, only passes that
 * on. Packing and unpacking is the work of a worker that each step has, and that owns its state. Such workers share as many threads as
 * there are cores, on which nothing ever waits. Not those of {@code Schedulers.parallel()}: a backward pass may be computing there, and
 * buckets would begin only after it. Results are emitted on threads of the library, where a subscriber may take its time, and
 * even block, without holding up a bucket.
 *
 * <p><b>Devices.</b> A bucket never mixes devices. On one other than the host's memory its packing, its call and its unpacking are enqueued one behind
 * the other, and the host waits once, for the results. Ranks agree on which gradients share a device, and on its kind; its index is each rank's own.
 *
 * <p><b>Buffers.</b> A gradient is borrowed from its arrival until its bucket has been reduced, and no other call may use its memory. A result that then waits for
 * demand is the program's again: a call that writes it changes what the subscriber will be given, without an error. Two flat buffers on each device, as large as its largest bucket, are
 * allocated when they are first needed and kept from step to step. A gradient that is a bucket of its own is reduced in its own memory, and
 * so are gradients that live in buckets: {@link #allocate}. {@link #close} frees all of that once no call borrows it. The flat buffers
 * are also freed once the garbage collector finds that nobody has these buckets any more; the memory of gradients that live in buckets is
 * not.
 *
 * <p><b>Reducers.</b> {@link BucketOptions#withReducer} puts other calls in the all-reduce's place, such as compressed ones.
 *
 * <p><b>Bits.</b> With SUM or AVERAGE in the gradients' own type, and without a reducer, they are those of an all-reduce of each gradient alone.
 *
 * <p><b>Subscription and cancellation.</b> Each subscription is a step. One that is subscribed to before the last has ended waits for its
 * turn and does not subscribe to its gradients before. Where another rank has ended the step by then, it never does. Cancelling detaches the
 * subscriber, cancels the backward pass's {@code Flux} and ends the step here: a rank that waits, then or later, for a bucket that does not begin here
 * fails with a {@link GroupClosedException}, and one that needs no more completes. Buckets that have begun run on.
 *
 * <p><b>Errors.</b> {@link MismatchException} where ranks have other parameters or options, naming the first that differs.
 * {@link InvalidCallException} for a gradient that is unknown or comes twice. The same for one with another type or count than its parameter; a dense
 * gradient may have another shape. The same for one that shares memory with another gradient of the step or with a call in flight, or that a hook or
 * buckets before these have reduced over the same ranks. Those of {@link ProcessGroup#allReduce} for a bucket. A step that fails does so on every rank that has not
 * finished it, in a round trip: the others get an {@link InvalidCallException} that names the cause, or a {@link CommException} as it is. Buckets that
 * have begun on all ranks end, and what they bring is emitted before the error. None of the step's gradients is borrowed then, unless the group has
 * ended too and calls of it are on a device: {@link Tensor#released()} tells when that has let go. The next step is a new one.
 *
 * <p><b>Deadline.</b> Each bucket's call has the view's, from when it begins: the backward pass takes its time. A reducer's code counts; where it has not ended when the call has failed, it
 * is waited for as long once more, since it may be at the bucket's memory.
 *
 * <p><b>Switched off.</b> Buckets count as an all-reduce. If all-reduces are {@linkplain io.reactivecomm.CommSwitches off} when a step opens, gradients come
 * back unchanged, in the order of their arrival. Switches of other operations do not affect buckets.
 *
 * <p><b>One view each.</b> Calls are counted under the view's name. Two of these, or one and other calls, in flight on the same group take
 * views of different names: {@code group.named("encoder")}.
 *
 * <p><b>Cost.</b> One all-reduce a bucket; a copy of each gradient before and after it, unless it lives in
 * its bucket or is one.
 *
 * <p><b>Source.</b> Li et al., PyTorch Distributed: Experiences on Accelerating Data Parallel Training, VLDB 2020, section 3.2; DeepSpeed's
 * {@code allreduce_bucket} for scalings and missing gradients. Peng et al., A Generic Communication Scheduler for Distributed DNN Training
 * Acceleration, SOSP 2019, for priorities.
 */
public final class GradientBuckets implements GradientHook, AutoCloseable {

    /** Where steps pack and unpack. */
    static final Scheduler PACKING = OwnThreads.blocking("gradient-buckets");

    private static final Cleaner CLEANER = Cleaner.create();

    private final ProcessGroup group;
    private final BucketOptions options;
    private final @Nullable BucketPlan registered;
    private final StepQueue turns = new StepQueue(OwnThreads.shared()::schedule);
    private final FlatBuffers buffers;
    private final Cleaner.Cleanable buffersFreed;
    private final CommonPlan common = new CommonPlan();

    private volatile @Nullable GradientArena storage;
    private @Nullable Flux<Object> steps;

    private GradientBuckets(ProcessGroup group, BucketOptions options, @Nullable BucketPlan registered) {
        this.group = Located.here(group);
        this.options = Objects.requireNonNull(
                options, "buckets have no options; give BucketOptions.DEFAULT for the usual ones");
        this.registered = registered;
        this.buffers = new FlatBuffers((device, bytes) -> group.allocate(device, DType.UINT8, bytes));
        this.buffersFreed = CLEANER.register(this, buffers::close);
    }

    /** {@return buckets that average gradients over the group, with the usual options} */
    public static GradientBuckets average(ProcessGroup group) {
        return of(group, BucketOptions.DEFAULT);
    }

    /** {@return buckets that add gradients up over the group, with the usual options otherwise} */
    public static GradientBuckets sum(ProcessGroup group) {
        return of(group, BucketOptions.DEFAULT.withScaling(Scaling.SUM));
    }

    /** {@return buckets with options of the caller's} */
    public static GradientBuckets of(ProcessGroup group, BucketOptions options) {
        return new GradientBuckets(group, options, null);
    }

    /**
     * {@return buckets like these for gradients that are known beforehand}
     *
     * @param parameters in the order in which their gradients are expected, the last layer's first; the same on all ranks
     * @throws InvalidCallException if a name comes twice, or gradients of a type cannot be scaled so
     */
    public GradientBuckets registered(List<Parameter> parameters) {
        Objects.requireNonNull(parameters, "parameters");
        return new GradientBuckets(group, options, new BucketPlan(parameters, options, group.size()));
    }

    /**
     * Lets gradients live in the buckets: allocates memory for all buckets, zeroed, if that has not been done.
     *
     * <p>A gradient that is handed over as the tensor given here is neither packed nor unpacked; its bucket is reduced where it lies.
     * Others may come in tensors of their own and are copied in and out.
     *
     * <p><b>Buffers.</b> The tensors are views of their buckets: closing one closes all of its bucket, and {@link #close} closes all.
     * Nothing else frees this memory: where nobody has these buckets any more, somebody may still have its tensors. While a step runs, the
     * memory of gradients that have not come is the step's too.
     *
     * @return a gradient of one dimension for each parameter, in their order
     * @throws IllegalStateException if nothing was registered and no step has reduced a bucket, a communication type would make copies, or some are sparse
     * @throws InvalidCallException if these buckets are closed
     */
    public synchronized List<Gradient> allocate() {
        // One that ranks might not keep would leave gradients that live nowhere.
        BucketPlan plan = registered == null ? common.known() : registered;
        if (plan == null) {
            throw new IllegalStateException(
                    "gradients are not known yet: registered=0, reduced=0; register the parameters, or run a step first");
        }
        if (plan.places().stream()
                .anyMatch(place -> options.communicationOf(place.parameter().type())
                        != place.parameter().type())) {
            throw new IllegalStateException("gradients cannot live in buckets of another type: communicationType="
                    + options.communicationType() + "; leave it out, or keep the gradients elsewhere");
        }
        if (plan.buckets().stream().anyMatch(BucketPlan.Bucket::isSparse)) {
            throw new IllegalStateException("sparse gradients live in no bucket: registered=" + plan.parameters()
                    + "; keep gradients elsewhere, or take dense ones");
        }
        buffers.requireOpen();
        if (storage == null) {
            storage = GradientArena.of(plan, group);
        }
        return storage.gradients();
    }

    /** {@return the gradients of a step, each once it is reduced} */
    @Override
    public Flux<Gradient> apply(Flux<Gradient> ready) {
        Objects.requireNonNull(ready, "ready");
        Flux<Object> all = steps();
        return ReducingPass.over(this, group, pass -> {
            if (pass.comesAgain()) {
                // The step behind would hold the turn that the one before it waits for.
                return Flux.error(pass.repetition());
            }
            Demand demand = new Demand();
            return Flux.deferContextual(context -> Flux.<Gradient>create(
                            sink -> new StepRun(this, ready, sink, Context.of(context), demand, pass).begin(all))
                    .publishOn(OwnThreads.shared(), true, Integer.MAX_VALUE)
                    .doOnDiscard(Gradient.class, GradientBuckets::closeRows)
                    .doOnRequest(demand::want));
        });
    }

    /** Results that nobody takes: rows are these buckets' own. In the context of the backward pass, whose rows are not, it does not stand. */
    private static void closeRows(Gradient discarded) {
        SparseTensor rows = discarded.rows();
        if (rows != null) {
            rows.close();
        }
    }

    /** {@return the composite call whose runs are the steps} It takes its place in the group when it is first needed. */
    private synchronized Flux<Object> steps() {
        if (steps == null) {
            steps = ReducingPass.composite(group, "gradient buckets");
        }
        return steps;
    }

    /**
     * Frees the memory, of gradients that live in buckets too, once no call borrows it. A step that goes on may fail. Idempotent; the group
     * stays open.
     */
    @Override
    public synchronized void close() {
        buffersFreed.clean();
        GradientArena allocated = storage;
        if (allocated != null) {
            allocated.close();
        }
    }

    ProcessGroup group() {
        return group;
    }

    BucketOptions options() {
        return options;
    }

    @Nullable BucketPlan registered() {
        return registered;
    }

    /** {@return what this rank knows of the plan} */
    CommonPlan common() {
        return common;
    }

    /** All ranks have these parameters. {@return the plan that follows from that} */
    BucketPlan agree(List<Parameter> parameters) {
        BucketPlan before = registered == null ? common.latest() : registered;
        if (before != null && before.parameters().equals(parameters)) {
            common.agreed(before);
        } else {
            common.agreed(new BucketPlan(parameters, options, group.size()));
        }
        return common.ofAll();
    }

    /** {@return the parameters that a first step has shown, in the order of an earlier agreement if there was one on the same} */
    List<Parameter> inOrder(List<Parameter> shown) {
        BucketPlan before = common.latest();
        return before != null && Set.copyOf(before.parameters()).equals(Set.copyOf(shown))
                ? before.parameters()
                : shown;
    }

    FlatBuffers buffers() {
        return buffers;
    }

    /** {@return where gradients live in the buckets of a plan, or null} */
    @Nullable GradientArena storage(BucketPlan plan) {
        GradientArena allocated = storage;
        return allocated != null && allocated.plan() == plan ? allocated : null;
    }

    StepQueue turns() {
        return turns;
    }

    Flight flight(BucketPlan.Bucket bucket) {
        return bucket.isSparse()
                ? new InFlightRows(bucket, options.scaling(), group, group::move)
                : new InFlightBucket(bucket, options, group.size(), group.timeout(), group::move);
    }

    /** All buckets of a step have ended well. */
    void ended(BucketPlan plan) {
        BucketReducer reducer = options.reducer();
        if (reducer != null) {
            reducer.ended(plan.buckets().stream()
                    .filter(bucket -> !bucket.isSparse())
                    .map(BucketPlan.Bucket::index)
                    .toList());
        }
    }

    /**
     * {@return a bucket's composite call, assembled now}
     *
     * @param inside what the step makes its calls through
     */
    Mono<Work> call(Flight flight, ProcessGroup inside) {
        ProcessGroup view = options.isPrioritized() ? inside.priority(priority(flight.bucket())) : inside;
        return BucketCall.of(view, flight);
    }

    /** {@return the group's own, and the more the later the bucket} */
    private int priority(BucketPlan.Bucket bucket) {
        return (int) Math.min(Integer.MAX_VALUE, (long) group.priority() + bucket.index());
    }

    int worldRank() {
        return group.globalRank(group.rank());
    }
}
