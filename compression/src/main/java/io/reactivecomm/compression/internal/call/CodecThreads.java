package io.reactivecomm.compression.internal.call;

import io.reactivecomm.CommException;
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

    /**
     * {@return what runs that on one of them}
     * Nobody would hear of what is fatal to the JVM there, such as memory that is used up, and all ranks would wait: so it is an error of the call, too.
     */
    public static Mono<Void> run(Runnable work) {
        return Mono.<Void>create(sink -> {
                    try {
                        work.run();
                    } catch (RuntimeException | Error e) {
                        sink.error(e instanceof VirtualMachineError || e instanceof LinkageError ? failed(e) : e);
                        return;
                    }
                    sink.success();
                })
                .subscribeOn(ALL);
    }

    private static CommException failed(Throwable fatal) {
        return new CommException("a codec could not go on: error=" + fatal + "; see to what the JVM lacks, such as memory", fatal);
    }
}
