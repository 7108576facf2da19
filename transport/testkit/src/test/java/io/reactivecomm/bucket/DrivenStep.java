package io.reactivecomm.bucket;

import io.reactivecomm.Tensor;
import io.reactivecomm.hook.Gradient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;

/**
 * One step the way {@link StepRun} takes it once the ranks have agreed, over the same pure parts: turns, demand, borrowed gradients,
 * flights. What happens to it is told to its surroundings' worker, one after the other.
 */
public final class DrivenStep {

    /** The surroundings of a step. */
    public interface Surroundings {

        /** Has an event happen, some time, after those told before. */
        void tell(Runnable event);

        /** Starts the backward pass. {@return how it is asked for gradients} */
        Subscription backwardPass();

        /** The calls of all buckets are to be assembled, with these tensors. */
        void assemble(List<Tensor> tensors);

        /** A bucket is in its memory, and its call begins. */
        void begins(int bucket);

        /** A bucket's call will not begin, and the other ranks are to be told. */
        void refuses(int bucket);

        /** A bucket that had begun has let go of its memory. */
        void landed(int bucket);

        void emits(Gradient result);

        /**
         * The step has given everything back.
         *
         * @param isEarly whether it has ended by a failure or a cancellation
         */
        void over(boolean isEarly);
    }

    private final DrivenBuckets buckets;
    private final Surroundings around;
    private final Demand demand = new Demand();
    private final BorrowedGradients borrowed;
    private final Map<Integer, InFlightBucket> underWay = new HashMap<>();
    private @Nullable Subscription source;
    private @Nullable StepProgress step;
    private @Nullable InFlightBuckets flights;
    private boolean cancelled;
    private boolean ended;
    private boolean failed;
    private boolean over;

    DrivenStep(DrivenBuckets buckets, Surroundings around, int worldRank) {
        this.buckets = buckets;
        this.around = around;
        this.borrowed = new BorrowedGradients(worldRank);
    }

    /** It is subscribed to. */
    public void begin() {
        buckets.turns().take(() -> {
            tell(this::takeTurn);
            if (!cancelled) {
                Subscription pass = around.backwardPass();
                source = pass;
                demand.of(pass);
            }
        });
    }

    /** Its subscriber wants so many more. */
    public void want(long n) {
        demand.want(n);
    }

    /** Its subscriber has cancelled. */
    public void cancel() {
        cancelled = true;
        tell(this::end);
    }

    /** The backward pass hands a gradient over. */
    public void arrived(Gradient gradient) {
        tell(() -> {
            if (!ended) {
                borrowed.take(gradient, step);
            }
        });
        demand.arrived();
    }

    /** The backward pass has ended. */
    public void noMoreCome() {
        tell(() -> step().noMoreCome());
    }

    /** A bucket's call has ended. */
    public void ended(int bucket, boolean isReduced) {
        tell(() -> landed(bucket, isReduced));
    }

    private void tell(Runnable event) {
        around.tell(() -> take(event));
    }

    private void take(Runnable event) {
        if (!over) {
            event.run();
            beginWhole();
            endIfOver();
        }
    }

    private void takeTurn() {
        StepProgress flown = buckets.flying();
        step = flown;
        List<InFlightBucket> all = buckets.flights();
        flights = buckets.flights(flown, all, borrowed);
        around.assemble(all.stream().map(InFlightBucket::tensor).toList());
        refuseRest();
    }

    private void beginWhole() {
        InFlightBucket next = nextFlight();
        while (next != null) {
            underWay.put(next.bucket().index(), next);
            around.begins(next.bucket().index());
            next = nextFlight();
        }
    }

    private @Nullable InFlightBucket nextFlight() {
        return flights == null ? null : flights.next(null);
    }

    private void landed(int bucket, boolean isReduced) {
        InFlightBucket flight = Objects.requireNonNull(underWay.remove(bucket));
        List<Gradient> results = flights().landed(flight, isReduced);
        around.landed(bucket);
        emit(results);
        if (!isReduced && !ended) {
            failed = true;
            end();
        }
    }

    private void emit(List<Gradient> results) {
        demand.handOut(results.size());
        results.forEach(around::emits);
    }

    private void end() {
        if (!ended) {
            ended = true;
            if (source != null) {
                source.cancel();
            }
            refuseRest();
        }
    }

    private void refuseRest() {
        if (ended && flights != null) {
            for (InFlightBucket flight : flights.end()) {
                flight.refuse("its step ended early");
                around.refuses(flight.bucket().index());
            }
        }
    }

    private void endIfOver() {
        if (flights != null && flights.areOver()) {
            over = true;
            borrowed.giveAllBack();
            if (failed) {
                emit(step().heldBack());
            }
            around.over(ended);
            buckets.turns().over();
        }
    }

    private StepProgress step() {
        return Objects.requireNonNull(step);
    }

    private InFlightBuckets flights() {
        return Objects.requireNonNull(flights);
    }
}
