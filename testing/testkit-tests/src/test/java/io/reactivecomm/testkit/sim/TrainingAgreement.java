package io.reactivecomm.testkit.sim;

import io.reactivecomm.Bits;
import io.reactivecomm.DType;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Composite;
import io.reactivecomm.internal.engine.Engine;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One rank's composite call in which ranks agree on their plan: an all-gather, or nothing if the rank need not ask. */
final class TrainingAgreement implements CallSink {

    private static final int DIGEST_BYTES = 8;

    private final SimulatedStep step;
    private final Composite run;
    private final boolean asks;
    private final List<ScribbledMemory.Region> memory;

    TrainingAgreement(SimulatedStep step, boolean asks) {
        this.step = step;
        this.asks = asks;
        CallKey.Ticket key = new CallKey.Ticket(
                0, rank().team().id(), "", 0, 1, step.composite().enclosure());
        this.run = rank().composite(key, step.composite(), "agreement on gradients", new Ends());
        ScribbledMemory of = rank().network().memory();
        this.memory = !asks
                ? List.of()
                : List.of(
                        of.allocate(DIGEST_BYTES, 0, "digest of " + step),
                        of.allocate((long) DIGEST_BYTES * rank().team().size(), 0, "digests of " + step));
    }

    private TrainingRank rank() {
        return step.rank();
    }

    private Engine engine() {
        return rank().rank().engine();
    }

    private long now() {
        return rank().network().agenda().now();
    }

    void begin(Selection selection) {
        rank().rank().event(() -> engine().begin(run, now()));
        if (asks) {
            rank().rank().event(() -> engine().submit(question(selection), now()));
        } else {
            rank().rank().event(() -> engine().left(run, null, now()));
        }
    }

    private Submission question(Selection selection) {
        long team = rank().team().id();
        Layout layout = Layout.apart(rank().team().size());
        AllGather collective = new AllGather(tensor(0), tensor(1));
        Submission.Body body = new Submission.Body.Valid(
                collective,
                selection
                        .algorithm(collective.signature(), layout, Bits.RANK_ORDER)
                        .schedule(Place.of(collective, rank().groupRank(), layout)),
                layout.size());
        CallKey.Ticket key = new CallKey.Ticket(0, team, "", 0, 1, run.enclosure());
        return new Submission(
                rank().rank().membership(team).group(),
                run,
                new Submission.Address.Collectively(key),
                body,
                now(),
                step.part().timeoutNanos(),
                0,
                "",
                null,
                this);
    }

    private Tensor tensor(int index) {
        ScribbledMemory.Region region = memory.get(index);
        return Tensor.wrap(region.memory(), DType.UINT8, region.memory().byteSize());
    }

    /** The listener to the end of the composite call. */
    private final class Ends implements Composite.Sink {

        @Override
        public void left(@Nullable Failure cause) {}

        @Override
        public void stopped(Failure failure) {}

        @Override
        public void ended(@Nullable Failure failure) {
            if (asks) {
                step.answered(failure);
            }
        }
    }

    @Override
    public void succeeded(Work work) {
        end();
        rank().execute(() -> rank().rank().event(() -> engine().left(run, null, now())));
    }

    @Override
    public void failed(Failure failure) {
        end();
        rank().execute(() -> rank().rank().event(() -> engine().failed(run, failure, now())));
    }

    private void end() {
        memory.forEach(rank().network().memory()::release);
    }
}
