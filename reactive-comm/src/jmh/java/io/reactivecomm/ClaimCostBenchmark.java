package io.reactivecomm;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The cost of a claim from beginning to end: for a tensor that no other call uses, and for one of {@value #SLICES} slices in flight. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "-Xmx1g"})
public class ClaimCostBenchmark {

    static final int SLICES = 1_000;

    private static final int ELEMENTS = 256;
    private static final int STRIDE = 389;

    private Tensor whole;
    private Claim alone;
    private Claim[] slices;
    private int next;

    /** A call that writes one tensor. */
    private static final class Claim extends TensorClaim {

        private final List<Tensor> tensors;

        Claim(Tensor tensor) {
            tensors = List.of(tensor);
        }

        void begin() {
            claim(tensors, tensors);
        }

        void end() {
            unclaim();
        }

        @Override
        protected String operation() {
            return "all-reduce";
        }

        @Override
        protected String label() {
            return "#0";
        }

        @Override
        protected boolean mayShareWith(TensorClaim earlier) {
            return false;
        }
    }

    @Setup
    public void open() {
        whole = Tensor.allocate(DType.FLOAT32, (long) SLICES * ELEMENTS);
        alone = new Claim(Tensor.allocate(DType.FLOAT32, ELEMENTS));
        slices = new Claim[SLICES];
        for (int i = 0; i < SLICES; i++) {
            slices[i] = new Claim(whole.slice((long) i * ELEMENTS, ELEMENTS));
            slices[i].begin();
        }
    }

    @TearDown
    public void close() {
        whole.close();
        alone.tensors.getFirst().close();
    }

    @Benchmark
    public void tensorAlone() {
        alone.begin();
        alone.end();
    }

    /** One slice ends and begins again while all others are in flight. */
    @Benchmark
    public void oneOfManySlices() {
        next = (next + STRIDE) % SLICES;
        slices[next].end();
        slices[next].begin();
    }
}
