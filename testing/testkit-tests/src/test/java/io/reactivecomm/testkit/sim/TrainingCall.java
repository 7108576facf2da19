package io.reactivecomm.testkit.sim;

import io.reactivecomm.Bits;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Engine;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.group.CallSubscription;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** One rank's call of one bucket, submitted the way the group does it, with the library's own subscription. */
final class TrainingCall implements CallSink {

    /** Under which the steps are counted. */
    static final String NAME = "gradients";

    private final SimulatedStep step;
    private final int bucket;
    private final AllReduce collective;
    private final CallSubscription subscription;
    private final ScribbledMemory.Region memory;
    private @Nullable Composite composite;
    private boolean isValid;
    private long submittedAt;
    private boolean ended;
    private boolean hasLanded;
    private boolean hasClosed;
    private @Nullable Failure failure;

    /** @param memory where the bucket is */
    TrainingCall(SimulatedStep step, int bucket, AllReduce collective, ScribbledMemory.Region memory) {
        this.step = step;
        this.bucket = bucket;
        this.collective = collective;
        this.memory = memory;
        this.subscription = new CallSubscription(new Landing(), step.rank().rank()::execute);
    }

    /** Ends the body of the bucket's composite call with it. */
    private final class Landing implements CoreSubscriber<Work> {

        @Override
        public void onSubscribe(Subscription ignored) {}

        @Override
        public void onNext(Work work) {}

        @Override
        public void onError(Throwable error) {
            hasLanded = true;
            later(() -> engine().failed(run(), Objects.requireNonNull(failure), now()));
        }

        @Override
        public void onComplete() {
            hasLanded = true;
            later(() -> engine().left(run(), null, now()));
        }

        private void later(Runnable event) {
            step.rank().execute(() -> step.rank().rank().event(event));
            endIfOver();
        }
    }

    /** Hears of the end of the bucket's composite call. */
    private final class Ends implements Composite.Sink {

        @Override
        public void left(@Nullable Failure cause) {}

        @Override
        public void stopped(Failure failure) {}

        @Override
        public void ended(@Nullable Failure failure) {
            hasClosed = true;
            endIfOver();
        }
    }

    /** What all ranks have begun counts, whatever becomes of the composite call. */
    private void endIfOver() {
        if (hasLanded && hasClosed) {
            step.ended(bucket, failure == null);
        }
    }

    private Composite run() {
        return Objects.requireNonNull(composite);
    }

    private Engine engine() {
        return step.rank().rank().engine();
    }

    private long now() {
        return step.rank().network().agenda().now();
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

    ScribbledMemory.Region memory() {
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

    void submit(int priority, Selection selection, VirtualNetwork network) {
        TrainingRank rank = step.rank();
        submittedAt = network.agenda().now();
        subscription.request(1);
        network.agenda().tell(rank.rank().rank(), () -> "submits " + this);
        long team = rank.team().id();
        CallKey.Ticket outer =
                new CallKey.Ticket(0, team, "", 1 + bucket, 1, step.composite().enclosure());
        Composite run = rank.composite(outer, step.composite(), "bucket " + bucket, new Ends());
        composite = run;
        CallKey.Ticket key = new CallKey.Ticket(0, team, "", 0, 1, run.enclosure());
        Submission submission = new Submission(
                rank.rank().membership(team).group(),
                run,
                new Submission.Address.Collectively(key),
                body(selection),
                submittedAt,
                step.part().timeoutNanos(),
                priority,
                "",
                null,
                this);
        rank.rank().event(() -> engine().begin(run, now()));
        rank.rank().event(() -> engine().submit(submission, now()));
    }

    private Submission.Body body(Selection selection) {
        TrainingRank rank = step.rank();
        try {
            subscription.borrow(collective.tensors(), collective.label());
        } catch (InvalidCallException e) {
            return new Submission.Body.Invalid(Failure.of(e, rank.rank().rank()));
        }
        isValid = true;
        Layout layout = Layout.apart(rank.team().size());
        return new Submission.Body.Valid(
                collective,
                selection
                        .algorithm(collective.signature(), layout, Bits.RANK_ORDER)
                        .schedule(Place.of(collective, rank.groupRank(), layout)),
                layout.size());
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
        step.rank().network().memory().keep(memory);
    }

    @Override
    public String toString() {
        return "bucket " + bucket + " of " + step;
    }
}
