package io.reactivecomm;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The writes that are enqueued on a device's memory, which its tensors share: a later read of the same bytes waits for them, and fails with them.
 *
 * <pre>
 *   READY ── enqueued ──&gt; PENDING ─┬─ ends well ──&gt; READY
 *     ^                            └─ fails ──────&gt; FAILED: the content is unspecified
 *     └──────────── enqueued again ───────────────────┘
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
final class Readiness {

    /** The bytes from an address up to another. */
    private record Bytes(long from, long to) {

        boolean meets(Bytes other) {
            return Math.max(from, other.from) < Math.min(to, other.to);
        }

        Stream<Bytes> without(Bytes other) {
            return Stream.of(new Bytes(from, Math.min(to, other.from)), new Bytes(Math.max(from, other.to), to))
                    .filter(rest -> rest.from < rest.to);
        }
    }

    /** A write that has not ended, or has failed, with the bytes that no later write has covered. */
    private static final class Write {

        private final Handle handle;
        private List<Bytes> bytes;
        private @Nullable Throwable failure;

        private Write(Handle handle, Bytes bytes) {
            this.handle = handle;
            this.bytes = List.of(bytes);
        }

        private boolean meets(Bytes others) {
            for (Bytes each : bytes) {
                if (each.meets(others)) {
                    return true;
                }
            }
            return false;
        }

        /** {@return whether any bytes are left} */
        private boolean isLeftWithout(Bytes others) {
            if (meets(others)) {
                bytes = bytes.stream().flatMap(each -> each.without(others)).toList();
            }
            return !bytes.isEmpty();
        }
    }

    private final List<Write> writes = new ArrayList<>();

    /** A write of the bytes from an address up to another has been enqueued, behind all earlier writes. */
    void enqueued(Handle handle, long from, long to) {
        if (from == to) {
            return;
        }
        Bytes bytes = new Bytes(from, to);
        Write write = new Write(handle, bytes);
        synchronized (this) {
            writes.removeIf(each -> !each.isLeftWithout(bytes));
            writes.add(write);
        }
        handle.completed().subscribe(ignored -> {}, error -> ended(write, error), () -> ended(write, null));
    }

    private synchronized void ended(Write write, @Nullable Throwable error) {
        if (error == null) {
            writes.remove(write);
        } else {
            write.failure = error;
        }
    }

    /** {@return the end of all writes of these bytes that are enqueued by now; null if they have ended well} */
    @Nullable Mono<Void> state(long from, long to) {
        Bytes bytes = new Bytes(from, to);
        List<Handle> pending = new ArrayList<>();
        synchronized (this) {
            for (Write write : writes) {
                if (write.meets(bytes)) {
                    if (write.failure != null) {
                        return Mono.error(write.failure);
                    }
                    pending.add(write.handle);
                }
            }
        }
        // Handles are others' code, which may take locks of its own.
        return pending.isEmpty()
                ? null
                : Mono.when(pending.stream().map(Handle::completed).toList());
    }
}
