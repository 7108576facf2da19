package io.reactivecomm.bucket;

import io.reactivecomm.Tensor;
import io.reactivecomm.hook.Gradient;
import io.reactivecomm.spi.Failure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;

/**
 * One step the way {@link StepRun} takes it with registered gradients, over the same pure parts: turns, demand, what ranks know of the plan, borrowed
 * gradients, flights. What happens to it is told to its surroundings' worker, one after the other.
 */
public final class DrivenStep {

    /** The surroundings of a step. */
    public interface Surroundings {

        /** Has an event happen, some time, after those told before. */
        void tell(Runnable event);

        /** Starts the backward pass. {@return how it is asked for gradients} */
        Subscription backwardPass();

        /** The step has its turn: its composite call is to begin. {@return whether it had not failed before} */
        boolean opens();

        /** The composite call of the agreement begins: this rank asks. */
        void asks();

        /** The composite call of the agreement begins and ends. */
        void needNotAsk();

        /** The agreement has failed. */
        void disagrees(Failure cause);

        /** A bucket is in its memory, and its call begins. */
        void begins(int bucket, Tensor tensor);

        /** All calls have ended well, and none follows: the composite call is complete. */
        void completes();

        /** The composite call fails, since a bucket has. */
        void fails(int bucket);

        /** The subscriber has left the composite call. */
        void leaves();

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
    private final Map<Integer, Flight> underWay = new HashMap<>();
    private @Nullable Subscription source;
    private @Nullable StepProgress step;
    private @Nullable InFlightBuckets flights;
    private boolean opened;
    private boolean hasTurn;
    private boolean cancelled;
    private boolean stopped;
    private boolean closed;
    private boolean failed;
    private boolean completing;
    private boolean over;

    DrivenStep(DrivenBuckets buckets, Surroundings around, int worldRank) {
        this.buckets = buckets;
        this.around = around;
        this.borrowed = new BorrowedGradients(worldRank, new KeptGradients());
    }

    /** It is subscribed to. */
    public void begin() {
        buckets.turns().take(() -> {
            boolean isOpen = around.opens() && !cancelled;
            opened = true;
            if (cancelled) {
                around.leaves();
            }
            tell(() -> takeTurn(isOpen));
            if (isOpen) {
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
        boolean isToLeave = opened;
        tell(() -> {
            if (isToLeave) {
                around.leaves();
            }
            closed = true;
            stop();
        });
    }

    /** The backward pass hands a gradient over. */
    public void arrived(Gradient gradient) {
        tell(() -> {
            if (!stopped) {
                borrowed.take(gradient, step);
            }
        });
        demand.arrived();
    }

    /** The backward pass has ended. */
    public void noMoreCome() {
        tell(() -> {
            if (step != null) {
                step.noMoreCome();
            }
        });
    }

    /** A bucket's call has ended. */
    public void ended(int bucket, boolean isReduced) {
        tell(() -> landed(bucket, isReduced));
    }

    /** The composite call has failed elsewhere. */
    public void stopped() {
        tell(this::stop);
    }

    /** The composite call has ended, and nothing in it is under way. */
    public void ended(boolean hasFailed) {
        tell(() -> {
            closed = true;
            failed = hasFailed;
            stop();
        });
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

    private void takeTurn(boolean isOpen) {
        hasTurn = true;
        if (!isOpen || stopped) {
            stop();
            return;
        }
        step = buckets.progress();
        BucketPlan known = buckets.common().known();
        if (known == null) {
            around.asks();
        } else {
            around.needNotAsk();
            fly(known);
        }
    }

    /** All ranks agree. */
    public void agreed() {
        tell(() -> agreed(buckets::agree));
    }

    /** Another rank need not ask. */
    public void told() {
        tell(() -> agreed(buckets.common()::ofAll));
    }

    private void agreed(Supplier<BucketPlan> plan) {
        if (!stopped) {
            fly(plan.get());
        }
    }

    /** The agreement has failed. */
    public void disagreed(Failure cause) {
        tell(() -> {
            if (!stopped) {
                around.disagrees(cause);
                stop();
            }
        });
    }

    private void fly(BucketPlan plan) {
        flights = buckets.flights(Objects.requireNonNull(step), buckets.flights(plan), borrowed);
    }

    private void beginWhole() {
        Flight next = nextFlight();
        while (next != null) {
            underWay.put(next.bucket().index(), next);
            around.begins(next.bucket().index(), ((InFlightBucket) next).tensor());
            next = nextFlight();
        }
    }

    private @Nullable Flight nextFlight() {
        return flights == null ? null : flights.next(null);
    }

    private void landed(int bucket, boolean isReduced) {
        Flight flight = Objects.requireNonNull(underWay.remove(bucket));
        InFlightBuckets flying = Objects.requireNonNull(flights);
        if (isReduced) {
            flying.reduced(flight);
        }
        List<Gradient> results = flying.landed(flight, isReduced);
        around.landed(bucket);
        emit(results);
        if (isReduced) {
            buckets.common().reduced();
        } else if (!stopped) {
            around.fails(bucket);
            stop();
        }
    }

    private void emit(List<Gradient> results) {
        demand.handOut(results.size());
        results.forEach(around::emits);
    }

    private void stop() {
        stopped = true;
        if (source != null) {
            source.cancel();
        }
        if (flights != null) {
            flights.end();
        }
    }

    private void endIfOver() {
        boolean isFlown = flights == null || flights.areOver();
        if (!stopped && flights != null && isFlown && !completing) {
            completing = true;
            around.completes();
        }
        if (hasTurn && closed && isFlown) {
            over = true;
            borrowed.giveAllBack();
            if (failed && step != null) {
                emit(step.heldBack());
            }
            around.over(failed || cancelled);
            buckets.turns().over();
        }
    }
}
