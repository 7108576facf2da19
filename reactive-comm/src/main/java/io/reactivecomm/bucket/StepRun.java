package io.reactivecomm.bucket;

import io.reactivecomm.CommException;
import io.reactivecomm.Work;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.hook.ReducingPass;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
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
 *   QUEUED ─ turn ─┬─ agreed before ───────────────────────────────────────────────┬─&gt; FLYING
 *                  ├─ registered ────────────────────────────┬─&gt; AGREEING ─ agreed ─┘
 *                  └─ else ─&gt; LEARNING ─ no more gradients ──┘      └─ differ ─&gt; DISAGREED
 *
 *   FLYING      buckets begin as they become whole; over when all have ended, and the backward pass too
 *   any         a failure or a cancellation refuses the calls that have not begun; over when the others have ended
 * </pre>
 *
 * <p><b>Threads.</b> All state is the worker's: whatever happens is told to it as an event, one after the other.
 */
final class StepRun {

    private enum Phase {
        /** An earlier step makes its calls. */
        QUEUED,
        /** All gradients are awaited, to know what there is. */
        LEARNING,
        AGREEING,
        /** The calls are assembled. */
        FLYING,
        /** There will be no calls. */
        DISAGREED
    }

    private final GradientBuckets buckets;
    private final Flux<Gradient> source;
    private final FluxSink<Gradient> sink;
    private final Demand demand;
    private final Context context;
    private final GradientSubscriber intake = new GradientSubscriber();
    private final Scheduler.Worker worker = GradientBuckets.PACKING.createWorker();

    private final BorrowedGradients borrowed;
    /** Knows what was reduced before. */
    private final ReducingPass pass;
    private @Nullable StepProgress step;
    /** There while the step flies. */
    private @Nullable InFlightBuckets flights;
    /** One for each bucket. */
    private List<Mono<Work>> calls = List.of();
    private Phase phase = Phase.QUEUED;
    /** Why calls that have not begun will not begin. */
    private @Nullable String ending;
    /** What the subscriber is told in the end; null also after a cancellation. */
    private @Nullable Throwable failure;
    private boolean over;

    StepRun(GradientBuckets buckets, Flux<Gradient> source, FluxSink<Gradient> sink, Demand demand, ReducingPass pass) {
        this.buckets = buckets;
        this.source = source;
        this.sink = sink;
        this.demand = demand;
        this.borrowed = new BorrowedGradients(buckets.worldRank());
        this.pass = pass;
        this.context = Context.of(sink.contextView());
    }

    /** Takes what the backward pass hands over. */
    private final class GradientSubscriber extends BaseSubscriber<Gradient> {

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            demand.of(this);
        }

        @Override
        protected void hookOnNext(Gradient gradient) {
            tell(() -> arrived(gradient));
            demand.arrived();
        }

        @Override
        protected void hookOnComplete() {
            tell(StepRun.this::noMoreCome);
        }

        @Override
        protected void hookOnError(Throwable error) {
            tell(() -> fail(error));
        }
    }

    /** The backward pass runs on the subscriber's thread, as far as it runs while it is subscribed to. */
    void begin() {
        sink.onCancel(() -> tell(() -> end("its subscriber has cancelled")));
        buckets.turns().take(() -> {
            tell(this::takeTurn);
            if (!sink.isCancelled()) {
                source.subscribe(intake);
            }
        });
    }

    private void tell(Runnable event) {
        try {
            worker.schedule(() -> take(event));
        } catch (RejectedExecutionException e) {
            // Once the step is over nothing that is still told of it matters.
            if (!worker.isDisposed()) {
                throw e;
            }
        }
    }

    private void take(Runnable event) {
        if (!over) {
            // What is fatal is passed on to the worker's thread; it may have been the last event, so the end cannot wait for another.
            try {
                guarded(event);
                guarded(this::beginWhole);
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

    private void takeTurn() {
        BucketPlan agreed = buckets.agreed();
        BucketPlan registered = buckets.registered();
        if (agreed != null) {
            fly(agreed);
        } else if (registered != null) {
            step = new StepProgress(registered, buckets.options().order());
            agree(Registration.of(registered.parameters(), true, buckets.options()));
        } else {
            phase = Phase.LEARNING;
        }
        refuseRest();
        buckets.buffers().requireOpen();
    }

    /** Runs to its end whatever becomes of this step: the other ranks take part in it. */
    private void agree(Registration own) {
        phase = Phase.AGREEING;
        Mono.defer(() -> Agreement.on(own, buckets.group()))
                .map(buckets::agree)
                .contextWrite(context)
                .subscribe(plan -> tell(() -> agreed(plan)), error -> tell(() -> disagreed(error)));
    }

    private void disagreed(Throwable error) {
        phase = Phase.DISAGREED;
        fail(error);
    }

    private void agreed(BucketPlan plan) {
        boolean learned = step == null;
        StepProgress flying = fly(plan);
        if (learned) {
            borrowed.place(flying);
            flying.noMoreCome();
        }
        refuseRest();
    }

    /** Assembles the calls of all buckets: so they are the same on all ranks, whatever happens from here on. */
    private StepProgress fly(BucketPlan plan) {
        phase = Phase.FLYING;
        if (step == null) {
            step = new StepProgress(plan, buckets.options().order());
        }
        StepProgress flying = step;
        List<InFlightBucket> all = plan.buckets().stream().map(buckets::flight).toList();
        flights = new InFlightBuckets(flying, all, buckets.buffers(), borrowed);
        calls = all.stream().map(buckets::call).toList();
        return flying;
    }

    private void arrived(Gradient gradient) {
        if (ending == null) {
            pass.enter(gradient);
            borrowed.take(gradient, step);
        }
    }

    private void noMoreCome() {
        if (step != null) {
            step.noMoreCome();
        } else if (ending == null) {
            agree(Registration.of(borrowed.learned(), false, buckets.options()));
        }
    }

    /** Begins the buckets that are whole, in order, as long as there is memory. */
    private void beginWhole() {
        InFlightBucket next = nextFlight();
        while (next != null) {
            InFlightBucket flight = next;
            calls.get(flight.bucket().index())
                    .subscribe(work -> {}, error -> tell(() -> landed(flight, error)), () -> tell(() -> landed(flight, null)), context);
            next = nextFlight();
        }
    }

    private @Nullable InFlightBucket nextFlight() {
        return phase == Phase.FLYING ? flights().next(buckets.storage()) : null;
    }

    private void landed(InFlightBucket flight, @Nullable Throwable error) {
        emit(flights().landed(flight, error == null));
        if (error != null) {
            fail(error);
        }
    }

    private void emit(List<Gradient> results) {
        demand.handOut(results.size());
        results.forEach(sink::next);
    }

    private void fail(Throwable error) {
        if (ending == null) {
            failure = error;
            end(error instanceof CommException typed ? String.valueOf(typed.getMessage()) : error.toString());
        }
    }

    private void end(String why) {
        if (ending == null) {
            ending = why;
            intake.cancel();
            refuseRest();
        }
    }

    /** Tells the other ranks of the end, where they wait for this one. */
    private void refuseRest() {
        if (ending == null) {
            return;
        }
        switch (phase) {
            case QUEUED, AGREEING, DISAGREED -> {}
            case LEARNING -> agree(Registration.failed(ending, buckets.options()));
            case FLYING -> {
                for (InFlightBucket flight : flights().end()) {
                    flight.refuse("its step ended early on rank " + buckets.worldRank() + ": " + ending);
                    calls.get(flight.bucket().index()).subscribe(work -> {}, error -> {});
                }
            }
        }
    }

    /** Whatever a tensor or the subscriber throws, the worker ends and the next step has its turn: it would wait for ever. */
    private void endIfOver() {
        boolean isOver = switch (phase) {
            case QUEUED, LEARNING, AGREEING -> false;
            case FLYING -> flights().areOver();
            case DISAGREED -> true;
        };
        if (!isOver) {
            return;
        }
        over = true;
        try {
            guarded(borrowed::giveAllBack);
        } finally {
            try {
                tellEnd();
            } finally {
                worker.dispose();
                buckets.turns().over();
            }
        }
    }

    private void tellEnd() {
        if (ending == null) {
            sink.complete();
        } else if (failure != null) {
            emit(step == null ? List.of() : step.heldBack());
            sink.error(failure);
        }
    }

    private InFlightBuckets flights() {
        if (flights == null) {
            throw new IllegalStateException("a step went on before there was a plan");
        }
        return flights;
    }
}
