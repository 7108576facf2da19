package io.reactivecomm.internal.base;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads of the library's own, for what loops must not do; a program may block Reactor's.
 *
 * <p>They keep no JVM alive, and end when they have had nothing to do for a second.
 */
public final class OwnThreads {

    private static final long IDLE_SECONDS = 1;

    private OwnThreads() {}

    /** {@return a thread of that name, on which tasks follow each other} */
    public static ThreadPoolExecutor one(String name) {
        return some(name, 1);
    }

    /** {@return at most so many threads of that name} */
    public static ThreadPoolExecutor some(String name, int most) {
        ThreadPoolExecutor some = new ThreadPoolExecutor(most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads(name));
        some.allowCoreThreadTimeOut(true);
        return some;
    }


    private static ThreadFactory threads(String name) {
        return task -> {
            // It belongs to nobody's program: it must keep no class loader of the one that happened to ask first.
            Thread made = Thread.ofPlatform().daemon().name(name).inheritInheritableThreadLocals(false).unstarted(task);
            made.setContextClassLoader(null);
            return made;
        };
    }
}
