package io.reactivecomm.samples.perf;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.samples.world.Names;

/**
 * What {@code rcomm perf} measures, with nccl-tests' factor from algorithm bandwidth to bus bandwidth.
 *
 * <p>The bus bandwidth is what each rank's link must carry at least, so that it can be compared with the hardware's whatever the number of
 * ranks.
 *
 * <p><b>Source.</b> NVIDIA, nccl-tests, doc/PERFORMANCE.md.
 */
enum PerfOp {
    ALL_REDUCE(true) {
        @Override
        double busFactor(int ranks) {
            return 2.0 * (ranks - 1) / ranks;
        }
    },
    REDUCE(true),
    BROADCAST(false),
    ALL_GATHER(false) {
        @Override
        double busFactor(int ranks) {
            return (ranks - 1.0) / ranks;
        }
    },
    REDUCE_SCATTER(true) {
        @Override
        double busFactor(int ranks) {
            return (ranks - 1.0) / ranks;
        }
    },
    BARRIER(false),
    /** All-reduces of many tensors, all in flight at once. */
    LIST(true) {
        @Override
        double busFactor(int ranks) {
            return ALL_REDUCE.busFactor(ranks);
        }
    };

    private final boolean reduces;

    PerfOp(boolean reduces) {
        this.reduces = reduces;
    }

    /** {@return busbw / algbw} */
    double busFactor(int ranks) {
        return 1;
    }

    /** {@return whether the operation can be measured on elements of that type} */
    boolean supports(DType type) {
        return !reduces || ReduceOp.SUM.supports(type);
    }

    /**
     * {@return how many elements a rank puts in, or gets out, for a size as nccl-tests counts it: the whole array, rounded down to what the
     * ranks share evenly}
     */
    long elements(long bytes, DType type, int ranks) {
        long elements = bytes / type.byteSize();
        return this == ALL_GATHER || this == REDUCE_SCATTER ? elements / ranks * ranks : elements;
    }

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}
