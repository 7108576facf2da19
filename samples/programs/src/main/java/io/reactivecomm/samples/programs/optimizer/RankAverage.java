package io.reactivecomm.samples.programs.optimizer;

import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.compression.reduce.Compressed;
import io.reactivecomm.compression.reduce.CompressedAllReduce;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The averages over ranks that optimizers ask for: exact ones, and compressed ones with error feedback.
 *
 * <p>A compressed average is a named call by itself, not a bucket of gradients: a momentum is whole only when the backward pass has ended, so there is
 * nothing to overlap with, and a step may need two averages, or none.
 *
 * <p><b>Alone.</b> A rank without others has nobody to save bytes for: its averages are what they are given, without loss. It may be told to compress all the
 * same, to see what that does.
 *
 * <p><b>Buffers.</b> One tensor, in which one average at a time travels. Closing frees it, not the compression.
 *
 * <p><b>Threads.</b> Results come on the compute thread.
 */
public final class RankAverage implements AutoCloseable {

    /** The name of all compressed averages, and so of a mask for them. */
    public static final String COMPRESSED = "momentum";

    private static final String EXACT = "gradient";

    private final ProcessGroup group;
    private final Scheduler compute;
    private final CompressedAllReduce compression;
    private final Tensor travelling;
    private final boolean isAlone;

    /**
     * Makes room for averages.
     *
     * @param count the elements of each
     * @param compression of those that are compressed, and its state
     * @param compressesAlone whether a rank without others compresses, too
     */
    public RankAverage(
            ProcessGroup group,
            Scheduler compute,
            int count,
            CompressedAllReduce compression,
            boolean compressesAlone) {
        this.group = group;
        this.compute = compute;
        this.compression = compression;
        this.travelling = group.allocate(DType.FLOAT32, count);
        this.isAlone = group.size() == 1 && !compressesAlone;
    }

    /**
     * {@return how many averages of a name are exact before compression begins, at least one}
     *
     * @throws IllegalArgumentException if compression begins at once: an optimizer that divides by the variance of its warm-up has none then
     */
    long requireWarmUpSteps() {
        long steps = compression.options().warmUpSteps();
        if (steps < 1) {
            throw new IllegalArgumentException(
                    "no warm-up, but its variance is what later steps are divided by: warmUpSteps=0; give the compression some, withWarmUp");
        }
        return steps;
    }

    /**
     * An optimizer begins, with a momentum of zeros.
     *
     * @throws IllegalArgumentException if the compression's state is that of another momentum: it would go on where the other was, with its errors and beyond its warm-up
     */
    void requireFirstStep() {
        long step = compression.state().step(COMPRESSED);
        if (step != 0) {
            throw new IllegalArgumentException(
                    "an optimizer begins with the state of another: name=" + COMPRESSED + ", step=" + step
                            + "; reset the compression's state on all ranks, or give the optimizer a compression of its own");
        }
    }

    /**
     * Replaces values by their exact average. If that fails they stay.
     *
     * @param taken what a finite average is for
     * @return whether the average is finite, the same on all ranks
     */
    Mono<Boolean> exact(float[] values, Runnable taken) {
        return through(
                values,
                tensor -> group.named(EXACT).allReduce(tensor, ReduceOp.AVG).thenReturn(true),
                taken);
    }

    /** As {@link #exact}, with the average as the codec has it, or the exact one in the compression's warm-up. */
    Mono<Boolean> compressed(float[] values, Runnable taken) {
        return through(
                values,
                tensor -> compression
                        .allReduce(group.named(COMPRESSED), COMPRESSED, tensor, ReduceOp.AVG)
                        .map(Compressed::isFinite),
                taken);
    }

    private Mono<Boolean> through(float[] values, Function<Tensor, Mono<Boolean>> call, Runnable taken) {
        if (isAlone) {
            return Mono.fromSupplier(() -> isTaken(areFinite(values), taken));
        }
        return Mono.defer(() -> {
                    MemorySegment.copy(values, 0, travelling.segment(), ValueLayout.JAVA_FLOAT, 0, values.length);
                    return call.apply(travelling);
                })
                .publishOn(compute)
                .map(isFinite -> {
                    MemorySegment.copy(travelling.segment(), ValueLayout.JAVA_FLOAT, 0, values, 0, values.length);
                    return isTaken(isFinite && areFinite(values), taken);
                });
    }

    private static boolean isTaken(boolean isFinite, Runnable taken) {
        if (isFinite) {
            taken.run();
        }
        return isFinite;
    }

    private static boolean areFinite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        travelling.close();
    }
}
