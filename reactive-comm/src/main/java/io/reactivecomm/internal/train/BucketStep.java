package io.reactivecomm.internal.train;

import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Switched;
import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.internal.train.BucketPlan.Place;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.StepView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;

/**
 * One step of buckets on one rank: a {@link BucketProgress}, driven by gradients, by the ends of calls and by the end of the step.
 *
 * <pre>
 *   begin ─┬─ all-reduces are off ─&gt; gradients come back as they are
 *          ├─ all ranks have the plan ──────────────────────────────┬─&gt; flies: buckets begin as they become whole
 *          ├─ registered ───────────────────────────┬─&gt; agrees ─────┘
 *          └─ else ─&gt; collects ─── the pass ends ───┘
 * </pre>
 *
 * <p><b>Threads.</b> State is touched by events only, one at a time, on the thread that has the news.
 */
public final class BucketStep {

    private final Buckets buckets;
    final StepView view;
    /** The group for the calls of the step. */
    final ProcessGroup inside;

    /** Takes the results of gradients that were given to {@link #take}. */
    private final Consumer<List<Gradient>> taker;
    /** Takes the results of gradients that this rank lacks. */
    private final Consumer<List<Gradient>> lacking = results -> results.forEach(further()::next);

    /** The count of ranks with inputs; null where all have. */
    final @Nullable ActiveRanks active;

    private final Runnable hold;
    private final DrainLoop events = DrainLoop.ofTasks(() -> {}, this::thrown);
    final boolean isOff;
    /** All that came. */
    private final List<Arrival> came = new ArrayList<>();

    /** Takes the gradients that this rank lacks, from the end of the pass until all buckets have ended. */
    private @Nullable FluxSink<Gradient> further;

    /** Those that came, from when their places are known. */
    private @Nullable PlannedGradients planned;

    /** For each bucket; empty before all ranks have the plan. */
    private List<Flight> flights = List.of();

    private final Set<Flight> inFlight = new HashSet<>();
    /** Nothing more begins. */
    private boolean isStopped;
    /** No call of the step is in flight, on any account. */
    private boolean isEnded;

    private boolean isOver;

    BucketStep(Buckets buckets, StepView view, Consumer<List<Gradient>> taker, @Nullable ActiveRanks active) {
        this.active = active;
        this.buckets = buckets;
        this.view = view;
        this.taker = taker;
        this.inside = view.group();
        this.isOff = Switched.isOff(inside, Operation.ALL_REDUCE);
        this.hold = view.hold();
    }

    void begin() {
        view.ended().subscribe(nothing -> {}, error -> events.execute(this::ended), () -> events.execute(this::ended));
        BucketPlan known = buckets.common.known();
        BucketPlan registered = buckets.common.registered();
        if (isOff) {
            return;
        }
        if (known != null) {
            // At once, and not with the first bucket: a rank that asks waits for it, and its deadline counts.
            buckets.common.notAsked(inside).contextWrite(view.context()).subscribe();
            events.execute(() -> fly(known));
        } else if (registered != null) {
            events.execute(() -> planned = new PlannedGradients(registered, buckets));
            ask(null);
        }
    }

    /** @param shown the parameters that this step has shown; null if they are registered */
    private void ask(@Nullable List<Parameter> shown) {
        buckets.common
                .asked(shown, inside)
                .contextWrite(view.context())
                .subscribe(agreed -> events.execute(() -> agreed(agreed)), this::fail);
    }

    private void agreed(BucketPlan agreed) {
        if (isStopped) {
            return;
        }
        boolean learns = planned == null;
        fly(agreed);
        if (learns) {
            came.forEach(planned()::add);
            planned().progress.passEnded();
        }
        beginWhole();
        emit();
    }

    private void fly(BucketPlan agreed) {
        PlannedGradients gradients = planned == null ? new PlannedGradients(agreed, buckets) : planned;
        planned = gradients;
        flights = agreed.buckets().stream()
                .map(bucket -> buckets.flight(bucket, this, gradients))
                .toList();
    }

    private FluxSink<Gradient> further() {
        return Objects.requireNonNull(further, "the pass has not ended");
    }

    private PlannedGradients planned() {
        return Objects.requireNonNull(planned, "a step of buckets has no plan");
    }

    /** Takes a gradient. {@return its result} */
    public Mono<Gradient> arrived(Gradient gradient) {
        view.reduces(gradient.name());
        if (isOff) {
            return passedOn(gradient);
        }
        // Results come in order only where their subscribers are there first.
        return Mono.create(
                sink -> events.execute(new Arrival(gradient, results -> results.forEach(sink::success), this)));
    }

    /** Takes a gradient whose result goes to the taker. Only if all-reduces are on. */
    void take(Gradient gradient) {
        events.execute(new Arrival(gradient, taker, this));
    }

    void arrived(Arrival arrival) {
        if (isStopped) {
            arrival.release();
            return;
        }
        came.add(arrival);
        if (planned != null) {
            planned.add(arrival);
            beginWhole();
        }
    }

    /** Rows are copied, because the receiver of a result closes its rows. */
    private Mono<Gradient> passedOn(Gradient gradient) {
        SparseTensor rows = gradient.rows();
        return rows == null
                ? Mono.just(gradient)
                : inside.named(gradient.name())
                        .sparseAllReduce(rows, ReduceOp.SUM)
                        .map(copy -> Gradient.sparse(gradient.name(), copy));
    }

    /** This rank will not produce a gradient. @param isKept whether its home is summed as it stands */
    public void absent(String name, boolean isKept) {
        events.execute(() -> {
            if (planned != null && !isStopped) {
                planned.absent(name, isKept);
                beginWhole();
            }
        });
    }

    /** No further gradient comes. {@return the gradients that this rank lacks} */
    public Flux<Gradient> passEnded() {
        if (isOff) {
            return Flux.empty();
        }
        return Flux.create(sink -> events.execute(() -> {
            further = sink;
            endPass();
        }));
    }

    private void endPass() {
        if (planned != null) {
            planned.progress.passEnded();
            beginWhole();
            emit();
        } else if (!isStopped) {
            ask(came.stream().map(arrival -> Parameter.of(arrival.gradient)).toList());
        }
    }

    /** Handles an event, now or behind those that another thread is at. */
    void post(Runnable event) {
        events.execute(event);
    }

    /** Begins the buckets that are whole, in order, while there is memory. */
    private void beginWhole() {
        while (!isStopped && !flights.isEmpty() && planned().progress.next() >= 0) {
            Flight flight = flights.get(planned().progress.next());
            if (!flight.takesMemory()) {
                return;
            }
            planned().progress.began();
            inFlight.add(flight);
            flight.begin(planned().progress.presence(flight.bucket.index()));
        }
    }

    /** A flight has ended well. */
    void landed(Flight flight, byte[] present) {
        release(flight, true);
        // Before a subscriber sees a result: with one it may ask for memory in the buckets.
        buckets.common.reduced();
        planned().progress.finished(flight.bucket.index(), present);
        if (present[0] == 0) {
            flight.discard();
        }
        emit();
        beginWhole();
        endIfIdle();
    }

    /** A flight has failed, and nothing of it is under way. */
    void gaveUp(Flight flight, Throwable error) {
        try {
            fail(error);
        } finally {
            release(flight, false);
            flight.discard();
            endIfIdle();
        }
    }

    private void release(Flight flight, boolean isReduced) {
        if (!inFlight.remove(flight)) {
            return;
        }
        events.guarded(() -> flight.release(isReduced));
        for (Place place : flight.bucket.places()) {
            Arrival arrival = planned().arrival(place.index());
            if (arrival != null) {
                release(arrival);
            }
        }
    }

    private void release(Arrival arrival) {
        try {
            arrival.release();
        } catch (Exception | Error e) {
            events.guarded(() -> Thrown.on(e));
        }
    }

    /** Emits the results that may go. */
    private void emit() {
        List<Integer> parameters = planned().progress.results();
        int next = 0;
        while (next < parameters.size()) {
            next = emit(parameters, next);
        }
        FluxSink<Gradient> sink = further;
        if (sink != null && planned().progress.isOver() && !isStopped) {
            further = null;
            // Before ranks agree that the step has ended, and so before a program can begin the next one.
            buckets.ended(planned().plan);
            sink.complete();
        }
    }

    /** Emits a result, and those behind it that have the same taker. {@return the place of the next one} A fatal error of the taker's is no failure of this step's. */
    private int emit(List<Integer> parameters, int from) {
        Consumer<List<Gradient>> to = taker(parameters.get(from));
        List<Gradient> results = new ArrayList<>();
        int next = from;
        while (next < parameters.size() && taker(parameters.get(next)) == to) {
            Place place = planned().plan.places().get(parameters.get(next));
            results.add(flights.get(place.bucket()).result(place));
            next++;
        }
        try {
            to.accept(results);
        } catch (Exception | Error e) {
            if (!Exceptions.isJvmFatal(e)) {
                throw e;
            }
            events.throwLater(e);
        }
        return next;
    }

    private Consumer<List<Gradient>> taker(int parameter) {
        Arrival arrival = planned().arrival(parameter);
        return arrival == null ? lacking : arrival.taker;
    }

    private void thrown(Throwable error) {
        fail(error);
        Exceptions.throwIfJvmFatal(error);
    }

    /** Nothing more begins here; other ranks learn of it. */
    void fail(Throwable error) {
        events.execute(() -> {
            isStopped = true;
            endIfIdle();
        });
        view.fail(error);
    }

    private void ended() {
        isStopped = true;
        isEnded = true;
        endIfIdle();
    }

    private void endIfIdle() {
        if (!isEnded || !inFlight.isEmpty() || isOver) {
            return;
        }
        isOver = true;
        try {
            events.guarded(this::emitHeldBack);
            flights.forEach(Flight::discard);
            came.forEach(this::release);
            came.clear();
        } finally {
            buckets.over();
            hold.run();
        }
    }

    /** In the order of parameters, results of a failed step may wait for others that will not come. */
    private void emitHeldBack() {
        if (planned != null) {
            planned.progress.stopWaiting();
            emit();
        }
    }
}
