package io.reactivecomm.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.DType;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.kernel.FoldKernel;
import io.reactivecomm.kernel.Kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Kernels that are kept from call to call. */
class FoldsTest {

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 6, 9);
    private final AtomicInteger made = new AtomicInteger();

    @AfterEach
    void free() {
        arena.close();
    }

    private FoldKernel make(DType type, Reduction reduction) {
        made.incrementAndGet();
        return Kernels.forLoop(type, reduction);
    }

    private float[] values() {
        return memory.toArray(ValueLayout.JAVA_FLOAT);
    }

    @Test
    void foldsOfOneKind_haveOneKernel() {
        Folds folds = new Folds(this::make);
        for (int i = 0; i < 1000; i++) {
            folds.fold(DType.FLOAT32, ReduceOp.AVG, memory, memory, i == 0 ? 3 : 1);
        }
        assertThat(values()).containsExactly(2, 3);
        assertThat(made).hasValue(1);
    }

    @Test
    void foldsOfEachKind_haveAKernelOfTheirOwn() {
        Folds folds = new Folds(this::make);
        for (int i = 0; i < 2; i++) {
            folds.fold(DType.FLOAT32, new PreMulSum(2), memory, memory, 1);
            folds.fold(DType.FLOAT32, new PreMulSum(0.25), memory, memory, 1);
            folds.fold(DType.FLOAT64, ReduceOp.MAX, memory, memory, 1);
        }
        assertThat(values()).containsExactly(1.5f, 2.25f);
        assertThat(made).hasValue(3);
    }

    /** A caller's factors may be new ones at every step: those used last are kept, and no more. */
    @Test
    void kindsBeyondMeasure_areForgotten_theOldestFirst() {
        Folds folds = new Folds(this::make);
        for (int i = 1; i <= 1000; i++) {
            folds.fold(DType.FLOAT32, ReduceOp.AVG, memory, memory, 1);
            folds.fold(DType.FLOAT32, new PreMulSum(i), memory, memory, 1);
        }
        assertThat(made).hasValue(1001);
        folds.fold(DType.FLOAT32, new PreMulSum(1000), memory, memory, 1);
        assertThat(made).hasValue(1001);
        folds.fold(DType.FLOAT32, new PreMulSum(1), memory, memory, 1);
        assertThat(made).hasValue(1002);
    }

    /** A kernel serves one thread at a time, and the loop waits for nobody. */
    @Test
    void foldDuringAnother_takesAnotherKernel() {
        Folds[] folds = new Folds[1];
        folds[0] = new Folds((type, reduction) -> {
            FoldKernel kernel = make(type, reduction);
            return made.get() > 1
                    ? kernel
                    : new Meanwhile(kernel, () -> folds[0].fold(DType.FLOAT32, ReduceOp.AVG, memory, memory, 3));
        });
        folds[0].fold(DType.FLOAT32, ReduceOp.AVG, memory, memory, 1);

        assertThat(values()).containsExactly(2, 3);
        assertThat(made).hasValue(2);
    }

    /** A kernel during whose fold something happens. */
    private record Meanwhile(FoldKernel kernel, Runnable event) implements FoldKernel {

        @Override
        public void fold(
                MemorySegment target,
                MemorySegment[] sources,
                boolean[] partial,
                int sourceCount,
                long count,
                int divisor) {
            event.run();
            kernel.fold(target, sources, partial, sourceCount, count, divisor);
        }

        @Override
        public void foldPartial(
                MemorySegment target, MemorySegment[] sources, boolean[] partial, int sourceCount, long count) {
            throw new AssertionError("nothing asks for partial results");
        }
    }

    @Test
    void foldThatThrows_leavesItsKernel() {
        Folds folds = new Folds(this::make);
        MemorySegment readOnly = memory.asReadOnly();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> folds.fold(DType.FLOAT32, ReduceOp.AVG, readOnly, memory, 1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        folds.fold(DType.FLOAT32, ReduceOp.AVG, memory, memory, 3);

        assertThat(values()).containsExactly(2, 3);
        assertThat(made).hasValue(1);
    }
}
