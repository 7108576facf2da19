package io.reactivecomm.internal.group;

import io.reactivecomm.internal.engine.Composite;
import org.jspecify.annotations.Nullable;

/**
 * The composite call whose body runs on this thread, as far as that can be told: while the body is called, and in what follows the calls inside
 * on their thread. So a program that calls through the outer group by mistake can be told.
 *
 * <p><b>Threads.</b> Any, each for itself.
 */
final class BodyThread {

    private static final ThreadLocal<@Nullable Composite> RUNNING = new ThreadLocal<>();

    /** Whether any body has ever run: programs without composite calls look no further. */
    private static volatile boolean everRan;

    private BodyThread() {}

    static @Nullable Composite running() {
        return everRan ? RUNNING.get() : null;
    }

    /** A body's code begins on this thread. {@return what {@link #leave} is given when it has returned} */
    static @Nullable Composite enter(Composite run) {
        if (!everRan) {
            everRan = true;
        }
        Composite before = RUNNING.get();
        RUNNING.set(run);
        return before;
    }

    static void leave(@Nullable Composite before) {
        RUNNING.set(before);
    }
}
