package io.reactivecomm.internal.memory;

import io.reactivecomm.device.Handle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
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
public final class Readiness {

    /**
     * Bytes up to an address, of the write that was enqueued last on them.
     *
     * @param to behind the last byte
     */
    private record Piece(long to, Write write) {}

    /** A write that has not ended, or has failed, with the bytes that no later write has covered. */
    private static final class Write {

        /** Null when it has ended. */
        private @Nullable Handle handle;
        /** Where its pieces begin. */
        private final Set<Long> places = new HashSet<>();

        private @Nullable Throwable failure;

        private Write(Handle handle) {
            this.handle = handle;
        }
    }

    /** By the address of the first byte. No two have a byte in common. */
    private final NavigableMap<Long, Piece> pieces = new TreeMap<>();

    /**
     * A write of the bytes from an address up to another has been enqueued, behind all earlier writes.
     *
     * @throws RuntimeException or an error if the handle does not say when it is completed; all is as it was then
     */
    void enqueued(Handle handle, long from, long to) {
        if (from == to) {
            return;
        }
        Mono<Void> completed = Objects.requireNonNull(
                handle.completed(), () -> "a handle does not say when it is completed: handle=" + handle);
        Write write = new Write(handle);
        synchronized (this) {
            cover(from, to);
            put(from, to, write);
        }
        completed.subscribe(ignored -> {}, error -> ended(write, error), () -> ended(write, null));
    }

    private void cover(long from, long to) {
        cutAt(from);
        cutAt(to);
        Map<Long, Piece> covered = pieces.subMap(from, to);
        covered.forEach((place, piece) -> piece.write.places.remove(place));
        covered.clear();
    }

    /** Makes two pieces of one that has bytes on both sides of an address. */
    private void cutAt(long address) {
        Map.Entry<Long, Piece> before = pieces.lowerEntry(address);
        if (before != null && before.getValue().to > address) {
            Piece whole = before.getValue();
            put(before.getKey(), address, whole.write);
            put(address, whole.to, whole.write);
        }
    }

    private void put(long from, long to, Write write) {
        pieces.put(from, new Piece(to, write));
        write.places.add(from);
    }

    private synchronized void ended(Write write, @Nullable Throwable error) {
        // What an engine's handle refers to is not needed any more.
        write.handle = null;
        write.failure = error;
        if (error == null) {
            pieces.keySet().removeAll(write.places);
        }
    }

    /** {@return the writes of these bytes, one of several pieces several times} */
    private List<Write> writes(long from, long to) {
        List<Write> writes = new ArrayList<>();
        Map.Entry<Long, Piece> before = pieces.lowerEntry(from);
        if (before != null && before.getValue().to > from) {
            writes.add(before.getValue().write);
        }
        pieces.subMap(from, to).values().forEach(piece -> writes.add(piece.write));
        return writes;
    }

    /** {@return the end of all writes of these bytes that are enqueued by now; null if they have ended well} */
    @Nullable Mono<Void> state(long from, long to) {
        if (from == to) {
            return null;
        }
        Set<Handle> pending = Collections.newSetFromMap(new IdentityHashMap<>());
        synchronized (this) {
            for (Write write : writes(from, to)) {
                if (write.failure != null) {
                    return Mono.error(write.failure);
                }
                if (write.handle != null) {
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
