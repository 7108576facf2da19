package io.reactivecomm.bucket;

import io.reactivecomm.LogRank;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Work;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.hook.ReducingPass;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

/**
 * One subscription: a {@link StepProgress}, driven by what comes from the backward pass, from the group and from the subscriber.
 *
 * <pre>
 *   queued ─ turn ─┬─ all-reduces are off ─&gt; off
 *                  ├─ all ranks have the plan ─────────────────────────────────────┬─&gt; flies
 *                  ├─ registered ────────────────────────────┬─&gt; agrees ────────────┘
 *                  └─ else ─&gt; learns ─── no more gradients ──┘
 *
 *   flies       buckets begin as they become whole; when all have ended, and the backward pass too, the composite call is completed
 *   off         all-reduces are off: gradients come back as they are, and the composite call is completed when the backward pass ends
 *   any         a failure here ends the composite call, and one elsewhere comes from it: nothing more begins, on any rank
 *   over        once the composite call has ended or the subscriber has left, and nothing that has begun is under way
 * </pre>
 *
 * <p><b>Threads.</b> All state is the worker's: whatever happens is told to it as an event, one after the other.
 */
final class StepRun implements ReducingPass.Watch {

    private final GradientBuckets buckets;
    private final Flux<Gradient> source;
    private final FluxSink<Gradient> sink;
    private final Demand demand;
    private final Context context;
    private final GradientSubscriber intake = new GradientSubscriber();
    private final Scheduler.Worker worker = GradientBuckets.PACKING.createWorker();
    private final LogRank logRank;

    private final KeptGradients kept;
    private final BorrowedGradients borrowed;
    /** Knows what was reduced before, and has the step's composite call. */
    private final ReducingPass pass;

    private @Nullable StepProgress step;
    /** There while the step flies. */
    private @Nullable InFlightBuckets flights;
    /** One for each bucket. */
    private List<Mono<Work>> calls = List.of();
    /** No earlier step makes calls any more. */
    private boolean hasTurn;

    private boolean subscribed;
    /** The number of gradients whose rows are being copied while all-reduces are off. */
    private int copying;
    /** Nothing more begins. */
    private boolean stopped;
    /** The backward pass hands nothing over any more. */
    private boolean drained;
    /** Whether the reducer was notified that the buckets of this step have ended. */
    private boolean isSettled;
    /** The composite call has ended, or nobody will hear of it. */
    private boolean closed;
    /** What the subscriber is told in the end; null also after a cancellation. */
    private @Nullable Throwable failure;

    private boolean over;

    /** @param context of whoever is behind the buckets, for the backward pass and the calls */
    StepRun(
            GradientBuckets buckets,
            Flux<Gradient> source,
            FluxSink<Gradient> sink,
            Context context,
            Demand demand,
            ReducingPass pass) {
        this.buckets = buckets;
        this.source = source;
        this.sink = sink;
        this.demand = demand;
        this.kept = new KeptGradients(pass::claim);
        this.borrowed = new BorrowedGradients(buckets.worldRank(), kept);
        this.pass = pass;
        this.logRank = LogRank.of(buckets.group());
        this.context = context;
    }

    /** Takes what the backward pass hands over. */
    private final class GradientSubscriber extends BaseSubscriber<Gradient> {

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            tell(StepRun.this::subscribed);
            demand.of(this);
        }

        @Override
        protected void hookOnNext(Gradient gradient) {
            keep(gradient);
            tell(() -> arrived(gradient));
            demand.arrived();
        }

        @Override
        protected void hookOnComplete() {
            tell(StepRun.this::noMoreCome);
        }

        @Override
        protected void hookOnError(Throwable error) {
            tell(() -> sourceFailed(error));
        }
    }

    /**
     * The backward pass runs on the subscriber's thread, as far as it runs while it is subscribed to.
     *
     * @param steps the composite call, of which this is a run
     */
    void begin(Flux<Object> steps) {
        if (!pass.begins()) {
            worker.dispose();
            sink.error(pass.repetition());
            return;
        }
        sink.onCancel(() -> tell(this::cancelled));
        buckets.turns().take(() -> open(steps));
    }

    /** Whatever is thrown meanwhile, the step has its turn and ends: later ones wait for it. */
    private void open(Flux<Object> steps) {
        try {
            pass.open(steps, context, this);
        } finally {
            if (sink.isCancelled()) {
                // Other ranks may wait in this step, and in those of hooks before it.
                pass.cancel();
            }
            tell(this::takeTurn);
            pass.source(source).subscribe(intake);
        }
    }

    private void tell(Runnable event) {
        try {
            worker.schedule(() -> {
                logRank.enter();
                take(event);
            });
        } catch (RejectedExecutionException e) {
            // Once the step is over nothing that is still told of it matters.
            if (!worker.isDisposed()) {
                throw e;
            }
        }
    }

    private void take(Runnable event) {
        if (!over) {
            // What is fatal is passed on to the worker's thread; it may have been the last event, so the end cannot
            // wait for another.
            try {
                guarded(event);
                guarded(this::beginWhole);
                guarded(this::settleReducer);
            } finally {
                endIfOver();
            }
        }
    }

    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            fail(e);
            Exceptions.throwIfJvmFatal(e);
        }
    }

    /** Those before it are in the chain. */
    private void subscribed() {
        subscribed = true;
        if (stopped) {
            stop();
        }
    }

    private void takeTurn() {
        BucketPlan registered = buckets.registered();
        BucketPlan known = buckets.common().known();
        hasTurn = true;
        if (!pass.isOpen()) {
            stop();
            return;
        }
        buckets.buffers().requireOpen();
        if (pass.isOff()) {
            return;
        }
        if (known != null) {
            // At once, and not with the first bucket: who asks waits for it, and its deadline counts.
            Agreement.notAskedFor(pass.inside()).contextWrite(context).subscribe();
            fly(known);
        } else if (registered != null) {
            step = new StepProgress(registered, buckets.options().order());
            agree(Registration.of(registered.parameters(), true, buckets.options()));
        }
    }

    private void agree(Registration own) {
        Mono.defer(() -> Agreement.on(own, buckets.common().latest() != null, pass.inside()))
                .<Supplier<BucketPlan>>map(all -> () -> buckets.agree(all))
                .defaultIfEmpty(buckets.common()::ofAll)
                .contextWrite(context)
                .subscribe(plan -> tell(() -> agreed(plan)), error -> tell(() -> fail(error)));
    }

    private void agreed(Supplier<BucketPlan> plan) {
        if (!stopped && pass.isOpen()) {
            boolean learned = step == null;
            StepProgress flying = fly(plan.get());
            if (learned) {
                borrowed.place(flying);
                flying.noMoreCome();
            }
        }
    }

    /** Assembles the calls of all buckets: so they are the same on all ranks, whatever happens from here on. */
    private StepProgress fly(BucketPlan plan) {
        if (step == null) {
            step = new StepProgress(plan, buckets.options().order());
        }
        StepProgress flying = step;
        List<Flight> all = plan.buckets().stream().map(buckets::flight).toList();
        flights = new InFlightBuckets(flying, all, buckets.buffers(), borrowed);
        calls = all.stream().map(flight -> buckets.call(flight, pass.inside())).toList();
        return flying;
    }

    /** A closed tensor is reported later, when it is borrowed. */
    private void keep(Gradient gradient) {
        try {
            kept.keep(gradient);
        } catch (RuntimeException e) {
            tell(() -> fail(e));
        }
    }

    private void arrived(Gradient gradient) {
        if (!stopped) {
            pass.enter(gradient);
            if (pass.isOff()) {
                passOn(gradient);
            } else {
                borrowed.take(gradient, step);
                pass.requireApart(gradient);
            }
        }
    }

    /** Emits a gradient unchanged while all-reduces are off. Rows are copied, because the receiver of a result closes its rows. */
    private void passOn(Gradient gradient) {
        SparseTensor rows = gradient.rows();
        if (rows == null) {
            passed(gradient, gradient);
            return;
        }
        copying++;
        pass.inside()
                .named(gradient.name())
                .sparseAllReduce(rows, ReduceOp.SUM)
                .contextWrite(context)
                .subscribe(
                        copy -> tell(() -> copied(gradient, copy)), error -> tell(() -> copyFailed(gradient, error)));
    }

    private void copied(Gradient gradient, SparseTensor copy) {
        copying--;
        passed(gradient, Gradient.sparse(gradient.name(), copy));
    }

    private void copyFailed(Gradient gradient, Throwable error) {
        copying--;
        kept.letGo(gradient);
        fail(error);
    }

    private void passed(Gradient gradient, Gradient result) {
        kept.letGo(gradient);
        emit(List.of(result));
    }

    private void noMoreCome() {
        drained = true;
        if (step != null) {
            step.noMoreCome();
        } else if (!stopped && !pass.isOff()) {
            agree(Registration.of(buckets.inOrder(borrowed.learned()), false, buckets.options()));
        }
    }

    private void sourceFailed(Throwable error) {
        drained = true;
        fail(error);
    }

    /** Begins the buckets that are whole, in order, as long as there is memory. */
    private void beginWhole() {
        Flight next = nextFlight();
        while (next != null) {
            Flight flight = next;
            calls.get(flight.bucket().index())
                    .subscribe(
                            flight::reduced,
                            error -> tell(() -> failed(flight, error)),
                            () -> tell(() -> reduced(flight)),
                            context);
            next = nextFlight();
        }
    }

    /** Runs before the ranks agree that the step has ended, and so before a program can begin the next one. */
    private void settleReducer() {
        InFlightBuckets flying = flights;
        StepProgress progress = step;
        if (!isSettled && !stopped && flying != null && progress != null && flying.areOver()) {
            isSettled = true;
            buckets.ended(progress.plan());
        }
    }

    private @Nullable Flight nextFlight() {
        InFlightBuckets flying = flights;
        StepProgress progress = step;
        return flying == null || progress == null ? null : flying.next(buckets.storage(progress.plan()));
    }

    /** Where gradients are in the host's memory they have their results at once. */
    private void reduced(Flight flight) {
        Mono<Void> landing = null;
        boolean isUnloaded = false;
        try {
            landing = flights().reduced(flight);
            isUnloaded = true;
        } finally {
            if (!isUnloaded) {
                flights().landed(flight, false);
            }
        }
        if (landing == null) {
            landed(flight, null);
        } else {
            landing.subscribe(
                    ignored -> {}, error -> tell(() -> landed(flight, error)), () -> tell(() -> landed(flight, null)));
        }
    }

    /** The other ranks hear of it at once; what loads the bucket may still be at its gradients, and it lands behind that. */
    private void failed(Flight flight, Throwable error) {
        fail(error);
        Mono<Void> loaded = flight.loaded();
        if (loaded == null) {
            landed(flight, error);
        } else {
            loaded.subscribe(
                    ignored -> {}, other -> tell(() -> landed(flight, error)), () -> tell(() -> landed(flight, error)));
        }
    }

    private void landed(Flight flight, @Nullable Throwable error) {
        List<Gradient> results = flights().landed(flight, error == null);
        if (error == null) {
            // Before a subscriber sees of it: who has a gradient may ask for memory in the buckets.
            buckets.common().reduced();
        }
        emit(results);
        if (error != null) {
            fail(error);
        }
    }

    private void emit(List<Gradient> results) {
        demand.handOut(results.size());
        results.forEach(sink::next);
    }

    /** What fails because the step has is no news. */
    private void fail(Throwable error) {
        if (!stopped) {
            pass.fail(error);
            stop();
        }
    }

    private void cancelled() {
        pass.cancel();
        closed = true;
        drained = true;
        intake.cancel();
        stop();
    }

    @Override
    public void stopped() {
        tell(this::stop);
    }

    @Override
    public void ended(@Nullable Throwable error) {
        tell(() -> end(error));
    }

    @Override
    public void abandoned() {
        tell(() -> {
            if (!sink.isCancelled()) {
                failure = new CancellationException(
                        "the step has ended before all of its gradients came: rank=" + buckets.worldRank());
            }
            cancelled();
        });
    }

    private void end(@Nullable Throwable error) {
        closed = true;
        failure = error;
        stop();
    }

    /**
     * What is under way in an operator before this one comes back first: only the first one cancels the backward pass. And not before those in front
     * have opened their own composite calls, on which other ranks count.
     */
    private void stop() {
        stopped = true;
        if (flights != null) {
            flights.end();
        }
        if (!subscribed) {
            return;
        }
        if (pass.isFirst()) {
            drained = true;
            intake.cancel();
        } else if (!drained) {
            intake.requestUnbounded();
        }
    }

    /** Whatever a tensor or the subscriber throws, the worker ends and the next step has its turn: it would wait for ever. */
    private void endIfOver() {
        boolean isIdle = copying == 0 && (flights == null || flights.areOver());
        if (!stopped && isIdle && (pass.isOff() ? drained : flights != null)) {
            pass.complete();
        }
        if (hasTurn && closed && drained && isIdle) {
            finish();
        }
    }

    private void finish() {
        over = true;
        try {
            giveAllBack();
        } finally {
            kept.end();
            try {
                tellEnd();
            } finally {
                worker.dispose();
                buckets.turns().over();
            }
        }
    }

    /** The composite call has its end; what a tensor throws is this step's own. */
    private void giveAllBack() {
        try {
            borrowed.giveAllBack();
        } catch (RuntimeException | Error e) {
            failure = failure == null ? e : failure;
            Exceptions.throwIfJvmFatal(e);
        }
    }

    /** Where the subscriber has left, results are discarded on their way. */
    private void tellEnd() {
        try {
            emit(step == null ? List.of() : step.heldBack());
        } finally {
            if (failure == null) {
                sink.complete();
            } else {
                sink.error(failure);
            }
        }
    }

    private InFlightBuckets flights() {
        if (flights == null) {
            throw new IllegalStateException("a step went on before there was a plan");
        }
        return flights;
    }
}
