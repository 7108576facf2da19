package io.reactivecomm.internal.base;

/**
 * The late delivery of faults of mapped memory. Compiled code that reads a lost page continues with garbage. The JVM throws the {@link InternalError} at the thread's
 * next safepoint, which may be in a caller or in code that is called afterwards.
 *
 * <p><b>Threads.</b> Any.
 */
public final class LateFaults {

    private static final Object NEVER_LOCKED = new Object();

    private LateFaults() {}

    /** Throws a pending fault of this thread. The JVM delivers it on return from a native method, and {@link Thread#holdsLock} is the cheapest one. */
    public static void throwPending() {
        if (Thread.holdsLock(NEVER_LOCKED)) {
            throw new IllegalStateException("a private lock is held: thread="
                    + Thread.currentThread().getName() + "; report this as a bug of the library");
        }
    }
}
