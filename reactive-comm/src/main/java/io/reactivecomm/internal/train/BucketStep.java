package io.reactivecomm.internal.train;

import io.reactivecomm.Handle;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LogRank;
import io.reactivecomm.Move;
import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Switched;
import io.reactivecomm.Tensor;
import io.reactivecomm.internal.base.DrainLoop;
import io.reactivecomm.internal.train.BucketPlan.Bucket;
import io.reactivecomm.internal.train.BucketPlan.Slot;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.StepView;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

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
 * <p><b>Threads.</b> State is touched by events only, one at a time, on the thread that has the news. Packing, unpacking and reducers' code are the work of threads of
 * the buckets, never of a loop or the backward pass. A bucket that needs none of these begins and ends without a change of threads.
 */
public final class BucketStep implements Flight.Gradients {

    /** A gradient that this rank has, with the taker of its result. */
    private record Arrival(Gradient gradient, MonoSink<Gradient> result) {}

    private final Buckets buckets;
    private final StepView view;
    private final ProcessGroup inside;
    private final Runnable hold;
    private final LogRank logRank;
    private final HeldGradients held;
    private final DrainLoop events = DrainLoop.ofTasks(() -> {}, this::thrown);
    private final boolean isOff;
    /** The gradients that came before their places were known. */
    private final Map<String, Arrival> early = new LinkedHashMap<>();

    /** Takes the gradients that this rank lacks, once the pass has ended. */
    private @Nullable FluxSink<Gradient> further;

    private @Nullable BucketPlan plan;
    private @Nullable BucketProgress progress;
    /** Those that were there when the step got its plan. */
    private @Nullable GradientHomes homes;

    /** For each parameter. */
    private @Nullable Arrival[] arrivals = {};
    /** For each bucket; empty before all ranks have the plan. */
    private List<Flight> flights = List.of();

    private final Set<Flight> inFlight = new HashSet<>();
    /** Nothing more begins. */
    private boolean isStopped;
    /** No call of the step is in flight, on any account. */
    private boolean isEnded;

    private boolean isSettled;
    private boolean isOver;

    BucketStep(Buckets buckets, StepView view) {
        this.buckets = buckets;
        this.view = view;
        this.inside = view.group();
        this.isOff = Switched.isOff(inside, Operation.ALL_REDUCE);
        this.hold = view.hold();
        this.logRank = LogRank.of(buckets.group());
        this.held = new HeldGradients(inside);
    }

    void begin() {
        view.ended().subscribe(nothing -> {}, error -> events.execute(this::ended), () -> events.execute(this::ended));
        BucketPlan known = buckets.common().known();
        BucketPlan registered = buckets.common().registered();
        if (isOff) {
            return;
        }
        if (known != null) {
            // At once, and not with the first bucket: a rank that asks waits for it, and its deadline counts.
            Agreement.notAskedFor(inside).contextWrite(view.context()).subscribe();
            events.execute(() -> fly(known));
        } else if (registered != null) {
            events.execute(() -> expect(registered));
            ask(null);
        }
    }

    /** @param shown the parameters that this step has shown; null if they are registered */
    private void ask(@Nullable List<Parameter> shown) {
        buckets.common()
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
            early.values().forEach(this::place);
            progress().passEnded();
        }
        beginWhole();
        emit();
    }

    /** Gradients have places from here on. */
    private void expect(BucketPlan expected) {
        plan = expected;
        homes = buckets.homes();
        progress = new BucketProgress(
                expected.buckets().stream()
                        .map(bucket -> bucket.places().stream().map(Slot::index).toList())
                        .toList(),
                switch (buckets.options().order()) {
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
        held.hold(gradient);
        // Results come in order only where their subscribers are there first.
        return Mono.create(result -> events.execute(() -> {
            if (!isStopped) {
                take(new Arrival(gradient, result));
                beginWhole();
            }
        }));
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

    private void take(Arrival arrival) {
        if (plan == null) {
            early.put(arrival.gradient.name(), arrival);
        } else {
            place(arrival);
        }
    }

    private void place(Arrival arrival) {
        Gradient gradient = arrival.gradient;
        Slot slot = slot(gradient.name(), gradient.tensor());
        if (!slot.fits(gradient)) {
            throw refusal(
                    "is not what was registered",
                    gradient.name(),
                    gradient.tensor(),
                    "hand over " + slot.parameter() + ", or register what comes");
        }
        if (homes != null && homes.isMisplaced(slot, gradient.tensor())) {
            throw refusal(
                    "is in the home of another one",
                    gradient.name(),
                    gradient.tensor(),
                    "hand over the tensor that allocate() gave for it, or another one of the program's");
        }
        if (!progress().settle(slot.index(), BucketProgress.Slot.HERE)) {
            throw refusal(
                    "came twice, or although this rank had said that it would not",
                    gradient.name(),
                    gradient.tensor(),
                    "let hooks give each name once, and say only of gradients that no hook gives that they are absent");
        }
        arrivals[slot.index()] = arrival;
    }

    private Slot slot(String name, Object what) {
        Slot slot = Objects.requireNonNull(plan).place(name);
        if (slot == null) {
            throw refusal(
                    "is not registered",
                    name,
                    what,
                    "make new buckets with all parameters that have gradients now, and register them on all ranks between the same steps");
        }
        return slot;
    }

    private InvalidCallException refusal(String why, String name, Object what, String remedy) {
        return new InvalidCallException("a gradient " + why + ": name=" + name + ", tensor=" + what + ", rank="
                + inside.globalRank(inside.rank()) + "; " + remedy);
    }

    /** This rank will not produce a gradient. @param isKept whether its home is summed as it stands */
    public void absent(String name, boolean isKept) {
        events.execute(() -> {
            if (plan != null && !isStopped) {
                Slot slot = slot(name, "none");
                boolean isAtHome = isKept && homes != null;
                progress().settle(slot.index(), isAtHome ? BucketProgress.Slot.KEPT : BucketProgress.Slot.ABSENT);
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
            ask(early.values().stream()
                    .map(arrival -> Parameter.of(arrival.gradient))
                    .toList());
        }
    }

    @Override
    public @Nullable Gradient at(int parameter) {
        Arrival arrival = arrivals[parameter];
        return arrival == null ? null : arrival.gradient;
    }

    @Override
    public boolean isKept(int parameter) {
        return progress().slot(parameter) == BucketProgress.Slot.KEPT;
    }

    @Override
    public @Nullable Tensor homes(Bucket bucket) {
        return homes == null ? null : homes.buckets().get(bucket.index());
    }

    @Override
    public Tensor lacking(Slot slot) {
        return homes == null
                ? buckets.memory().result(slot.parameter())
                : homes.gradients().get(slot.index()).tensor();
    }

    /** Begins the buckets that are whole, in order, while there is memory. */
    private void beginWhole() {
        while (!isStopped && !flights.isEmpty() && progress().next() >= 0) {
            Flight flight = flights.get(progress().next());
            if (!takeMemory(flight)) {
                return;
            }
            progress().began();
            inFlight.add(flight);
            guarded(flight, () -> pack(flight));
        }
    }

    private static boolean takeMemory(Flight flight) {
        boolean hasReturned = false;
        try {
            boolean isTaken = flight.takeMemory();
            hasReturned = true;
            return isTaken;
        } finally {
            if (!hasReturned) {
                flight.letGo(true);
            }
        }
    }

    /** Runs a part of a flight. If it throws, the flight has failed. */
    private void guarded(Flight flight, Runnable part) {
        try {
            part.run();
        } catch (Exception | Error e) {
            events.execute(() -> failed(flight, e));
            Exceptions.throwIfJvmFatal(e);
        }
    }

    /** Runs a part of a flight that may take long. */
    private void work(Flight flight, Runnable part) {
        Buckets.PACKING.schedule(() -> logRank.run(() -> guarded(flight, part)));
    }

    private void pack(Flight flight) {
        Mono<byte[]> present = presence(flight.bucket());
        List<Move> moves = flight.packing();
        if (moves.isEmpty() && buckets.options().reducer() == null) {
            reduce(flight, present);
        } else {
            work(flight, () -> {
                flight.packed(moves.isEmpty() ? Handle.DONE : buckets.group().move(moves));
                reduce(flight, present);
            });
        }
    }

    /** Asks which gradients of a bucket any rank has, at once. {@return the answer, one byte for each} */
    private Mono<byte[]> presence(Bucket bucket) {
        byte[] own = progress().presence(bucket.index());
        if (!buckets.askForPresence()) {
            return Mono.just(own);
        }
        Tensor tensor = buckets.memory().presence(bucket.index(), own.length);
        tensor.set(IntStream.range(0, own.length).map(i -> own[i]).toArray());
        Mono<byte[]> present = buckets.view(bucket, inside)
                .algorithm("")
                .named("presence." + bucket.index())
                .allReduce(tensor, ReduceOp.MAX)
                .map(work -> tensor.toByteArray())
                .doOnError(error -> buckets.memory().giveUpPresence(bucket.index()))
                .cache();
        present.contextWrite(view.context()).subscribe(bytes -> {}, error -> {});
        return present;
    }

    private void reduce(Flight flight, Mono<byte[]> present) {
        flight.reduce(buckets.view(flight.bucket(), inside), present)
                .contextWrite(view.context())
                .subscribe(
                        flight::reduced,
                        error -> events.execute(() -> failed(flight, error)),
                        () -> present.subscribe(
                                bytes -> events.execute(() -> guarded(flight, () -> unpack(flight, bytes))),
                                error -> events.execute(() -> failed(flight, error))));
    }

    private void unpack(Flight flight, byte[] present) {
        List<Move> moves = flight.unpacking(present);
        if (moves.isEmpty()) {
            unpacked(flight, present, Handle.DONE);
        } else {
            work(flight, () -> unpacked(flight, present, buckets.group().move(moves)));
        }
    }

    private void unpacked(Flight flight, byte[] present, Handle handle) {
        Mono<Void> end = flight.end(handle);
        if (end == null) {
            events.execute(() -> landed(flight, present));
        } else {
            end.subscribe(
                    nothing -> {},
                    error -> events.execute(() -> failed(flight, error)),
                    () -> events.execute(() -> landed(flight, present)));
        }
    }

    private void landed(Flight flight, byte[] present) {
        letGo(flight, true);
        // Before a subscriber sees a result: with one it may ask for memory in the buckets.
        buckets.common().reduced();
        progress().finished(flight.bucket().index(), present);
        if (present[0] == 0) {
            flight.discard();
        }
        emit();
        beginWhole();
        endIfIdle();
    }

    /** The other ranks learn of it at once. What packs the bucket may still use its gradients, and is waited for. */
    private void failed(Flight flight, Throwable error) {
        try {
            fail(error);
        } finally {
            Mono<Void> packed = flight.packed();
            if (packed == null) {
                gaveUp(flight);
            } else {
                packed.subscribe(
                        nothing -> {},
                        other -> events.execute(() -> gaveUp(flight)),
                        () -> events.execute(() -> gaveUp(flight)));
            }
        }
    }

    private void gaveUp(Flight flight) {
        letGo(flight, false);
        flight.discard();
        endIfIdle();
    }

    private void letGo(Flight flight, boolean isReduced) {
        if (!inFlight.remove(flight)) {
            return;
        }
        events.guarded(() -> flight.letGo(isReduced));
        for (Slot slot : flight.bucket().places()) {
            Gradient gradient = at(slot.index());
            if (gradient != null) {
                events.guarded(() -> held.release(gradient));
            }
        }
    }

    /** Emits the results that may go. */
    private void emit() {
        for (int parameter : progress().results()) {
            Slot slot = Objects.requireNonNull(plan).places().get(parameter);
            Flight flight = flights.get(slot.bucket());
            Gradient result = flight.result(slot);
            handOut(arrivals[parameter], result);
        }
        if (progress().isOver() && !isSettled && !isStopped) {
            // Before ranks agree that the step has ended, and so before a program can begin the next one.
            isSettled = true;
            buckets.ended(Objects.requireNonNull(plan));
            further().complete();
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
    private void fail(Throwable error) {
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
            held.end();
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
