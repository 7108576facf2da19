package io.reactivecomm;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The state of what has been enqueued on a device's memory, which its tensors share: what reads there later has waited for it, and fails with it.
 *
 * <pre>
 *   READY ── enqueued ──&gt; PENDING ─┬─ ends well ──&gt; READY
 *     ^                            └─ fails ──────&gt; FAILED: what is there is unspecified
 *     └──────────── enqueued anew ────────────────────┘
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
final class Readiness {

    private final Set<Handle> pending = new LinkedHashSet<>();
    private @Nullable Throwable failure;

    /** Something that writes there has been enqueued behind all that was before. */
    void enqueued(Handle handle) {
        synchronized (this) {
            failure = null;
            pending.add(handle);
        }
        handle.completed().subscribe(ignored -> {}, error -> ended(handle, error), () -> ended(handle, null));
    }

    private synchronized void ended(Handle handle, @Nullable Throwable error) {
        if (pending.remove(handle) && error != null) {
            failure = error;
        }
    }

    /** {@return the end of all that has been enqueued by now; null if it has ended well} */
    synchronized @Nullable Mono<Void> state() {
        if (failure != null) {
            return Mono.error(failure);
        }
        return pending.isEmpty()
                ? null
                : Mono.when(List.copyOf(pending).stream().map(Handle::completed).toList());
    }
}
