package io.reactivecomm.rcomm.perf;

import io.reactivecomm.DType;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The choice of what to measure, and how often.
 *
 * @param op the operation
 * @param sizes in bytes, as nccl-tests counts them, or empty for the usual ones; not for barriers and lists
 * @param counts elements of each tensor, for {@code list} and {@code coalesced}
 * @param type of the elements
 * @param algorithm which one the calls are to run, or empty
 * @param timing how often and how long
 */
record PerfOptions(PerfOp op, List<Long> sizes, List<Long> counts, DType type, String algorithm, Timing timing) {

    /**
     * The number and the length of measurements.
     *
     * @param batches how many means to take the median of
     * @param batchTime about how long the rounds of one batch take together
     * @param warmUp how long each case runs before it is measured
     * @param busy how many busy processes run from the end of the warm-up on
     * @param isCold whether the first case shows its first calls, in place of a warm-up of the same length
     */
    record Timing(int batches, Duration batchTime, Duration warmUp, int busy, boolean isCold) {

        Timing {
            if (batches < 1) {
                throw new IllegalArgumentException(
                        "number of batches is not positive: batches=" + batches + "; measure at least one");
            }
            if (batchTime.isNegative() || batchTime.isZero()) {
                throw new IllegalArgumentException(
                        "time of a batch is not positive: batchTime=" + batchTime + "; 250 ms is usual");
            }
            if (warmUp.isNegative()) {
                throw new IllegalArgumentException(
                        "time of the warm-up is negative: warmUp=" + warmUp + "; 5 s is usual");
            }
            if (busy < 0) {
                throw new IllegalArgumentException(
                        "number of busy processes is negative: busy=" + busy + "; 0 means none");
            }
        }
    }

    PerfOptions {
        sizes = List.copyOf(sizes);
        counts = List.copyOf(counts);
        if (sizes.stream().anyMatch(size -> size < 0)) {
            throw new IllegalArgumentException("a size is negative: bytes=" + sizes + "; give bytes from 0 on");
        }
        if (!op.supports(type)) {
            throw new IllegalArgumentException("elements cannot be summed: op=" + op + ", dtype=" + nameOf(type)
                    + "; choose a number type, such as float32");
        }
        if (op.isOfList() && type != DType.FLOAT32) {
            throw new IllegalArgumentException(
                    "the tensors of a list are float32: dtype=" + nameOf(type) + "; leave out --dtype");
        }
        if (op.isOfList() == counts.isEmpty()) {
            throw new IllegalArgumentException("--file and the operations list and coalesced go together: op=" + op
                    + "; write `rcomm perf list --file COUNTS.txt`");
        }
    }

    /** {@return the sizes to measure; what has no size is measured once} */
    List<Long> sizesToMeasure() {
        if (op.isBarrier() || op.isOfList()) {
            return List.of(0L);
        }
        return sizes.isEmpty() ? PerfOp.USUAL_SIZES : sizes;
    }

    /** {@return the type's name as the user writes it} */
    static String nameOf(DType type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    String typeName() {
        return nameOf(type);
    }
}
