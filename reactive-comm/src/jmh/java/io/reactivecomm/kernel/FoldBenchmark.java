package io.reactivecomm.kernel;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The time of a fold, and of the same loop in C ({@code folds.c}, compiled when the benchmark starts; without a compiler its rows fail and
 * say so). All of it takes hours: choose with {@code -p}. {@link FoldTable} gives the whole in minutes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "--add-modules", "jdk.incubator.vector"})
public class FoldBenchmark {

    /** Type and operation. */
    @Param({
        "FLOAT32 SUM", "FLOAT32 PRODUCT", "FLOAT32 MIN", "FLOAT32 MAX", "FLOAT32 AVG",
        "FLOAT64 SUM", "FLOAT64 PRODUCT", "FLOAT64 MIN", "FLOAT64 MAX", "FLOAT64 AVG",
        "INT32 SUM", "INT32 PRODUCT", "INT32 MIN", "INT32 MAX", "INT32 BAND", "INT32 BOR", "INT32 BXOR",
        "INT64 SUM", "INT64 PRODUCT", "INT64 MIN", "INT64 MAX", "INT64 BAND", "INT64 BOR", "INT64 BXOR",
        "BFLOAT16 SUM", "BFLOAT16 PRODUCT", "BFLOAT16 MIN", "BFLOAT16 MAX", "BFLOAT16 AVG",
        "FLOAT16 SUM", "FLOAT16 PRODUCT", "FLOAT16 MIN", "FLOAT16 MAX", "FLOAT16 AVG"
    })
    public String fold = "FLOAT32 SUM";

    @Param({"1048576", "67108864"})
    public long bytes;

    @Param({"2", "4"})
    public int operands;

    private Arena arena;
    private DType type;
    private ReduceOp op;
    private FoldKernel kernel;
    private MemorySegment target;
    private MemorySegment[] sources;
    private boolean[] partial;
    private long count;

    @Setup
    public void fill() {
        String[] typeAndOp = fold.split(" ");
        type = DType.valueOf(typeAndOp[0]);
        op = ReduceOp.valueOf(typeAndOp[1]);
        kernel = Kernels.of(type, op);
        arena = Arena.ofShared();
        FoldOperands memory = new FoldOperands(arena, bytes);
        memory.fill(type);
        target = memory.target(bytes);
        sources = memory.first(operands, bytes);
        partial = new boolean[operands];
        count = bytes / type.byteSize();
    }

    @TearDown
    public void free() {
        arena.close();
    }

    /** The loop in C, which only its own rows need. */
    @State(Scope.Benchmark)
    public static class InC {

        private CompiledFolds.Loop loop;

        @Setup
        public void compile(FoldBenchmark row) throws InterruptedException {
            loop = CompiledFolds.compiled(row.arena)
                    .flatMap(loops -> loops.loop(row.type, row.op, row.operands))
                    .orElseThrow(() -> new IllegalStateException("no loop in C for " + row.fold));
        }
    }

    @Benchmark
    public void java() {
        kernel.fold(target, sources, partial, operands, count, operands);
    }

    @Benchmark
    public void c(InC c) throws Throwable {
        c.loop.fold(target, sources, count, operands);
    }
}
