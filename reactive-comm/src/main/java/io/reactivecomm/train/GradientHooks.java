package io.reactivecomm.train;

import io.reactivecomm.CommException;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Located;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.base.OwnThreads;
import io.reactivecomm.internal.train.AssembledStep;
import io.reactivecomm.internal.train.MicroStepGroup;
import io.reactivecomm.internal.train.MicroSteps;
import io.reactivecomm.internal.train.RunnerOptions;
import io.reactivecomm.internal.train.StepDriver;
import io.reactivecomm.internal.train.StepHook;
import io.reactivecomm.internal.train.StepTurns;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The runner of training steps: the hooks that a training framework's gradients go through, and the steps that take them there.
 *
 * <pre>{@code
 * GradientHooks hooks = new GradientHooks();
 * Disposable model = hooks.register(ParallelHooks.modelParallel(tensorGroup));
 * Disposable data = hooks.register(ParallelHooks.dataParallel(dataGroup, ReduceOp.AVG));
 * …
 * hooks.run(step).block();      // each gradient has been summed over tensorGroup, then averaged over dataGroup
 * model.dispose();              // from the next step on, over dataGroup only
 * }</pre>
 *
 * <p>A gradient goes through the hooks that take its name, in the order of their registration, each gradient on its own: one may be through the last hook before another has
 * entered the first. Without a hook gradients come back as they are.
 *
 * <p><b>Composite calls.</b> Before the backward pass begins, a step opens a {@linkplain ProcessGroup#composite composite call} for each hook with a group, so every rank takes
 * part by construction. All calls of the hook in this step are inside it. A step that ends early on one rank leaves nothing behind that a later one could meet.
 *
 * <p><b>Errors.</b> The first error counts. At the terminal signal no call of the step borrows memory any more.
 *
 * <ul>
 *   <li>What {@link TrainingStep#gradients} or its {@code Flux} throws, or a hook, fails the step at once, on every rank that has not finished it, in a round trip for each group on the
 *       way. The others get an {@link InvalidCallException} that names the cause, or a {@link CommException} as it is. Calls that all ranks have begun by then run to their
 *       ends, and their results are handed out before the error.
 *   <li>A step that another rank has failed before it begins here does not run its backward pass.
 *   <li>What {@link TrainingStep#takeBack} throws is this rank's own error, once all results have come; other ranks succeed.
 *   <li>{@link InvalidCallException} for a gradient that comes twice, and for two that share memory if a hook has a group.
 *   <li>{@link io.reactivecomm.MismatchException} for ranks with different hooks over a group.
 *   <li>A fatal error of the JVM fails the step like others, and is thrown on to whichever thread had it, where Reactor lets it.
 * </ul>
 *
 * <p><b>Subscription and cancellation.</b> Each subscription is a step. One that is subscribed to before the last is over waits for its turn. Cancelling cancels the backward pass's {@code Flux} and leaves the
 * composite calls: a peer that waits, then or later, for a call not made here fails with a {@link GroupClosedException}, and one that needs no further call completes. Calls that have begun run on.
 *
 * <p><b>Deadline.</b> Only calls have one. The backward pass, hooks without a group and taking back may take their time; a step that waits for one of them for good is cancelled.
 *
 * <p><b>Threads.</b> Any. A step goes through the hooks that were registered when it was subscribed to. Views of a runner share its hooks and the order of its steps. Runners whose steps overlap take views of different names for groups of the same members.
 */
public final class GradientHooks implements UnaryOperator<Flux<Gradient>> {

    private final List<StepHook> registered;
    private final StepTurns turns;
    private final AtomicLong steps;
    private final RunnerOptions options;
    private final MicroSteps microSteps;

    /** A runner without hooks, in which each step reduces. */
    public GradientHooks() {
        this(new CopyOnWriteArrayList<>(), new StepTurns(), new AtomicLong(), RunnerOptions.NONE);
    }

    private GradientHooks(List<StepHook> registered, StepTurns turns, AtomicLong steps, RunnerOptions options) {
        this.registered = registered;
        this.turns = turns;
        this.steps = steps;
        this.options = options;
        this.microSteps = new MicroSteps(options.microSteps(), options.accumulation());
    }

    /** {@return a runner with these hooks, in this order} For one step: {@code gradients.transform(GradientHooks.of(hook))}. */
    public static GradientHooks of(GradientHook... hooks) {
        Objects.requireNonNull(hooks, "hooks");
        GradientHooks runner = new GradientHooks();
        List.of(hooks).forEach(runner::register);
        return runner;
    }

    /** As {@link #register(GradientHook, HookScope)}, with the hook's own {@linkplain GradientHook#scope scope}. */
    public Disposable register(GradientHook hook) {
        Objects.requireNonNull(hook, "there is no hook to register; give one");
        return register(hook, hook.scope());
    }

    private GradientHooks with(RunnerOptions changed) {
        changed.requireFit(registered);
        return new GradientHooks(registered, turns, steps, changed);
    }

    /** As {@link #withAccumulation(int, Accumulation)}, with sums of the framework's. */
    public GradientHooks withAccumulation(int microSteps) {
        return withAccumulation(microSteps, Accumulation.FRAMEWORK);
    }

    /**
     * {@return a view of this runner in which only every k-th step reduces} Keep it: each view counts its own steps. The steps before are local: they run the backward pass, make no
     * call, and give nothing back ({@link StepEnd#isLocal}).
     *
     * <pre>{@code
     * GradientHooks accumulating = hooks.withAccumulation(4);
     * for (Batch batch : batches) {
     *     StepEnd end = accumulating.run(network.step(batch)).block();
     *     if (!end.isLocal()) optimizer.step();
     * }
     * accumulating.flush().block();              // the sums of a last group that is not full
     * }</pre>
     *
     * <p><b>Sums</b> are never rescaled, also not those of a short group: a program whose loss is a mean divides it by k. A gradient that came in any micro-step of the group counts as present, and
     * its home is not zeroed; one that the last step does not bring is handed over when its pass ends, or at its notice.
     *
     * <p><b>Ranks</b> compare k, and how many micro-steps each group has; a difference is a {@link io.reactivecomm.MismatchException} of the reducing step.
     *
     * <p><b>Errors.</b> A micro-step that fails or is cancelled makes its group fail. It has its own error at once. The reducing step then does not run its pass, and
     * fails on all ranks. The next group is right; the framework zeroes its gradients first.
     *
     * @param microSteps of a group, 1 or more; 1 reduces in each step
     * @throws InvalidCallException if {@link Accumulation#LIBRARY} does not add up a registered parameter: sparse, on a device, or of a type without sums
     */
    public GradientHooks withAccumulation(int microSteps, Accumulation owner) {
        Objects.requireNonNull(owner, "sums have no owner; give one, such as Accumulation.FRAMEWORK");
        return with(options.withAccumulation(microSteps, owner));
    }

    /**
     * {@return the end of a step that reduces the sums of a group which is not full; empty without a call if no micro-step is pending} It runs no backward pass. Results go to
     * {@link TrainingStep#takeBack} of the last micro-step. All ranks flush after the same micro-step.
     */
    public Mono<StepEnd> flush() {
        return Mono.deferContextual(context -> {
            MicroStepGroup group = microSteps.flush();
            return group == null ? Mono.empty() : run(reducing(group, true), context);
        });
    }

    /**
     * {@return a view of this runner that limits the norm of all gradients of a step together, behind the last hook} If their norm is larger than the limit, each is multiplied by
     * {@code max / (norm + 1e-6)}, as torch's {@code clip_grad_norm_} does.
     *
     * <p><b>Bits.</b> Over links all ranks have the same gradients, so each computes the norm without a call: in FLOAT64, in the order of names, in lanes of fixed order. Over
     * engines that give ranks different bits, rank 0's norm is broadcast. A gradient that is not finite makes the norm so, and all gradients NaN or zero.
     *
     * <p><b>Shapes.</b> FLOAT16, BFLOAT16, FLOAT32 and FLOAT64 in the host's memory, dense, or sparse with distinct rows in ascending order, as buckets give them.
     *
     * <p><b>Cost.</b> Results are held, by reference, until the last arrives; then two passes over them. So the optimizer does not begin while buckets are in flight.
     *
     * @param max the limit, which ranks compare
     * @throws InvalidCallException if the norm would differ by rank: with {@link MissingGradients#LEFT_OUT}, with hooks that take some names only, or over groups of different
     *     members; or if a registered parameter has no norm here
     */
    public GradientHooks clipByGlobalNorm(double max) {
        return with(options.withMaxNorm(max));
    }

    /**
     * {@return a view of this runner that checks each gradient for NaN and infinities: as it arrives, and as it comes out of the last hook} Integers are always finite.
     *
     * <p><b>The call.</b> In each step the ranks of the group all-reduce one byte. So a group of all ranks of a model stops them together, where tensor parallelism gives each a shard. The step's other
     * groups fail with it.
     *
     * <p><b>Cost.</b> Each gradient is read twice, on the threads that hand it over and bring its result; {@link FiniteCheck} says what waits.
     *
     * @param group all of whose ranks run steps with this check
     * @throws InvalidCallException if a registered parameter is on a device
     */
    public GradientHooks withFiniteCheck(FiniteCheck mode, ProcessGroup group) {
        Objects.requireNonNull(mode, "a check has no consequence; give one, such as FiniteCheck.FAIL");
        return with(options.withCheck(mode, Located.here(group)));
    }

    /** As {@link #withUnevenInputs(Divisor)}, with averages over the size of the group. */
    public GradientHooks withUnevenInputs() {
        return withUnevenInputs(Divisor.WORLD_SIZE);
    }

    /**
     * {@return a view of this runner for ranks that have different numbers of inputs} A rank without further inputs calls {@link #finished}, and takes part in the steps of the others. All ranks use such a
     * view.
     *
     * <p><b>Cost.</b> In each step an all-reduce of one byte for each rank, issued before the first bucket. It delays no bucket.
     *
     * @param divisor of averages
     * @throws InvalidCallException unless each hook with a group is {@link GradientBuckets} with {@linkplain GradientBuckets#registered registered} parameters over the same ranks, without
     *     {@link MissingGradients#LEFT_OUT}
     */
    public GradientHooks withUnevenInputs(Divisor divisor) {
        Objects.requireNonNull(divisor, "averages have no divisor; give one, such as Divisor.WORLD_SIZE");
        return with(options.withUneven(divisor));
    }

    /**
     * {@return a view of this runner whose steps fail on all ranks as soon as one rank has no further inputs} For programs with other collectives in their loop, which a finished rank would not make. Nothing is
     * taken back in that step. Where all ranks finish together, there is no error.
     *
     * @throws InvalidCallException if this is no view of {@link #withUnevenInputs}
     */
    public GradientHooks throwOnEarlyTermination() {
        return with(options.withErrorOfEarlyEnd());
    }

    /**
     * Takes part in the steps of other ranks, until none has inputs: torch's join context.
     *
     * <pre>{@code
     * Flux.fromIterable(batches)                                                     // 5 on this rank, 7 on another
     *         .concatMap(batch -> hooks.run(network.step(batch)).doOnNext(end -> optimizer.step()))
     *         .then(hooks.finished(network.step(), end -> Mono.fromRunnable(optimizer::step)))
     * }</pre>
     *
     * <p>Each round is a step, in which this rank contributes every parameter as absent, and results come back as on the others: so replicas stay bit-equal.
     *
     * <p><b>Subscription and cancellation.</b> Each subscription is this rank's part until the end. Cancelling cancels the present round, as {@link #run} does.
     *
     * <p><b>Errors.</b> Those of steps. An error of a round, or of {@code stepped}, ends it; a further subscription continues with the next round.
     *
     * @param step receives the results, by {@link TrainingStep#takeBack}; its gradients are not asked for
     * @param stepped called after each round in which another rank had inputs; the program steps its optimizer there, and the next round begins when the {@code Mono} completes
     * @return the end of the round in which no rank has inputs; its number is the number of steps before
     * @throws InvalidCallException if this is no view of {@link #withUnevenInputs}. On subscription: if micro-steps are pending, which {@link #flush} reduces
     */
    public Mono<StepEnd> finished(TrainingStep step, Function<StepEnd, Mono<Void>> stepped) {
        Objects.requireNonNull(step, "there is no step to take results back; give one");
        Objects.requireNonNull(
                stepped,
                "there is no function stepped, for what follows a round; give one, perhaps end -> Mono.empty()");
        options.requireFinishing();
        return Mono.deferContextual(context -> round(step, stepped, context)).repeatWhenEmpty(rounds -> rounds);
    }

    private Mono<StepEnd> round(TrainingStep step, Function<StepEnd, Mono<Void>> stepped, ContextView context) {
        int pending = microSteps.pending();
        if (pending > 0) {
            return Mono.error(
                    new InvalidCallException("a rank finishes with sums that have not been reduced: microSteps="
                            + pending + ", of=" + options.microSteps() + "; call flush() before finished()"));
        }
        List<StepHook> own = List.copyOf(registered);
        options.requireFit(own);
        AssembledStep shadow = AssembledStep.shadow(steps.getAndIncrement(), step, own, options);
        return run(shadow, context)
                .flatMap(end -> shadow.isLast()
                        ? Mono.just(end)
                        : Objects.requireNonNull(
                                        stepped.apply(end), "stepped has returned no Mono; return an empty one")
                                .then(Mono.empty()));
    }

    /**
     * Adds a hook after those that are there. All ranks of its group register alike between the same steps.
     *
     * @return disposing of it takes the hook out again; steps that have begun are not changed
     */
    public Disposable register(GradientHook hook, HookScope scope) {
        Objects.requireNonNull(hook, "there is no hook to register; give one");
        Objects.requireNonNull(scope, "a hook has no scope; give one, such as HookScope.NO_CALLS");
        StepHook place = new StepHook(hook, scope, hook instanceof GradientBuckets own ? own.buckets() : null);
        options.requireFit(Stream.concat(registered.stream(), Stream.of(place)).toList());
        registered.add(place);
        return () -> registered.remove(place);
    }

    /**
     * Runs a step: its backward pass, the hooks, and taking back.
     *
     * @return the end, once every result has been taken back
     */
    public Mono<StepEnd> run(TrainingStep step) {
        Objects.requireNonNull(step, "there is no step to run; give one");
        return Mono.deferContextual(context -> {
            MicroStepGroup group = microSteps.next(step);
            if (group.isFull()) {
                return run(reducing(group, false), context);
            }
            return run(local(group, step), context);
        });
    }

    private Mono<StepEnd> run(AssembledStep step, ContextView context) {
        StepDriver driver = new StepDriver(step, Context.of(context), turns);
        driver.want(Long.MAX_VALUE);
        Mono<StepEnd> run = Mono.create(sink -> {
            sink.onCancel(driver::cancel);
            driver.begin(sink::success, sink::error);
        });
        return Mono.fromDirect(subscriber -> subscribe(run, subscriber, driver));
    }

    /**
     * {@return the results of a step that has these gradients, cold} For {@code gradients.transform(hooks)}.
     *
     * <p><b>Demand.</b> While results are wanted, gradients are requested. There may be more results than gradients. Those that are not wanted yet wait, and delay
     * neither hooks nor other ranks, but the end of the step, and with it the next step.
     *
     * <p><b>Threads.</b> Results come on threads of the library's, where a subscriber may block.
     */
    @Override
    public Flux<Gradient> apply(Flux<Gradient> gradients) {
        Objects.requireNonNull(gradients, "there are no gradients; give a Flux");
        return Flux.deferContextual(context -> {
            Transformed program = new Transformed(gradients);
            MicroStepGroup group = microSteps.next(program);
            if (group.isFull()) {
                return results(reducing(group, false), program, context);
            }
            return results(local(group, program), program, context);
        });
    }

    private Flux<Gradient> results(AssembledStep step, Transformed program, ContextView context) {
        StepDriver driver = new StepDriver(step, Context.of(context), turns);
        Flux<Gradient> results = Flux.<Gradient>create(sink -> {
                    program.sink = sink;
                    sink.onCancel(driver::cancel);
                    driver.begin(
                            end -> {
                                program.isOver = true;
                                sink.complete();
                            },
                            sink::error);
                })
                .publishOn(OwnThreads.shared(), true, Integer.MAX_VALUE)
                .doOnDiscard(Gradient.class, StepDriver::closeRows)
                .doOnRequest(driver::want);
        return Flux.from(subscriber -> subscribe(results, subscriber, driver));
    }

    /** A subscriber may throw as it is given its subscription. Other ranks count on the step all the same. */
    private static <T> void subscribe(Publisher<T> step, Subscriber<? super T> subscriber, StepDriver driver) {
        try {
            step.subscribe(subscriber);
        } finally {
            driver.leaveUnlessBegun();
        }
    }

    private AssembledStep local(MicroStepGroup group, TrainingStep program) {
        return AssembledStep.local(steps.get(), group, program);
    }

    private AssembledStep reducing(MicroStepGroup group, boolean isFlush) {
        List<StepHook> own = List.copyOf(registered);
        options.requireFit(own);
        return AssembledStep.reducing(steps.getAndIncrement(), group, isFlush, own, options);
    }

    /** A step whose results are the items of a {@code Flux}. */
    private static final class Transformed implements TrainingStep {

        private final Flux<Gradient> gradients;
        /** There before the step begins. */
        private @Nullable FluxSink<Gradient> sink;
        /** The {@code Flux} has completed. Results of a flush come later. */
        private boolean isOver;

        private Transformed(Flux<Gradient> gradients) {
            this.gradients = gradients;
        }

        @Override
        public Flux<Gradient> gradients() {
            return gradients;
        }

        @Override
        public Mono<Void> takeBack(Gradient result) {
            if (isOver) {
                return Mono.error(new InvalidCallException("a flush has no receiver for its result: name="
                        + result.name() + "; run micro-steps by run(TrainingStep), or make the last group full"));
            }
            Objects.requireNonNull(sink).next(result);
            return Mono.empty();
        }
    }
}
