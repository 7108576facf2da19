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
    ALL_REDUCE(true, Bus.TWICE_THE_SHARES),
    INFERENCE_ALL_REDUCE(true, Bus.TWICE_THE_SHARES),
    REDUCE(true, Bus.ALL),
    BROADCAST(false, Bus.ALL),
    ALL_GATHER(false, Bus.OTHERS_SHARES),
    REDUCE_SCATTER(true, Bus.OTHERS_SHARES),
    ALL_TO_ALL(false, Bus.OTHERS_SHARES),
    GATHER(false, Bus.OTHERS_SHARES),
    SCATTER(false, Bus.OTHERS_SHARES),
    /** Every rank sends to the next one and receives from the one before. */
    SEND_RECEIVE(false, Bus.ALL),
    BARRIER(false, Bus.ALL),
    MONITORED_BARRIER(false, Bus.ALL),
    /** All-reduces of many tensors, all in flight at once. */
    LIST(true, Bus.TWICE_THE_SHARES),
    /** One all-reduce of the same tensors. */
    COALESCED(true, Bus.TWICE_THE_SHARES);

    /** Which part of the whole array each rank's link must carry at least. */
    private enum Bus {
        ALL,
        OTHERS_SHARES,
        TWICE_THE_SHARES
    }

    private final boolean reduces;
    private final Bus bus;

    PerfOp(boolean reduces, Bus bus) {
        this.reduces = reduces;
        this.bus = bus;
    }

    /** {@return busbw / algbw} */
    double busFactor(int ranks) {
        return switch (bus) {
            case ALL -> 1;
            case OTHERS_SHARES -> (ranks - 1.0) / ranks;
            case TWICE_THE_SHARES -> 2.0 * (ranks - 1) / ranks;
        };
    }

    /** {@return whether it takes no tensor} */
    boolean isBarrier() {
        return this == BARRIER || this == MONITORED_BARRIER;
    }

    /** {@return whether its tensors come from a file} */
    boolean isOfList() {
        return this == LIST || this == COALESCED;
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
        return bus == Bus.OTHERS_SHARES ? elements / ranks * ranks : elements;
    }

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}
