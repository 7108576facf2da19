package io.reactivecomm.compression.internal.call;

import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The threads on which elements are encoded and decoded: as many as there are cores, on which nothing ever waits. A group's loop is never held up. */
public final class CodecThreads {

    /** An idle thread ends after so long; the next step makes another. */
    private static final int IDLE_SECONDS = 10;

    private static final Scheduler ALL =
            Schedulers.newBoundedElastic(Schedulers.DEFAULT_POOL_SIZE, Integer.MAX_VALUE, "compression", IDLE_SECONDS, true);

    private CodecThreads() {}

    /** {@return what runs that on one of them} */
    public static Mono<Void> run(Runnable work) {
        return Mono.<Void>fromRunnable(work).subscribeOn(ALL);
    }
}
