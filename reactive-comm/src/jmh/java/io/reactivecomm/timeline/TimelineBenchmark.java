package io.reactivecomm.timeline;

import io.reactivecomm.internal.engine.GroupState;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.internal.observe.Observers;
import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.spi.CallKey;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of recording one call of two ranks, from its subscription to its end, on the threads that make it; what an engine needs to tell of a call
 * is not part of it, and neither is the writing. So many calls are recorded as the ring has room for, which is emptied in between.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
public class TimelineBenchmark {

    /** Of three records each, and half of the ring is for beginnings. */
    private static final int CALLS = Timeline.RECORDS / 8;

    private final ObservedCall[] calls = IntStream.range(0, CALLS).mapToObj(TimelineBenchmark::call).toArray(ObservedCall[]::new);
    private final RecordRing ring = new RecordRing(Timeline.RECORDS);
    private final Recorder recorder = new Recorder(ring, new WriterThread(() -> {}, () -> false, () -> false), 1);
    private final TimelineObserver hearing = new TimelineObserver(recorder);

    private static Observation call(int number) {
        GroupState group = new GroupState(GroupState.WORLD, 0, List.of(0, 1), 0);
        Observation.What what = new Observation.What("all-reduce", null, 1024, "ring", "links");
        CallKey key = new CallKey.Ticket(0, GroupState.WORLD, "", number, 1);
        Observation call =
                new Observation(Observers.none(), System::nanoTime, group.forEngines(), key, 1, what, true, number);
        call.begun();
        call.matched(1, number);
        call.moved(number, number);
        call.over(System.nanoTime());
        return call;
    }

    @Setup(Level.Invocation)
    public void empty() {
        ring.drain(_ -> {});
    }

    /** Another thread empties the ring as a rule; this one has what it wrote last in its own core's caches. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public long wholeCall() {
        for (ObservedCall call : calls) {
            recorder.begun(call, hearing);
            recorder.matched(call, 1);
            recorder.ended(call, hearing, null, 100);
        }
        return recorder.leftOut();
    }

    @TearDown
    public void requireAllRecorded() {
        if (recorder.leftOut() > 0) {
            throw new IllegalStateException("not all was recorded: leftOut=" + recorder.leftOut());
        }
    }
}
