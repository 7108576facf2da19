package io.reactivecomm.timeline;

import io.reactivecomm.observe.CallPhases;
import io.reactivecomm.observe.ObservedCall;
import java.util.OptionalLong;
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

    private final ObservedCall[] calls = IntStream.range(0, CALLS).mapToObj(Ended::new).toArray(ObservedCall[]::new);
    private final RecordRing ring = new RecordRing(Timeline.RECORDS);
    private final Recorder recorder = new Recorder(ring, new WriterThread(() -> {}, () -> false, () -> false), 1);
    private final TimelineObserver hearing = new TimelineObserver(recorder);

    /** A call whose phases are put together when they are asked for, as an engine's are. */
    private static final class Ended extends StubCall {

        private Ended(int number) {
            super(0, "#" + number, number);
        }

        @Override
        public CallPhases phases() {
            long begun = subscribedAt();
            return new CallPhases(OptionalLong.of(begun), OptionalLong.of(begun + 1), OptionalLong.of(begun + 2), OptionalLong.of(begun + 3));
        }

        @Override
        public OptionalLong payloadBytes() {
            return OptionalLong.of(subscribedAt());
        }
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
