package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Switched;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.internal.train.BucketPlan.Place;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.StepView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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

    private final Runnable hold;
    private final DrainLoop events = DrainLoop.ofTasks(() -> {}, this::thrown);
    private final boolean isOff;
    /** All that came. */
    private final List<Arrival> came = new ArrayList<>();

    /** Takes the gradients that this rank lacks, from the end of the pass until all buckets have ended. */
    private @Nullable FluxSink<Gradient> further;

    private @Nullable BucketPlan plan;
    private @Nullable BucketProgress progress;
    /** Those that were there when the step got its plan. */
    private BucketMemory.@Nullable Homes homes;

    /** For each parameter. */
    private @Nullable Arrival[] arrivals = {};
    /** For each bucket; empty before all ranks have the plan. */
    private List<Flight> flights = List.of();

    private final Set<Flight> inFlight = new HashSet<>();
    /** Nothing more begins. */
    private boolean isStopped;
    /** No call of the step is in flight, on any account. */
    private boolean isEnded;

    private boolean isOver;

    BucketStep(Buckets buckets, StepView view) {
        this.buckets = buckets;
        this.view = view;
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
            events.execute(() -> expect(registered));
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
        boolean learns = plan == null;
        fly(agreed);
        if (learns) {
            came.forEach(this::place);
            progress().passEnded();
        }
        beginWhole();
        emit();
    }

    /** Gradients have places from here on. */
    private void expect(BucketPlan expected) {
        plan = expected;
        homes = buckets.memory.homes();
        progress = new BucketProgress(
                expected.buckets().stream()
                        .map(bucket ->
                                bucket.places().stream().map(Place::index).toList())
                        .toList(),
                switch (buckets.options.order()) {
                    case PARAMETER -> true;
                    case COMPLETION -> false;
                });
        arrivals = new Arrival[expected.places().size()];
    }

    private void fly(BucketPlan agreed) {
        if (plan == null) {
            expect(agreed);
        }
        flights = agreed.buckets().stream()
                .map(bucket -> buckets.flight(bucket, this))
                .toList();
    }

    private FluxSink<Gradient> further() {
        return Objects.requireNonNull(further, "the pass has not ended");
    }

    private BucketProgress progress() {
        return Objects.requireNonNull(progress, "a step of buckets has no plan");
    }

    /** Takes a gradient. {@return its result} */
    public Mono<Gradient> arrived(Gradient gradient) {
        view.reduces(gradient.name());
        if (isOff) {
            return passedOn(gradient);
        }
        // Results come in order only where their subscribers are there first.
        return Mono.create(result -> {
            Arrival arrival = new Arrival(gradient, result, inside);
            events.execute(() -> arrived(arrival));
        });
    }

    private void arrived(Arrival arrival) {
        if (isStopped) {
            arrival.release();
            return;
        }
        came.add(arrival);
        if (plan != null) {
            place(arrival);
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

    private void place(Arrival arrival) {
        Gradient gradient = arrival.gradient;
        Place place = place(gradient);
        if (!place.fits(gradient)) {
            throw refusal(
                    gradient,
                    "is not what was registered",
                    "hand over " + place.parameter() + ", or register what comes");
        }
        if (homes != null && homes.isMisplaced(place, gradient.tensor())) {
            throw refusal(
                    gradient,
                    "is in the home of another one",
                    "hand over the tensor that allocate() gave for it, or another one of the program's");
        }
        if (!progress().settle(place.index(), BucketProgress.Slot.HERE)) {
            throw refusal(
                    gradient,
                    "came twice, or although this rank had said that it would not",
                    "let hooks give each name once, and say only of gradients that no hook gives that they are absent");
        }
        arrivals[place.index()] = arrival;
    }

    private Place place(Gradient gradient) {
        Place place = Objects.requireNonNull(plan).place(gradient.name());
        if (place == null) {
            throw refusal(
                    gradient,
                    "is not registered",
                    "make new buckets with all parameters that have gradients now, and register them on all ranks between the same steps");
        }
        return place;
    }

    private InvalidCallException refusal(Gradient gradient, String why, String remedy) {
        return new InvalidCallException("a gradient " + why + ": name=" + gradient.name() + ", kind=" + gradient.kind()
                + ", tensor=" + gradient.tensor() + ", rank=" + inside.globalRank(inside.rank()) + "; " + remedy);
    }

    /** This rank will not produce a gradient. @param isKept whether its home is summed as it stands */
    public void absent(String name, boolean isKept) {
        events.execute(() -> {
            if (plan != null && !isStopped) {
                Place place = place(Gradient.absent(name));
                boolean isAtHome = isKept && homes != null;
                progress().settle(place.index(), isAtHome ? BucketProgress.Slot.KEPT : BucketProgress.Slot.ABSENT);
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
        if (plan != null) {
            progress().passEnded();
            beginWhole();
            emit();
        } else if (!isStopped) {
            ask(came.stream().map(arrival -> Parameter.of(arrival.gradient)).toList());
        }
    }

    /** {@return the gradient that this rank has for a parameter, or null} */
    @Nullable Gradient at(int parameter) {
        Arrival arrival = arrivals[parameter];
        return arrival == null ? null : arrival.gradient;
    }

    /** {@return whether a parameter's home is summed as it stands} */
    boolean isKept(int parameter) {
        return progress().slot(parameter) == BucketProgress.Slot.KEPT;
    }

    /** {@return the memory in which all gradients of a bucket have their homes, or null} */
    @Nullable Tensor homes(Bucket bucket) {
        return homes == null ? null : homes.buckets().get(bucket.index());
    }

    /** {@return the tensor in which a gradient comes back that this rank does not have} */
    Tensor lacking(Place place) {
        return homes == null
                ? buckets.memory.result(place.parameter())
                : homes.gradients().get(place.index()).tensor();
    }

    /** Handles an event, now or behind those that another thread is at. */
    void post(Runnable event) {
        events.execute(event);
    }

    /** Begins the buckets that are whole, in order, while there is memory. */
    private void beginWhole() {
        while (!isStopped && !flights.isEmpty() && progress().next() >= 0) {
            Flight flight = flights.get(progress().next());
            if (!flight.takesMemory()) {
                return;
            }
            progress().began();
            inFlight.add(flight);
            flight.begin(progress().presence(flight.bucket.index()));
        }
    }

    /** A flight has ended well. */
    void landed(Flight flight, byte[] present) {
        release(flight, true);
        // Before a subscriber sees a result: with one it may ask for memory in the buckets.
        buckets.common.reduced();
        progress().finished(flight.bucket.index(), present);
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
            Arrival arrival = arrivals[place.index()];
            if (arrival != null) {
                events.guarded(arrival::release);
            }
        }
    }

    /** Emits the results that may go. */
    private void emit() {
        for (int parameter : progress().results()) {
            Place place = Objects.requireNonNull(plan).places().get(parameter);
            Flight flight = flights.get(place.bucket());
            Gradient result = flight.result(place);
            handOut(arrivals[parameter], result);
        }
        FluxSink<Gradient> sink = further;
        if (sink != null && progress().isOver() && !isStopped) {
            further = null;
            // Before ranks agree that the step has ended, and so before a program can begin the next one.
            buckets.ended(Objects.requireNonNull(plan));
            sink.complete();
        }
    }

    /** A fatal error of the taker's is no failure of this step's, whose other results are handed out. */
    private void handOut(@Nullable Arrival arrival, Gradient result) {
        try {
            if (arrival == null) {
                further().next(result);
            } else {
                arrival.result.success(result);
            }
        } catch (Exception | Error e) {
            if (!Exceptions.isJvmFatal(e)) {
                throw e;
            }
            events.throwLater(e);
        }
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
            came.forEach(each -> events.guarded(each::release));
            came.clear();
        } finally {
            buckets.over();
            hold.run();
        }
    }

    /** In the order of parameters, results of a failed step may wait for others that will not come. */
    private void emitHeldBack() {
        if (progress != null) {
            progress.stopWaiting();
            emit();
        }
    }
}
