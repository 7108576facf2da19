package io.reactivecomm.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Located;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.train.Buckets;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A hook that fuses the gradients of a step into buckets and reduces each bucket over a group by one call, while the backward pass continues.
 *
 * <pre>{@code
 * try (GradientBuckets buckets = GradientBuckets.average(group.named("gradients")).registered(parameters)) {
 *     hooks.register(buckets);                                                          // with other hooks, or alone:
 *     step.gradients().transform(buckets).doOnNext(optimizer::apply).blockLast();      // one step
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
 * <p><b>The plan.</b> Names, types, shapes and order of the gradients decide which bucket each is in. They are {@link #registered}; without that the first step collects
 * all of its gradients before it begins, and rank 0's order of arrival becomes the order. Ranks compare a hash of the plan and the options until a bucket has been
 * reduced; from then on all keep the plan, and a learned one counts as registered.
 *
 * <p><b>Missing gradients.</b> A parameter whose gradient some ranks lack comes back on <em>all</em> ranks, with zeros counted for those; averages divide by the size of the
 * group all the same. One whose gradient no rank has comes back nowhere, so no optimizer's state moves. A bucket with a missing gradient begins when the backward pass has
 * ended, unless the program says earlier that it will not come ({@link Gradient#absent}). A gradient that this rank lacked comes back in its home ({@link #allocate}), or else in a
 * tensor of the buckets' own, valid until the next step begins. {@link BucketOptions#withMissing} leaves such results out.
 *
 * <p><b>No deadlock.</b> Ranks may have their gradients ready in any order and take their results one at a time. Take the first bucket that
 * is not reduced: every earlier one has ended on all ranks. A rank on which it has not begun either lacks one of its gradients; then
 * the pass brings it, or ends. Or it lacks a buffer; then an earlier bucket has that one, which has ended and is about to release it. Results that are not wanted yet wait without a buffer.
 *
 * <p><b>Devices.</b> A bucket never mixes devices. On one other than the host's memory its packing, its call and its unpacking are enqueued one behind
 * the other, and the host waits once, for the results. Ranks agree on which gradients share a device, and on its kind; its index is each rank's own.
 *
 * <p><b>Buffers.</b> A gradient is borrowed from its arrival until its bucket has been reduced, and no other call may use its memory. A result that then waits for
 * demand is the program's again: a call that writes it changes what the subscriber will be given, without an error. Two flat buffers on each device, as large as its largest
 * bucket, are kept from step to step. A gradient that is a bucket of its own is reduced in its own memory, and so are gradients that live in buckets. {@link #close}
 * frees the buckets' memory once no call borrows it. Flat buffers are also freed once the garbage collector finds these buckets unreachable; homes and results, which a
 * program may have, are not.
 *
 * <p><b>Bits.</b> With SUM or AVERAGE in the gradients' own type, and without a {@linkplain BucketOptions#withReducer reducer}, they are those of an all-reduce of each gradient alone.
 *
 * <p><b>Steps.</b> Demand, cancellation, order and failures of steps are those of {@link GradientHooks}. Used alone, {@link #apply(Flux)} is a runner with this one hook. Buckets are
 * in one step at a time.
 *
 * <p><b>Errors.</b> Those of steps, those of {@link ProcessGroup#allReduce} for a bucket, and
 *
 * <ul>
 *   <li>{@link MismatchException} where ranks have other parameters or options, naming the first that differs; in the step that learns the plan, also other gradients
 *   <li>{@link InvalidCallException} for a gradient that the plan lacks, as one is whose parameter was frozen when the plan was made (make new buckets then); that has another type or
 *       count than its parameter; that is in the home of another one; that comes twice; that shares memory with another one of the step or with a call in flight; or that another hook has
 *       reduced over the same ranks
 * </ul>
 *
 * <p>In a step that fails, buckets that have begun on all ranks end, and their results are emitted before the error, but for those of gradients that this rank lacks, which come at the
 * end of its pass. If the group has ended too, a device may still use gradients then, until {@link io.reactivecomm.Tensor#released()} completes.
 *
 * <p><b>Deadline.</b> Each bucket's call has the view's, from when it begins. A reducer's code counts; if it has not ended when the call has failed, it is waited for as long once more,
 * since it may use the bucket's memory.
 *
 * <p><b>Switched off.</b> Buckets count as an all-reduce. If all-reduces are {@linkplain io.reactivecomm.CommSwitches off} when a step begins, gradients come back unchanged.
 *
 * <p><b>Threads.</b> Any. A bucket of gradients that live in it begins on the thread that brings the last of them. Packing, unpacking and reducers are the work of
 * threads of the library, never of the backward pass or the group's loop.
 *
 * <p><b>Cost.</b> One all-reduce a bucket, and one of a byte for each gradient; a copy of each gradient before and after it, unless it lives in
 * its bucket or is one. Gradients are reduced on all ranks; there are no buckets that leave each result with one owner, as ZeRO needs.
 *
 * <p><b>Source.</b> Li et al., PyTorch Distributed: Experiences on Accelerating Data Parallel Training, VLDB 2020, section 3.2; DeepSpeed's
 * {@code allreduce_bucket} for scalings and missing gradients. Peng et al., A Generic Communication Scheduler for Distributed DNN Training
 * Acceleration, SOSP 2019, for priorities.
 */
public final class GradientBuckets implements GradientHook, UnaryOperator<Flux<Gradient>>, AutoCloseable {

    private final Buckets buckets;
    private @Nullable GradientHooks alone;

    private GradientBuckets(Buckets buckets) {
        this.buckets = buckets;
    }

    Buckets buckets() {
        return buckets;
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
        Objects.requireNonNull(options, "buckets have no options; give BucketOptions.DEFAULT for the usual ones");
        return new GradientBuckets(new Buckets(Located.here(group), options, null));
    }

    /**
     * {@return buckets like these for gradients that are known beforehand}
     *
     * @param parameters in the order in which their gradients are expected, the last layer's first; the same on all ranks
     * @throws InvalidCallException if a name comes twice, or gradients of a type cannot be scaled so
     */
    public GradientBuckets registered(List<Parameter> parameters) {
        Objects.requireNonNull(parameters, "parameters");
        return new GradientBuckets(new Buckets(buckets.group(), buckets.options(), parameters));
    }

    /**
     * Lets gradients live in the buckets: allocates a home for each, zeroed, if that has not been done.
     *
     * <p>A gradient that is handed over as the tensor given here is neither packed nor unpacked; its bucket is reduced in that memory.
     * Others may come in tensors of their own and are copied in and out. The home of a gradient that does not come is zeroed before its bucket begins, unless it is
     * {@linkplain Gradient#kept kept}.
     *
     * <p><b>Buffers.</b> The tensors are views of their buckets: closing one closes all of its bucket, and {@link #close} closes all.
     * Nothing else frees this memory: if these buckets are unreachable, a program may still have its tensors. While a step runs, the
     * memory of gradients that have not come is the step's too. After a cancelled step its calls may still use homes, until those are
     * {@linkplain io.reactivecomm.Tensor#released() released}.
     *
     * @return a gradient of one dimension for each parameter, in their order
     * @throws IllegalStateException if nothing was registered and no step has reduced a bucket, a communication type would make copies, or some are sparse
     * @throws InvalidCallException if these buckets are closed
     */
    public List<Gradient> allocate() {
        return buckets.allocate();
    }

    /** {@return the results of a step that has these gradients and this hook only, cold} For {@code gradients.transform(buckets)}. */
    @Override
    public Flux<Gradient> apply(Flux<Gradient> gradients) {
        return alone().apply(gradients);
    }

    private synchronized GradientHooks alone() {
        if (alone == null) {
            alone = GradientHooks.of(this);
        }
        return alone;
    }

    @Override
    public void begins(StepView step) {
        buckets.begins(Objects.requireNonNull(step, "step"), none -> {}, null);
    }

    @Override
    public Mono<Gradient> apply(Gradient gradient, StepView step) {
        return buckets.step().arrived(gradient);
    }

    @Override
    public void absent(String name, StepView step) {
        buckets.step().absent(name, false);
    }

    @Override
    public void kept(String name, StepView step) {
        buckets.step().absent(name, true);
    }

    @Override
    public Flux<Gradient> passEnded(StepView step) {
        return buckets.step().passEnded();
    }

    @Override
    public HookScope scope() {
        return HookScope.all(buckets.group());
    }

    @Override
    public String label() {
        return "gradient buckets";
    }

    /**
     * Frees the memory, homes of gradients too, once no call borrows it. A step that is running may fail. Idempotent; the group
     * stays open.
     */
    @Override
    public void close() {
        buckets.close();
    }
}
