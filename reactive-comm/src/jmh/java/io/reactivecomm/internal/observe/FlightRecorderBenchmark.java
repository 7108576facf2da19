package io.reactivecomm.internal.observe;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.collective.Signature;
import io.reactivecomm.spi.CallKey;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The cost of recording one call: all that is written for a call that has ended. Nothing is written for calls under way. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
public class FlightRecorderBenchmark {

    private static final int CALLS = 4096;
    private static final Signature SIGNATURE = new Signature(Operation.ALL_REDUCE, DType.FLOAT32, 1000, Signature.NO_ROOT, ReduceOp.SUM);

    private final CallKey[] keys = IntStream.range(0, CALLS)
            .mapToObj(i -> new CallKey.Ticket(0, 0, "layer" + i % 64, i / 64, 1))
            .toArray(CallKey[]::new);
    private final FlightRecorder recorder = new FlightRecorder();
    private int next;

    @Benchmark
    public RecordedCall endedCall() {
        int call = next++ & CALLS - 1;
        return recorder.ended(keys[call], SIGNATURE, null, "ring", null).lasted(call, call + 1).by("links", "");
    }
}
