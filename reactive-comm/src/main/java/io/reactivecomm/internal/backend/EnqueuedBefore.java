package io.reactivecomm.internal.backend;

import io.reactivecomm.Tensor;
import io.reactivecomm.device.Handle;
import io.reactivecomm.internal.base.SharedEnd;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The handle of an enqueued call for those who read its results later: they fail with what the call itself has read, too.
 *
 * @param completed the end of both
 * @param handle the call's own
 */
record EnqueuedBefore(Mono<Void> completed, Handle handle) implements Handle {

    /**
     * {@return the handle of a call that reads what was enqueued before}
     *
     * @param read the end of that
     */
    static EnqueuedBefore behind(Mono<Void> read, Handle handle) {
        return new EnqueuedBefore(SharedEnd.of(read.then(handle.completed())), handle);
    }

    /** {@return the end of all that is enqueued on some tensors; null if it has ended well, as on the host's} */
    static @Nullable Mono<Void> on(List<Tensor> tensors) {
        Mono<Void> all = null;
        for (int i = 0; i < tensors.size(); i++) {
            Mono<Void> each = tensors.get(i).readiness();
            if (each != null) {
                all = all == null ? each : all.and(each);
            }
        }
        return all;
    }

    @Override
    public Mono<Void> released() {
        return handle.released();
    }
}
