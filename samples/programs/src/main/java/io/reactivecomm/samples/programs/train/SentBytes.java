package io.reactivecomm.samples.programs.train;

import io.reactivecomm.Operation;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.observe.CommObserver;
import io.reactivecomm.observe.ObservedCall;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * The bytes that a rank has sent: those that links have counted, and of calls of NCCL, which tells nobody, those of its usual algorithms.
 *
 * <p><b>Threads.</b> Any.
 */
final class SentBytes implements CommObserver, AutoCloseable {

    private static final String NCCL = "nccl";

    private final ProcessGroup group;
    private final AtomicLong byNccl = new AtomicLong();
    private final Disposable observing;

    SentBytes(ProcessGroup group) {
        this.group = group;
        this.observing = group.observe(this);
    }

    /** {@return how many so far} */
    long soFar() {
        return group.traffic().bytes() + byNccl.get();
    }

    @Override
    public void ended(ObservedCall call, @Nullable Throwable error, long nanos) {
        if (error == null && !call.isComposite() && call.backend().equals(NCCL)) {
            byNccl.addAndGet(Math.round(call.byteSize() * share(call.operation(), call.groupSize())));
        }
    }

    /** {@return the part of a call's bytes that a rank sends, as a mean over ranks; of rings, where there are several ways} */
    static double share(String operation, double ranks) {
        Operation known = Arrays.stream(Operation.values())
                .filter(each -> each.label().equals(operation))
                .findFirst()
                .orElse(Operation.BARRIER);
        return switch (known) {
            case ALL_REDUCE, INFERENCE_ALL_REDUCE, COALESCED -> 2 * (ranks - 1) / ranks;
            case REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, GATHER, SCATTER -> (ranks - 1) / ranks;
            // Seen by the rank that sends it and the one that receives it.
            case MESSAGE -> 0.5;
            case BARRIER, MONITORED_BARRIER, NEW_GROUP -> 0;
        };
    }

    @Override
    public void close() {
        observing.dispose();
    }
}
