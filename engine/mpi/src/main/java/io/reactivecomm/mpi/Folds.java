package io.reactivecomm.mpi;

import io.reactivecomm.DType;
import io.reactivecomm.Reduction;
import io.reactivecomm.kernel.FoldKernel;
import io.reactivecomm.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The kernels with which a rank folds what MPI leaves to it, kept from call to call: a new one takes as long as a small call, and tens of kilobytes.
 *
 * <p>A kernel that is at work is not among them: whoever comes meanwhile, as the loop while the {@link Worker} divides a large sum, takes another.
 *
 * <p><b>Threads.</b> Any.
 */
final class Folds {

    /** Averages, truth values, and a few factors of PREMUL_SUM, which may be new ones at every step. */
    private static final int MOST_KEPT = 16;

    private final BiFunction<DType, Reduction, FoldKernel> making;

    /** Those at rest, of each kind one, the one used last at the end; guarded by this. */
    private final Map<Kind, FoldKernel> kept = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Kind, FoldKernel> eldest) {
            return size() > MOST_KEPT;
        }
    };

    private record Kind(DType type, Reduction reduction) {

        /* By hand, as in {@link io.reactivecomm.collective.Signature}. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Kind kind && kind.type == type && kind.reduction.equals(reduction);
        }

        @Override
        public int hashCode() {
            return 31 * type.ordinal() + reduction.hashCode();
        }
    }

    Folds() {
        this(Kernels::forLoop);
    }

    /** @param making makes a kernel that none is kept of */
    Folds(BiFunction<DType, Reduction, FoldKernel> making) {
        this.making = making;
    }

    /**
     * Folds elements of one rank.
     *
     * @param to where the results go, which may be where the elements are
     * @param divisor for AVG; otherwise ignored
     */
    void fold(DType type, Reduction reduction, MemorySegment to, MemorySegment from, int divisor) {
        Kind kind = new Kind(type, reduction);
        FoldKernel kernel = take(kind);
        try {
            kernel.fold(to, new MemorySegment[] {from}, new boolean[1], 1, from.byteSize() / type.byteSize(), divisor);
        } finally {
            giveBack(kind, kernel);
        }
    }

    private FoldKernel take(Kind kind) {
        FoldKernel known;
        synchronized (this) {
            known = kept.remove(kind);
        }
        return known != null ? known : making.apply(kind.type, kind.reduction);
    }

    private synchronized void giveBack(Kind kind, FoldKernel kernel) {
        kept.put(kind, kernel);
    }
}
