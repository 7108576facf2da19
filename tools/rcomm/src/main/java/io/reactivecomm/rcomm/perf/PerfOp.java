package io.reactivecomm.rcomm.perf;

import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.samples.programs.world.Names;
import java.util.List;

/** An operation that {@code rcomm perf} measures, with its bus bandwidth. */
enum PerfOp {
    ALL_REDUCE(true, Operation.ALL_REDUCE),
    INFERENCE_ALL_REDUCE(true, Operation.INFERENCE_ALL_REDUCE),
    REDUCE(true, Operation.REDUCE),
    BROADCAST(false, Operation.BROADCAST),
    ALL_GATHER(false, Operation.ALL_GATHER),
    REDUCE_SCATTER(true, Operation.REDUCE_SCATTER),
    ALL_TO_ALL(false, Operation.ALL_TO_ALL),
    GATHER(false, Operation.GATHER),
    SCATTER(false, Operation.SCATTER),
    /** Every rank sends to the next one and receives from the one before. */
    SEND_RECEIVE(false, Operation.MESSAGE),
    BARRIER(false, Operation.BARRIER),
    MONITORED_BARRIER(false, Operation.MONITORED_BARRIER),
    /** All-reduces of many tensors, all in flight at once. */
    LIST(true, Operation.ALL_REDUCE),
    /** One all-reduce of the same tensors. */
    COALESCED(true, Operation.ALL_REDUCE);

    /** The sizes that are measured if none are given, in bytes. */
    static final List<Long> USUAL_SIZES = List.of(4L, 1L << 10, 64L << 10, 1L << 20, 16L << 20);

    private final boolean reduces;
    private final Operation operation;

    PerfOp(boolean reduces, Operation operation) {
        this.reduces = reduces;
        this.operation = operation;
    }

    /** {@return busbw / algbw} */
    double busFactor(int ranks) {
        return operation.busFactor(ranks);
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
     * {@return how many elements a rank puts in, or gets out, for a size as nccl-tests counts it: the whole array, rounded down to
     * whole elements, and where each rank has a part of it to as many each}
     */
    long elements(long bytes, DType type, int ranks) {
        long elements = bytes / type.byteSize();
        return switch (operation) {
            case ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, GATHER, SCATTER -> elements / ranks * ranks;
            case ALL_REDUCE,
                    INFERENCE_ALL_REDUCE,
                    REDUCE,
                    BROADCAST,
                    BARRIER,
                    MONITORED_BARRIER,
                    MESSAGE,
                    NEW_GROUP,
                    COALESCED -> elements;
        };
    }

    /** {@return what other libraries know it as: they have no words for some of ours} */
    String amongPeers() {
        return switch (this) {
            case INFERENCE_ALL_REDUCE -> ALL_REDUCE.toString();
            case MONITORED_BARRIER -> BARRIER.toString();
            case COALESCED -> LIST.toString();
            case ALL_REDUCE,
                    REDUCE,
                    BROADCAST,
                    ALL_GATHER,
                    REDUCE_SCATTER,
                    ALL_TO_ALL,
                    GATHER,
                    SCATTER,
                    SEND_RECEIVE,
                    BARRIER,
                    LIST -> toString();
        };
    }

    /** {@return the name as the user writes it} */
    @Override
    public String toString() {
        return Names.of(this);
    }
}
