package io.reactivecomm.internal.backend;

import io.reactivecomm.Handle;
import io.reactivecomm.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The handle of an enqueued call for those who read its results later: they fail with what the call itself has read, too.
 *
 * @param read the end of what was enqueued before on what the call reads
 * @param handle the call's own
 */
record EnqueuedBefore(Mono<Void> read, Handle handle) implements Handle {

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
    public Mono<Void> completed() {
        return read.then(handle.completed());
    }

    @Override
    public Mono<Void> released() {
        return handle.released();
    }
}
