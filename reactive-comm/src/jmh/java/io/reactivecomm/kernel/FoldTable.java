package io.reactivecomm.kernel;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Prints how long the folds take beside the same loops in C, row by row, in a few minutes.
 *
 * <p>Rounds of both alternate on the same memory, times are of the thread on its core, and a row's ratio is the median of its rounds' ratios,
 * so that what else the machine does meets both. All rows share a JVM, as folds of a program do. Arguments: the types, separated by commas, then the operations; all if left
 * out.
 *
 * <p>JMH, with {@link FoldBenchmark}, measures a row more carefully and the whole table in hours.
 */
final class FoldTable {

    private static final DType[] TYPES = {DType.FLOAT32, DType.FLOAT64, DType.INT32, DType.INT64, DType.BFLOAT16, DType.FLOAT16};
    private static final long[] SIZES = {1 << 20, 64 << 20};
    private static final int[] OPERAND_COUNTS = {2, 4};

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final int ROUNDS = 21;

    /** A round of small folds repeats them up to this many bytes of one operand, a few milliseconds. */
    private static final long ROUND_BYTES = 8 << 20;

    private static final long WARM_UP_BYTES = 1 << 20;
    private static final long WARM_UP_NANOS = 600_000_000;

    private final FoldOperands memory;
    private final Optional<CompiledFolds> compiled;

    private FoldTable(FoldOperands memory, Optional<CompiledFolds> compiled) {
        this.memory = memory;
        this.compiled = compiled;
    }

    public static void main(String[] arguments) throws Throwable {
        DType[] types = arguments.length < 1 ? TYPES : Arrays.stream(arguments[0].split(",")).map(DType::valueOf).toArray(DType[]::new);
        List<ReduceOp> ops = arguments.length < 2
                ? List.of(ReduceOp.values())
                : Arrays.stream(arguments[1].split(",")).map(ReduceOp::valueOf).toList();
        try (Arena arena = Arena.ofShared()) {
            var memory = new FoldOperands(arena, Arrays.stream(SIZES).max().orElseThrow());
            var table = new FoldTable(memory, CompiledFolds.compiled(arena));
            System.out.printf("%s%n%-9s %-8s %8s %8s %12s %12s %7s%n", Kernels.describe(), "type", "op", "MiB", "operands", "Java, µs", "C, µs", "C/Java");
            for (DType type : types) {
                memory.fill(type);
                for (ReduceOp op : ops) {
                    table.rows(type, op);
                }
            }
        }
    }

    private void rows(DType type, ReduceOp op) throws Throwable {
        if (!op.supports(type)) {
            return;
        }
        for (int operandCount : OPERAND_COUNTS) {
            FoldKernel kernel = Kernels.of(type, op);
            boolean[] partial = new boolean[operandCount];
            CompiledFolds.Loop java = (target, operands, count, divisor) ->
                    kernel.fold(target, operands, partial, operands.length, count, divisor);
            Optional<CompiledFolds.Loop> c = compiled.flatMap(loops -> loops.loop(type, op, operandCount));
            warmUp(java, type, operandCount);
            for (long bytes : SIZES) {
                row(type, op, bytes, operandCount, java, c);
            }
        }
    }

    private void warmUp(CompiledFolds.Loop java, DType type, int operandCount) throws Throwable {
        for (long nanos = 0; nanos < WARM_UP_NANOS; ) {
            nanos += (long) nanosOf(java, type, WARM_UP_BYTES, operandCount) * (ROUND_BYTES / WARM_UP_BYTES);
        }
    }

    private void row(DType type, ReduceOp op, long bytes, int operandCount, CompiledFolds.Loop java, Optional<CompiledFolds.Loop> c)
            throws Throwable {
        double[] javaMicros = new double[ROUNDS];
        double[] cMicros = new double[ROUNDS];
        double[] ratios = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            javaMicros[round] = nanosOf(java, type, bytes, operandCount) / 1e3;
            cMicros[round] = c.isPresent() ? nanosOf(c.get(), type, bytes, operandCount) / 1e3 : 0;
            ratios[round] = cMicros[round] / javaMicros[round];
        }
        System.out.printf("%-9s %-8s %8d %8d %12.1f", type, op, bytes >> 20, operandCount, median(javaMicros));
        System.out.println(c.isPresent() ? String.format(" %12.1f %7.2f", median(cMicros), median(ratios)) : "            -       -");
    }

    private double nanosOf(CompiledFolds.Loop loop, DType type, long bytes, int operandCount) throws Throwable {
        MemorySegment target = memory.target(bytes);
        MemorySegment[] operands = memory.first(operandCount, bytes);
        long count = bytes / type.byteSize();
        long times = Math.max(1, ROUND_BYTES / bytes);
        long begin = THREADS.getCurrentThreadCpuTime();
        for (long i = 0; i < times; i++) {
            loop.fold(target, operands, count, operandCount);
        }
        return (double) (THREADS.getCurrentThreadCpuTime() - begin) / times;
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
