package io.reactivecomm.spi;

import java.util.concurrent.Executor;

/**
 * The one thread that progresses everything of a rank: the library's own or a transport's.
 *
 * <p><b>Threads.</b> {@link #execute} and {@link #schedule} may be called from any thread. Tasks run on {@link #thread()}, those of
 * each thread in the order in which it gave them; one given after the loop has ended is forgotten. That thread implements
 * {@link reactor.core.scheduler.NonBlocking}.
 */
public interface Loop extends Executor {

    /** {@return whether the calling thread is the loop's} */
    boolean inLoop();

    /** {@return the loop's clock, in nanoseconds; only differences mean anything} */
    long nanoTime();

    /**
     * Runs a task once, after a delay.
     *
     * @return what cancels it; cancelling a task that has run does nothing
     */
    Timer schedule(Runnable task, long delayNanos);

    /** {@return the loop's thread, for its stack when it is stuck; it lives as long as the loop can do anything} */
    Thread thread();

    /** {@return who is told of what tasks of this loop die of; the loop outlives them} */
    FatalErrors fatalErrors();

    /** A task to come. */
    interface Timer {

        /** Forgets the task if it has not run. */
        void cancel();
    }
}
