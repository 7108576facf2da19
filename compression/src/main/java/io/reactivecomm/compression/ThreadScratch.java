package io.reactivecomm.compression;

import java.lang.ref.WeakReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Scratch space for each thread, which may be collected between two uses. Threads of a server outlive the programs that they run: a strong
 * reference of theirs would keep the classes of a program that has been unloaded.
 *
 * <p><b>Threads.</b> Any, each for itself.
 */
final class ThreadScratch<T> {

    private final ThreadLocal<@Nullable WeakReference<T>> threads = new ThreadLocal<>();
    private final Supplier<T> making;

    ThreadScratch(Supplier<T> making) {
        this.making = making;
    }

    /** {@return the calling thread's scratch space; it lives while the caller refers to it} */
    T get() {
        WeakReference<T> known = threads.get();
        T scratch = known == null ? null : known.get();
        if (scratch == null) {
            scratch = making.get();
            threads.set(new WeakReference<>(scratch));
        }
        return scratch;
    }
}
