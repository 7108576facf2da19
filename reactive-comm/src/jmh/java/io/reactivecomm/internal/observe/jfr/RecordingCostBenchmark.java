package io.reactivecomm.internal.observe.jfr;

import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import reactor.core.publisher.Flux;

/**
 * The cost of the JDK's flight recorder: of the question that each call asks, whether a recording wants it, and of small calls of all ranks of a world of
 * two, {@value #CALLS} one after the other.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules", "jdk.incubator.vector", "-Xmx1g"})
public class RecordingCostBenchmark {

    static final int CALLS = 200;

    private static final List<String> EVENTS = List.of("Call", "CallPhase", "CallFailed", "PeerLost", "Stall", "GroupFailed");

    /** Never: no recording has ever run. Over: one has run and ended. Other: one runs that wants none of the library's events. */
    @Param({"never", "over", "other", "on"})
    public String recording = "never";

    private Recording running;
    private LocalWorld world;
    private final List<Tensor> tensors = new ArrayList<>();

    @Setup
    public void open() {
        world = ReactiveComm.local(2);
        world.groups().forEach(group -> tensors.add(Tensor.allocate(DType.FLOAT32, 1)));
        allReduce();
        if (recording.equals("never")) {
            if (FlightRecorder.isInitialized()) {
                throw new IllegalStateException("calls have woken the flight recorder");
            }
            return;
        }
        running = new Recording();
        running.setMaxSize(64L << 20);
        EVENTS.forEach(event -> {
            if (recording.equals("on")) {
                running.enable("io.reactivecomm." + event);
            } else {
                running.disable("io.reactivecomm." + event);
            }
        });
        running.start();
        if (recording.equals("over")) {
            running.close();
        }
    }

    @TearDown
    public void close() {
        world.close();
        tensors.forEach(Tensor::close);
        if (running != null) {
            running.close();
        }
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public void allReduce() {
        Flux.fromIterable(world.groups())
                .flatMap(group -> group.allReduce(tensors.get(group.rank()), ReduceOp.SUM).repeat(CALLS - 1L))
                .blockLast();
    }

    @Benchmark
    public boolean question() {
        return Recordings.areOfCalls();
    }
}
