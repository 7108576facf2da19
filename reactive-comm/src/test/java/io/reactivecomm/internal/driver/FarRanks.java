package io.reactivecomm.internal.driver;

import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.Traffic;
import io.reactivecomm.Work;
import io.reactivecomm.collective.AllReduce;
import io.reactivecomm.internal.engine.CallSink;
import io.reactivecomm.internal.engine.Engine;
import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.Place;
import io.reactivecomm.internal.schedule.Schedule;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.schedule.choice.Wish;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.FatalErrors;
import io.reactivecomm.spi.Loop;
import io.reactivecomm.spi.link.Frame;
import io.reactivecomm.spi.link.Link;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** Two ranks far from each other, as their driver sees them: engines, the gauges of their ways, and a time that only events move. One thread. */
final class FarRanks implements AutoCloseable {

    private static final int RANKS = 2;

    private final List<Rank> ranks = new ArrayList<>();
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
    private final VirtualLoop loop = new VirtualLoop();
    private final long delayNanos;
    private final double bytesPerNano;
    private long order;
    private long now;
    private int calls;
    private int unended;

    /** @param delayNanos each way */
    FarRanks(long delayNanos, double bytesPerNano) {
        this.delayNanos = delayNanos;
        this.bytesPerNano = bytesPerNano;
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(new Rank(rank));
        }
    }

    private record Task(long at, long order, Runnable action) {}

    /** One of them. */
    private final class Rank {

        private final FarLink link;
        private final Engine engine;
        private final GroupState group;
        private final LinkInput input;

        private Rank(int rank) {
            link = new FarLink(rank);
            engine = new Engine(rank, List.of(link), EngineLimits.DEFAULT, warning -> {});
            group = new GroupState(GroupState.WORLD, 0, List.of(0, 1), rank);
            Ways ways = new Ways(loop, List.of(link), EngineLimits.DEFAULT);
            engine.watchGrants(ways);
            engine.register(group);
            input = new LinkInput(engine, ways, loop, rank, 1, Observers.ofWorld(List.of()), this::event);
        }

        private void event(Runnable event) {
            event.run();
            engine.flush();
            while (engine.deliverSignal(now)) {
                engine.flush();
            }
        }

        private void allReduce(List<Tensor> bucket, String name) {
            AllReduce call = new AllReduce(bucket, bucket, ReduceOp.SUM);
            Layout apart = Layout.apart(RANKS);
            Selection selection = Selection.DEFAULT.within(EngineLimits.DEFAULT.eagerBytes());
            Schedule schedule =
                    selection.algorithm(call, apart, Wish.NONE).schedule(Place.of(call, group.rank(), apart));
            Submission.Address address = new Submission.Address.Collectively(new CallKey.Ticket(0, 0, name, 0, 1));
            Submission.Body body = new Submission.Body.Valid(call, schedule, RANKS);
            event(() -> engine.submit(
                    new Submission(group, address, body, now, TimeUnit.HOURS.toNanos(1), new End()), now));
        }
    }

    /** All-reduces the buckets of both ranks, all at once, in place. {@return how long it took, in nanoseconds} */
    long allReduce(List<List<Tensor>> here, List<List<Tensor>> there) {
        long start = now;
        for (int i = 0; i < here.size(); i++) {
            String name = "call " + calls++;
            unended += RANKS;
            ranks.getFirst().allReduce(here.get(i), name);
            ranks.getLast().allReduce(there.get(i), name);
        }
        while (unended > 0) {
            Task next = tasks.remove();
            now = next.at;
            next.action.run();
        }
        return now - start;
    }

    /** {@return the most bytes that were ever asked of the other rank at once} */
    long peakBytes() {
        return Math.max(
                ranks.getFirst().engine.peakBytesInFlight(1),
                ranks.getLast().engine.peakBytesInFlight(0));
    }

    @Override
    public void close() {
        ranks.forEach(rank -> rank.engine.close());
    }

    private void at(long time, Runnable action) {
        tasks.add(new Task(time, order++, action));
    }

    /** The end of a call, which is a good one. */
    private final class End implements CallSink {

        @Override
        public void succeeded(Work work) {
            unended--;
        }

        @Override
        public void failed(Failure failure) {
            throw new AssertionError("a call failed: " + failure.text());
        }
    }

    /** One direction: frames leave one after the other, at a rate, and arrive the delay later. */
    private final class FarLink implements Link {

        private final int rank;
        private final List<Frame> written = new ArrayList<>();
        private long freeAt;

        private FarLink(int rank) {
            this.rank = rank;
        }

        @Override
        public int peer() {
            return 1 - rank;
        }

        @Override
        public boolean isWritable() {
            return true;
        }

        @Override
        public boolean copiesEagerBytes() {
            return false;
        }

        @Override
        public void write(Frame frame) {
            written.add(frame);
        }

        @Override
        public void flush() {
            List<Frame> leaving = List.copyOf(written);
            written.clear();
            leaving.forEach(this::send);
        }

        private void send(Frame frame) {
            Rank other = ranks.get(peer());
            long begins = Math.max(now, freeAt);
            if (frame instanceof Frame.Data data) {
                MemorySegment copy = MemorySegment.ofArray(data.payload().toArray(ValueLayout.JAVA_BYTE));
                freeAt = begins + (long) (copy.byteSize() / bytesPerNano);
                at(freeAt, () -> ranks.get(rank).input.onWritten(this, data));
                at(freeAt + delayNanos, () -> other.input.onDataEnd(other.link, data.grant()));
                at(begins + delayNanos, () -> {
                    MemorySegment destination =
                            other.input.onDataStart(other.link, data.grant(), (int) copy.byteSize());
                    if (destination != null) {
                        destination.copyFrom(copy);
                    }
                });
            } else {
                at(begins + delayNanos, () -> other.input.onFrame(other.link, frame));
            }
        }

        @Override
        public void withdraw(Frame.Data frame) {}

        @Override
        public void drain(long grant) {}

        @Override
        public Traffic traffic() {
            return Traffic.NONE;
        }

        @Override
        public void close() {}
    }

    /** The clock of both. */
    private final class VirtualLoop implements Loop {

        @Override
        public boolean inLoop() {
            return true;
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            throw new AssertionError("nobody sets a timer here");
        }

        @Override
        public Thread thread() {
            return Thread.currentThread();
        }

        @Override
        public FatalErrors fatalErrors() {
            throw new AssertionError("nobody dies here");
        }

        @Override
        public void execute(Runnable task) {
            throw new AssertionError("nobody gives tasks here");
        }
    }
}
