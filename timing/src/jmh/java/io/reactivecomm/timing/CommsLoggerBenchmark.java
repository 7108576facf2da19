package io.reactivecomm.timing;

import io.reactivecomm.observe.ObservedCall;
import io.reactivecomm.testkit.StubCall;
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

/** The cost of recording one call that has ended, with calls of 64 kinds in turn; what an engine needs to tell of a call is not part of it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
public class CommsLoggerBenchmark {

    private static final int KINDS = 64;

    private final ObservedCall[] calls =
            IntStream.range(0, KINDS).mapToObj(CommsLoggerBenchmark::call).toArray(ObservedCall[]::new);
    private final CommsLogger all = CommsLogger.of(CommsLoggerOptions.DEFAULT);
    private final CommsLogger filtered = CommsLogger.of(CommsLoggerOptions.parse("debug;ops=all-reduce,all-gather;names=layer*"));
    private int next;

    private static ObservedCall call(int i) {
        return StubCall.of(i % 2 == 0 ? "all-reduce" : "all-gather", 1024L * i, 8).named("layer" + i);
    }

    @Benchmark
    public void everyCall() {
        record(all);
    }

    /** By operation and name, and told apart by name. */
    @Benchmark
    public void filteredCalls() {
        record(filtered);
    }

    private void record(CommsLogger logger) {
        next++;
        logger.ended(calls[next & KINDS - 1], null, 1000L * (next & 1023));
    }
}
