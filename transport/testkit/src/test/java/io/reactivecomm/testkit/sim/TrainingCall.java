package io.reactivecomm.testkit.sim;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.group.CallSubscription;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Selection;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** One rank's call of one bucket, submitted the way the group does it, with the library's own subscription. */
final class TrainingCall implements CallSink {

    /** Under which the calls of buckets are counted. */
    private static final String NAME = "gradients";

    private final SimulatedStep step;
    private final int bucket;
    private final AllReduce collective;
    private final CallSubscription subscription;
    private final ScribbledMemory.@Nullable Region memory;
    private boolean isValid;
    private long submittedAt;
    private boolean ended;
    private @Nullable Failure failure;

    /** @param memory where the bucket is; null if the call is refused */
    TrainingCall(SimulatedStep step, int bucket, AllReduce collective, ScribbledMemory.@Nullable Region memory) {
        this.step = step;
        this.bucket = bucket;
        this.collective = collective;
        this.memory = memory;
        this.subscription = new CallSubscription(new Landing(), step.rank().rank()::execute);
    }

    /** Tells the step of the end; the end of a call that was refused is told to nobody. */
    private final class Landing implements CoreSubscriber<Work> {

        @Override
        public void onSubscribe(Subscription ignored) {}

        @Override
        public void onNext(Work work) {}

        @Override
        public void onError(Throwable error) {
            if (memory != null) {
                step.ended(bucket, false);
            }
        }

        @Override
        public void onComplete() {
            step.ended(bucket, true);
        }
    }

    SimulatedStep step() {
        return step;
    }

    int bucket() {
        return bucket;
    }

    Tensor tensor() {
        return collective.inputs().getFirst();
    }

    ScribbledMemory.@Nullable Region memory() {
        return memory;
    }

    /** {@return whether the call passed its checks} */
    boolean isValid() {
        return isValid;
    }

    boolean hasEnded() {
        return ended;
    }

    @Nullable Failure failure() {
        return failure;
    }

    long submittedAt() {
        return submittedAt;
    }

    /** @param ticket the place that the call got when it was assembled */
    void submit(long ticket, int priority, Selection selection, VirtualNetwork network) {
        TrainingRank rank = step.rank();
        submittedAt = network.agenda().now();
        subscription.request(1);
        network.agenda().tell(rank.rank().rank(), () -> "submits " + this);
        SimulatedGroup team = rank.team();
        CallKey.Ticket key = new CallKey.Ticket(0, team.id(), NAME, ticket, 1);
        Submission submission = new Submission(rank.rank().membership(team.id()).group(), null, new Submission.Address.Collectively(key),
                body(selection), submittedAt, step.part().timeoutNanos(), priority, "", null, this);
        rank.rank().event(() -> rank.rank().engine().submit(submission, network.agenda().now()));
    }

    private Submission.Body body(Selection selection) {
        TrainingRank rank = step.rank();
        try {
            subscription.borrow(collective.tensors(), collective.label());
        } catch (InvalidCallException e) {
            return new Submission.Body.Invalid(Failure.of(e, rank.rank().rank()));
        }
        isValid = true;
        int size = rank.team().size();
        return new Submission.Body.Valid(
                collective, selection.algorithm(collective.signature(), size).schedule(Place.of(collective, rank.groupRank(), size)), size);
    }

    @Override
    public void succeeded(Work work) {
        step.rank().judge().succeeded(this);
        end();
        subscription.succeeded(work);
    }

    @Override
    public void failed(Failure cause) {
        step.rank().judge().failed(this, cause);
        failure = cause;
        end();
        subscription.failed(cause);
    }

    private void end() {
        ended = true;
        if (memory != null) {
            step.rank().network().memory().keep(memory);
        }
    }

    @Override
    public String toString() {
        return "bucket " + bucket + " of " + step + (memory == null ? ", refused" : "");
    }
}
