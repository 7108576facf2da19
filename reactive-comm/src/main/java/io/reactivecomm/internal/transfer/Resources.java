package io.reactivecomm.internal.transfer;

import io.reactivecomm.DType;
import io.reactivecomm.Reduction;
import io.reactivecomm.internal.memory.WorkMemory;
import io.reactivecomm.internal.observe.Observation;
import io.reactivecomm.kernel.Kernels;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** The resources that the steps of all calls of a rank share: bounds, memory, kernels, and turns at what takes long. Owned by the loop. */
public final class Resources {

    /** Every type with the usual reductions; a kernel's strips take some 32 KiB. */
    private static final int KERNELS_KEPT = 64;

    private final EngineLimits limits;
    private final Staging staging;
    private final Scratch scratch;
    private final Later later = new Later();
    /** The kernels used last: a caller's own reductions may be new ones at every step. */
    private final Map<KernelKey, FoldTools> tools = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<KernelKey, FoldTools> eldest) {
            return size() > KERNELS_KEPT;
        }
    };

    private ObjLongConsumer<Observation> whenMoved = (observation, bytes) -> {};

    private record KernelKey(DType type, Reduction op) {

        /* By hand, as in {@link io.reactivecomm.collective.Signature}. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof KernelKey key && key.type == type && key.op.equals(op);
        }

        @Override
        public int hashCode() {
            return 31 * type.ordinal() + op.hashCode();
        }
    }

    /** @param memory what staging and scratch are taken from */
    public Resources(EngineLimits limits, WorkMemory memory) {
        this.limits = limits;
        this.staging = new Staging(memory, limits.stagingBytes());
        this.scratch = new Scratch(memory, limits.stagingBytes());
    }

    /** @param told hears of payload that has moved in an observed call, with how much of it has left */
    public void whenMoved(ObjLongConsumer<Observation> told) {
        whenMoved = told;
    }

    void moved(Observation observation, long sentBytes) {
        whenMoved.accept(observation, sentBytes);
    }

    EngineLimits limits() {
        return limits;
    }

    Staging staging() {
        return staging;
    }

    Scratch scratch() {
        return scratch;
    }

    /** {@return the steps that have something left to do} */
    public Later later() {
        return later;
    }

    /** {@return what a collective folds with that reduces} */
    FoldTools tools(ScheduledCollective scheduled) {
        return tools.computeIfAbsent(
                new KernelKey(scheduled.type(), Objects.requireNonNull(scheduled.reduction())), Resources::toolsOf);
    }

    private static FoldTools toolsOf(KernelKey key) {
        return new FoldTools(
                Kernels.forLoop(key.type, key.op),
                key.type.byteSize(),
                key.type.accumulator().byteSize());
    }

    /** {@return bytes of staging memory in use} */
    public long stagingBytes() {
        return staging.usedBytes();
    }

    /** {@return bytes of scratch memory in use} */
    public long scratchBytes() {
        return scratch.usedBytes();
    }

    /** Frees all memory; nothing may be under way. */
    public void close() {
        try {
            scratch.close();
        } finally {
            staging.close();
        }
    }
}
