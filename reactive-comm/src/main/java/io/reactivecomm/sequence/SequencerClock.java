package io.reactivecomm.sequence;

import io.reactivecomm.internal.base.OwnThreads;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;

/** The clock of a sequencer, with what happens later; tests move it by hand. */
interface SequencerClock {

    /** The machine's. */
    SequencerClock SYSTEM = new SequencerClock() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Disposable after(long delayNanos, Runnable task) {
            return OwnThreads.deadlines().schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        }
    };

    long nanoTime();

    /** Runs a task later, unless it is disposed of before. */
    Disposable after(long delayNanos, Runnable task);
}
