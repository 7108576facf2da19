package io.reactivecomm.spi;

import io.reactivecomm.internal.base.OwnThreads;
import reactor.core.scheduler.Scheduler;

/**
 * Threads for work that may block or takes long, for the library and for transports and engines.
 *
 * <p>They end after an idle second, and keep no class loader. Reactor's threads stay for a minute or longer, with the context class loader
 * of the program that used them first: a program that a server unloads would stay in memory.
 *
 * <p><b>Threads.</b> Daemons. A task runs with the context class loader of the thread that submitted it.
 */
public final class WorkThreads {

    private WorkThreads() {}

    /** {@return threads for tasks that may block, as many as {@code Schedulers.boundedElastic()} has; without delayed tasks} */
    public static Scheduler shared() {
        return OwnThreads.shared();
    }

    /** {@return a thread of that name for delayed tasks, which must not block; keep it in a static field} */
    public static Scheduler timer(String name) {
        return OwnThreads.timer(name);
    }

    /** {@return as many threads of that name as {@link #shared} has, for one kind of work; keep it in a static field} */
    public static Scheduler named(String name) {
        return OwnThreads.blocking(name);
    }
}
