package io.reactivecomm.mpi;

import io.reactivecomm.spi.engine.EnginePoll;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The thread on which rounds of small calls are made while a large one would make them hold the loop. It sleeps while there is none of either, and begins with
 * the first of such times.
 *
 * <p><b>Threads.</b> Any.
 */
final class Aside {

    private final String name;
    private final Worker worker;
    private final SmallCalls rounds;
    private @Nullable Thread thread;
    private volatile boolean isClosed;

    Aside(String name, Worker worker, SmallCalls rounds) {
        this.name = name;
        this.worker = worker;
        this.rounds = rounds;
    }

    /** There are small calls, and the worker has a large one. */
    synchronized void wake() {
        if (isClosed) {
            return;
        }
        if (thread == null || !thread.isAlive()) {
            thread = Thread.ofPlatform().daemon().name(name).start(this::work);
        } else {
            LockSupport.unpark(thread);
        }
    }

    private void work() {
        while (!isClosed) {
            BackOff backOff = new BackOff();
            while (worker.isBusy() && rounds.hasAny() && !isClosed) {
                if (rounds.look() == EnginePoll.Found.SOMETHING) {
                    backOff.reset();
                } else {
                    backOff.pause();
                }
            }
            LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(1));
        }
    }

    synchronized void close() {
        isClosed = true;
        LockSupport.unpark(thread);
    }
}
