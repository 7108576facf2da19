package io.reactivecomm.testkit.sim;

import io.reactivecomm.Reduction;
import io.reactivecomm.Tensor;
import io.reactivecomm.bucket.DrivenStep;
import io.reactivecomm.bucket.Parameter;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Failures;
import io.reactivecomm.spi.Failure;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;

/** The surroundings of one step of one rank: its worker, its backward pass, its consumer and its calls. */
final class SimulatedStep implements DrivenStep.Surroundings, Subscription {

    private final TrainingRank rank;
    private final int number;
    private final TrainingScenario.StepTiming part;
    private final DrivenStep step;
    private final TrainingConsumer consumer;
    private final Queue<Runnable> events = new ArrayDeque<>();
    private final Map<String, ScribbledMemory.Region> gradients = new HashMap<>();
    private final Set<String> emitted = new HashSet<>();
    private final Map<Integer, TrainingCall> calls = new HashMap<>();
    private @Nullable Composite composite;
    private long requested;
    private int produced;
    private boolean producing;
    private boolean stopped;
    private boolean complete;
    private boolean over;
    private boolean early;

    SimulatedStep(TrainingRank rank, int number, TrainingScenario.StepTiming part) {
        this.rank = rank;
        this.number = number;
        this.part = part;
        this.step = rank.buckets().step(this, rank.rank().rank());
        this.consumer = new TrainingConsumer(this, step);
    }

    TrainingRank rank() {
        return rank;
    }

    int number() {
        return number;
    }

    TrainingScenario.StepTiming part() {
        return part;
    }

    boolean isOver() {
        return over;
    }

    /** {@return whether the step has ended by a failure or a cancellation} */
    boolean isEarly() {
        return early;
    }

    TrainingConsumer consumer() {
        return consumer;
    }

    /** {@return the calls that were made, by their buckets} */
    Map<Integer, TrainingCall> calls() {
        return calls;
    }

    void begin() {
        rank.network().agenda().tell(rank.rank().rank(), () -> "subscribes to " + this);
        step.begin();
        consumer.begin();
    }

    void ended(int bucket, boolean isReduced) {
        step.ended(bucket, isReduced);
    }

    /** {@return the step's run of the composite call of all steps} */
    Composite composite() {
        return Objects.requireNonNull(composite);
    }

    /** Hears of the end of the step's composite call. */
    private final class Ends implements Composite.Sink {

        @Override
        public void left(@Nullable Failure cause) {}

        @Override
        public void stopped(Failure failure) {
            rank.network()
                    .agenda()
                    .tell(rank.rank().rank(), () -> "hears that " + SimulatedStep.this + " has failed: " + failure);
            step.stopped();
        }

        @Override
        public void ended(@Nullable Failure failure) {
            step.ended(failure != null);
        }
    }

    @Override
    public void tell(Runnable event) {
        events.add(event);
        rank.execute(() -> events.remove().run());
    }

    @Override
    public Subscription backwardPass() {
        pump();
        return this;
    }

    @Override
    public void request(long n) {
        requested += n;
        pump();
    }

    @Override
    public void cancel() {
        stopped = true;
    }

    private void pump() {
        boolean isLast = produced == part.ready().size();
        if (!producing && !stopped && !complete && (isLast || requested > 0)) {
            producing = true;
            rank.after(rank.network().dice().between(0, part.gapNanos()), isLast ? this::complete : this::produce);
        }
    }

    private void produce() {
        producing = false;
        if (!stopped) {
            requested--;
            step.arrived(gradient(part.ready().get(produced++)));
            pump();
        }
    }

    private Gradient gradient(int index) {
        Parameter parameter = rank.training().parameters().get(index);
        VirtualNetwork network = rank.network();
        ScribbledMemory.Region region = network.memory()
                .allocate(
                        parameter.count() * parameter.type().byteSize(),
                        8 * network.dice().below(4),
                        parameter.name() + " of " + this);
        rank.judge().fill(region.memory(), number, index, rank.groupRank());
        network.memory().keep(region);
        gradients.put(parameter.name(), region);
        network.agenda().tell(rank.rank().rank(), () -> "has " + parameter.name() + " of " + this);
        return new Gradient(parameter.name(), Tensor.wrap(region.memory(), parameter.type(), parameter.count()));
    }

    private void complete() {
        producing = false;
        if (!stopped) {
            complete = true;
            step.noMoreCome();
        }
    }

    /** {@return whether a gradient has come, or can come no more} */
    boolean isSettled(String name) {
        return complete || gradients.containsKey(name);
    }

    @Override
    public boolean opens() {
        composite = rank.open(this, new Ends());
        return rank.rank().engine().whyFailed(composite().key()) == null;
    }

    @Override
    public void asks() {
        rank.agree(this, true);
    }

    @Override
    public void needNotAsk() {
        rank.agree(this, false);
    }

    /** Its composite call of the agreement has ended. */
    void answered(@Nullable Failure failure) {
        if (failure == null) {
            step.agreed();
        } else if (failure.kind() == Failure.Kind.MISMATCH) {
            step.told();
        } else {
            step.disagreed(failure);
        }
    }

    @Override
    public void disagrees(Failure cause) {
        rank.rank()
                .event(() -> rank.rank()
                        .engine()
                        .failed(composite(), cause, rank.network().agenda().now()));
    }

    @Override
    public void begins(int bucket, Tensor tensor) {
        Reduction reduction = rank.options().scaling().reduction(rank.team().size());
        ScribbledMemory.Region memory = rank.network().memory().regionOf(tensor.segment());
        TrainingCall call = new TrainingCall(this, bucket, new AllReduce(tensor, tensor, reduction), memory);
        rank.begins(call, memory);
        if (calls.put(call.bucket(), call) != null) {
            throw new Violation("a bucket's call is made twice: " + call);
        }
        rank.submit(call);
    }

    @Override
    public void completes() {
        rank.rank()
                .event(() -> rank.rank()
                        .engine()
                        .left(composite(), null, rank.network().agenda().now()));
    }

    @Override
    public void fails(int bucket) {
        Failure cause =
                Objects.requireNonNull(Objects.requireNonNull(calls.get(bucket)).failure());
        rank.rank()
                .event(() -> rank.rank()
                        .engine()
                        .failed(composite(), cause, rank.network().agenda().now()));
    }

    @Override
    public void leaves() {
        Failure cause = Failures.compositeCancelled(
                rank.rank().rank(), "gradient buckets", composite().key().label());
        rank.rank()
                .event(() -> rank.rank()
                        .engine()
                        .left(composite(), cause, rank.network().agenda().now()));
    }

    @Override
    public void landed(int bucket) {
        rank.landed(calls.get(bucket));
    }

    @Override
    public void emits(Gradient result) {
        if (!emitted.add(result.name())) {
            throw new Violation("a result comes twice: gradient=" + result.name() + ", " + this);
        }
        consumer.results().add(result);
        rank.execute(consumer::drain);
    }

    /** {@return the memory of a gradient that came} */
    ScribbledMemory.@Nullable Region memoryOf(String name) {
        return gradients.get(name);
    }

    @Override
    public void over(boolean isEarly) {
        over = true;
        early = isEarly;
        rank.network().agenda().tell(rank.rank().rank(), () -> "is done with " + this + (isEarly ? ", early" : ""));
        gradients.forEach((name, region) -> {
            if (!emitted.contains(name) || consumer.hasLeft()) {
                rank.network().memory().release(region);
            }
        });
        rank.over(this);
    }

    @Override
    public String toString() {
        return "step " + number + " on rank " + rank.rank().rank();
    }
}
