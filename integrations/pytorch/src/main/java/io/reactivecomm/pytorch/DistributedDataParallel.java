package io.reactivecomm.pytorch;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Work;
import io.reactivecomm.compression.reduce.CompressionSnapshot;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.Scaling;
import io.reactivecomm.train.StepEnd;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A model that is trained by all ranks of a group, each on data of its own: replicas begin equal, and gradients are averaged over the ranks during the backward pass.
 *
 * <pre>{@code
 * TorchNatives.load();
 * ProcessGroup world = ReactiveComm.connect().block();
 * try (DistributedDataParallel ddp = DistributedDataParallel.of(module, world)) {
 *     for (…) {
 *         optimizer.zero_grad();
 *         Tensor loss = ddp.step(() -> lossOf(module.forward(input), target)).block();
 *         optimizer.step();
 *     }
 * }
 * }</pre>
 *
 * <p><b>Equal replicas.</b> {@link #of} compares names, shapes, types and {@code requires_grad} of all parameters and buffers over the ranks before anything moves, and then broadcasts their values from
 * rank 0. Gradients have the same bits on all ranks, so replicas stay equal while all ranks run the same optimizer.
 *
 * <p><b>Gradients</b> live in buckets: {@code .grad} is a tensor over the memory of a bucket, and communication needs no copy. {@code zero_grad} works with and without {@code set_to_none}.
 *
 * <p><b>Which gradients count.</b> A parameter is present if a backward pass has produced its gradient since the last reduction, passes in {@link #noSync} included. Where at least
 * one rank has it, all ranks get the average, and a rank without it counts zeros. If that rank still has an older {@code .grad}, which it has not reset, the older one counts instead of zeros. Where
 * no rank has it, {@code .grad} stays undefined, and optimizers leave the parameter alone. No flag is needed for unused parameters.
 *
 * <p><b>Accumulation.</b> Run all passes but the last of a step in {@link #noSync}. A synced pass onto gradients that are already reduced is right for averages only; with
 * {@link Scaling#SUM} it is refused.
 *
 * <p><b>Errors.</b> A step that fails on one rank fails on all, in a round trip; an exception of the forward pass or the loss counts as well. After that {@code .grad} is undefined on all
 * ranks, and the next step is right. A plain {@code loss.backward()} outside of this object's methods is refused, since replicas would drift apart.
 *
 * <p><b>Not supported.</b> Parameters on devices, {@code create_graph}, parameters that are frozen, unfrozen or replaced later: make a new object after that.
 *
 * <p><b>Buffers.</b> Gradients stay valid until {@link #close}, also after the group has ended. {@code close} gives parameters gradients of their own; a reference to a {@code .grad} that was taken
 * before it must not be used.
 *
 * <p><b>Threads.</b> One at a time. Steps compute on the thread that subscribes.
 *
 * <p><b>Source.</b> Li et al., PyTorch Distributed: Experiences on Accelerating Data Parallel Training, VLDB 2020; torch's {@code reducer.cpp} and {@code distributed.py}.
 */
public final class DistributedDataParallel implements AutoCloseable {

    /** Torch calls hooks of these, so they must stay reachable until they are closed. */
    private static final Set<DistributedDataParallel> OPEN = ConcurrentHashMap.newKeySet();

    final DataParallelOptions options;
    final GradientHooks hooks;
    private final Module module;
    private final ProcessGroup group;
    private final List<ModelTensor> buffers;
    private final GradientBuckets buckets;
    private final @Nullable NamedCompression compression;
    private final Map<String, ParameterGradient> gradients = new LinkedHashMap<>();
    /** The objects that torch calls or borrows until {@link #close}. */
    private final PointerScope pointers;

    private final AtomicReference<@Nullable Pass> pass = new AtomicReference<>();
    /** Calls of a cancelled step may still use homes. */
    private volatile boolean mayBeBorrowed;

    private volatile boolean isSkipped;
    private volatile boolean isClosed;
    private volatile long steps;

    private DistributedDataParallel(Module module, ProcessGroup group, DataParallelOptions options) {
        this.module = module;
        this.group = group;
        this.options = options;
        this.compression = options.compression() == null ? null : NamedCompression.of(options.compression());
        try (PointerScope scope = new PointerScope()) {
            List<ModelTensor> tensors = ModelTensor.of(module);
            requireNoBuffersOfUnevenSteps(tensors);
            Replication.requireSame(tensors, List.of("buffers broadcast=" + options.broadcastsBuffers()), group);
            Objects.requireNonNull(Replication.broadcast(tensors, group).block());
            this.buffers = tensors.stream().filter(each -> !each.isParameter()).toList();
            List<ModelTensor> trained =
                    tensors.stream().filter(ModelTensor::needsGradient).toList().reversed();
            this.buckets = GradientBuckets.of(group, bucketOptions())
                    .registered(trained.stream().map(ModelTensor::parameter).toList());
            takeHomes(trained);
            this.pointers = scope.extend();
        }
        this.hooks = hooks();
        OPEN.add(this);
    }

    /** Rank 0, whose buffers a step would broadcast, may have no inputs any more. */
    private void requireNoBuffersOfUnevenSteps(List<ModelTensor> tensors) {
        if (options.unevenInputs() != null
                && options.broadcastsBuffers()
                && !tensors.stream().allMatch(ModelTensor::isParameter)) {
            throw new InvalidCallException("steps of uneven inputs cannot broadcast the model's buffers"
                    + "; set withBufferBroadcast(false), and call syncBuffers() on all ranks after the last step");
        }
    }

    private GradientHooks hooks() {
        boolean clips = options.maxNorm() < Double.POSITIVE_INFINITY;
        GradientHooks runner = GradientHooks.of(buckets);
        if (synchronizesBuffers()) {
            HookScope scope = HookScope.of(group);
            // One norm for all ranks asks for hooks of all names; otherwise gradients need not go through this one.
            runner.register(new BufferBroadcast(clips ? scope : scope.withNames(name -> false)));
        }
        if (options.finiteCheck() != null) {
            runner = runner.withFiniteCheck(options.finiteCheck(), group);
        }
        if (options.unevenInputs() != null) {
            runner = runner.withUnevenInputs(options.unevenInputs());
        }
        return clips ? runner.clipByGlobalNorm(options.maxNorm()) : runner;
    }

    /** As {@link #of(Module, ProcessGroup, DataParallelOptions)}, with the usual options. */
    public static DistributedDataParallel of(Module module, ProcessGroup group) {
        return of(module, group, DataParallelOptions.DEFAULT);
    }

    /**
     * {@return the model, replicated: every rank has rank 0's parameters and buffers} All ranks of the group call it. It waits for them.
     *
     * <p>It sets torch's intra-op threads to the processors of the machine divided by the ranks on it, unless the program or {@code OMP_NUM_THREADS} has set another number.
     *
     * @param group a view of its own ({@link ProcessGroup#named}) if several objects train at the same time
     * @throws io.reactivecomm.MismatchException if ranks have different models
     * @throws InvalidCallException if a tensor of the model is not supported, or no parameter is trained
     */
    public static DistributedDataParallel of(Module module, ProcessGroup group, DataParallelOptions options) {
        Objects.requireNonNull(module, "there is no model to train; give a module");
        Objects.requireNonNull(group, "a model has no group; give one");
        Objects.requireNonNull(options, "there are no options; give DataParallelOptions.DEFAULT for the usual ones");
        TorchNatives.load();
        TorchNatives.shareProcessors(group.localSize());
        return new DistributedDataParallel(module, group, options);
    }

    private BucketOptions bucketOptions() {
        return compression == null ? options.buckets() : options.buckets().withReducer(compression.reducer());
    }

    private void takeHomes(List<ModelTensor> trained) {
        if (trained.isEmpty()) {
            throw new InvalidCallException("a model has nothing to train: no parameter requires gradients");
        }
        List<Gradient> homes = keepsHomes()
                ? buckets.allocate()
                : trained.stream().map(this::homeOfItsOwn).toList();
        boolean sums = options.buckets().scaling() == Scaling.SUM;
        for (int i = 0; i < homes.size(); i++) {
            Gradient home = homes.get(i);
            gradients.put(home.name(), new ParameterGradient(trained.get(i), home, sums, this::accumulates));
        }
    }

    /** {@return the home of a gradient that travels in another type and so does not live in a bucket} */
    private Gradient homeOfItsOwn(ModelTensor tensor) {
        return new Gradient(
                tensor.name(), group.allocate(tensor.type(), tensor.tensor().numel()));
    }

    /** {@return whether gradients live in buckets} */
    boolean keepsHomes() {
        return options.buckets().communicationType() == null;
    }

    private boolean synchronizesBuffers() {
        return options.broadcastsBuffers() && !buffers.isEmpty();
    }

    Collection<ParameterGradient> gradients() {
        return gradients.values();
    }

    ParameterGradient gradient(String name) {
        return Objects.requireNonNull(gradients.get(name), name);
    }

    /**
     * Runs a step: forward pass, loss and backward pass, while gradients are averaged. The result is the loss of this rank, and when it comes, all gradients are global.
     *
     * <p>Buffers are broadcast from rank 0 before the supplier runs, unless the model is in eval mode.
     *
     * <p><b>Memory.</b> The supplier runs in a {@link PointerScope}: what it allocates is freed at its end, except for the loss, which the caller closes or leaves to the collector.
     *
     * <p><b>Threads.</b> Everything is computed on the subscriber's thread, which must be allowed to block.
     *
     * <p><b>Cancellation</b> ends the backward pass at the next gradient; other ranks fail.
     *
     * @param loss computes a tensor of one element
     * @return cold; each subscription is a step
     */
    public Mono<Tensor> step(Supplier<Tensor> loss) {
        Objects.requireNonNull(loss, "a step has no loss; give a supplier of it");
        return run(loss, true);
    }

    /**
     * Runs the backward pass of a loss that is there already, such as the last one of several, and averages gradients. Other ranks learn of errors in this pass only: if a rank throws before it
     * subscribes, they wait for it. Buffers are not broadcast: see {@link #syncBuffers}.
     */
    public Mono<Void> backward(Tensor loss) {
        Objects.requireNonNull(loss, "there is no loss; give a tensor of one element");
        return run(() -> loss, false).then();
    }

    private Mono<Tensor> run(Supplier<Tensor> loss, boolean syncsBuffers) {
        return Mono.create(result -> {
            requireBlockingThread();
            SyncedPass next = new SyncedPass(this, loss, syncsBuffers && synchronizesBuffers() && module.is_training());
            enter(next);
            next.run(result);
        });
    }

    /**
     * Takes part in the steps of other ranks, until none has inputs: torch's join context. A rank subscribes after its last step; ranks that have as many steps as any other do so, too.
     *
     * <p>After each step of the others, {@code .grad} has the same gradients here as there, and {@code stepped} runs the optimizer. Before the next one {@code .grad} is undefined again.
     *
     * <p><b>Threads.</b> {@code stepped} runs on the subscriber's thread, which waits for the others and must be allowed to block.
     *
     * <p><b>Errors and cancellation.</b> Those of steps. What {@code stepped} throws ends this rank's part.
     *
     * @param stepped steps the optimizer, as after a step of this rank's own
     * @return cold; completes in the round in which no rank has inputs
     * @throws InvalidCallException if the options have no {@linkplain DataParallelOptions#withUnevenInputs divisor of uneven inputs}. On subscription: if the last pass was in {@link #noSync}
     */
    public Mono<Void> finished(Runnable stepped) {
        Objects.requireNonNull(stepped, "nothing steps the optimizer; give a function that does");
        if (options.unevenInputs() == null) {
            throw new InvalidCallException(
                    "all ranks have equally many steps here; set DataParallelOptions.withUnevenInputs on all ranks");
        }
        return Mono.create(result -> {
            requireBlockingThread();
            FinishedPass rounds = new FinishedPass(this, stepped);
            enter(rounds);
            if (gradients().stream().anyMatch(ParameterGradient::isPresent)) {
                pass.set(null);
                throw new InvalidCallException("a rank finishes with gradients that have not been reduced"
                        + "; run the last pass by step, without noSync");
            }
            rounds.run(result);
        });
    }

    private static void requireBlockingThread() {
        if (Schedulers.isInNonBlockingThread()) {
            throw new InvalidCallException("a step cannot be computed on a thread that must not block: thread="
                    + Thread.currentThread().getName() + "; subscribe from another one, or use subscribeOn");
        }
    }

    /**
     * Runs backward passes that accumulate gradients on this rank alone. The next step reduces the sums.
     *
     * @param passes calls {@code backward} of losses
     */
    public void noSync(Runnable passes) {
        Objects.requireNonNull(passes, "there are no passes to run; give some");
        enter(new LocalPass());
        try {
            if (mayBeBorrowed) {
                Flux.fromIterable(gradients())
                        .flatMap(each -> each.home().released())
                        .blockLast();
                mayBeBorrowed = false;
            }
            passes.run();
        } finally {
            pass.set(null);
        }
    }

    void enter(Pass next) {
        if (isClosed) {
            throw new InvalidCallException("this DistributedDataParallel is closed; close it after the last step");
        }
        if (!pass.compareAndSet(null, next)) {
            throw new InvalidCallException(
                    "a step is running already; wait for its end before the next step, noSync or close");
        }
    }

    private void accumulates(ParameterGradient gradient) {
        Pass present = pass.get();
        if (present == null) {
            throw outside(gradient.name());
        }
        present.accumulates(gradient);
    }

    static InvalidCallException outside(String name) {
        return new InvalidCallException("a backward pass runs outside of DistributedDataParallel: name=" + name
                + "; call step or backward, which average gradients, or noSync, which accumulates them");
    }

    void finishedAll() {
        pass.set(null);
    }

    void stepSucceeded(StepEnd end) {
        isSkipped = end.skipped();
        if (isSkipped) {
            stepFailed();
            return;
        }
        gradients().forEach(ParameterGradient::reduced);
        steps++;
        pass.set(null);
    }

    /** Leaves no gradients, so an optimizer would do nothing. */
    void stepFailed() {
        gradients().forEach(ParameterGradient::reset);
        pass.set(null);
    }

    void stepCancelled() {
        mayBeBorrowed = true;
        stepFailed();
    }

    /** Replaces the model's buffers by rank 0's: before evaluation, or before a forward pass whose loss goes to {@link #backward}. All ranks call it. Cold. */
    public Mono<Void> syncBuffers() {
        return buffers.isEmpty() ? Mono.empty() : broadcastBuffers(group).then();
    }

    Mono<Work> broadcastBuffers(ProcessGroup within) {
        return Replication.broadcast(buffers, within);
    }

    /** {@return whether the last step to complete was skipped on all ranks, because a gradient was not finite} */
    public boolean isSkipped() {
        return isSkipped;
    }

    /** {@return the steps that have succeeded, those before {@link #load} included} */
    public long steps() {
        return steps;
    }

    /** Saves this rank's number of steps and state of compression. Save parameters, buffers and the optimizer by torch's own means, between the same steps. */
    public void save(Path file) {
        Objects.requireNonNull(file, "file");
        new Checkpoint(
                        steps,
                        compression == null
                                ? new byte[0]
                                : compression.state().snapshot().toBytes())
                .write(file);
    }

    /**
     * Restores what {@link #save} wrote on this rank.
     *
     * @throws InvalidCallException if the file is not such a checkpoint, or that of another compression
     */
    public void load(Path file) {
        Objects.requireNonNull(file, "file");
        Checkpoint saved = Checkpoint.read(file);
        if (saved.compression().length > 0 != (compression != null)) {
            throw new InvalidCallException("a checkpoint is that of another compression: file=" + file
                    + ", compression=" + options.compression() + "; give the options of the saved training");
        }
        if (compression != null) {
            compression.state().restore(CompressionSnapshot.of(saved.compression()));
        }
        steps = saved.steps();
    }

    /** Removes all hooks, gives parameters gradients of their own, and frees the buckets. The group stays open. Idempotent. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        enter(new LocalPass());
        isClosed = true;
        gradients().forEach(ParameterGradient::leave);
        OPEN.remove(this);
        buckets.close();
        if (!keepsHomes()) {
            gradients().forEach(each -> each.home().close());
        }
        if (compression != null) {
            compression.state().close();
        }
        pointers.close();
    }
}
