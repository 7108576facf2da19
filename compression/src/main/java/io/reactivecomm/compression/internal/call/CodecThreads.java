package io.reactivecomm.compression.internal.call;

import io.reactivecomm.CommException;
import io.reactivecomm.LogRank;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.spi.WorkThreads;
import java.util.function.Supplier;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** The threads on which elements are encoded and decoded: as many as there are cores, on which nothing ever waits. A group's loop is never held up. */
public final class CodecThreads {

    private static final Scheduler ALL = WorkThreads.named("compression");

    private CodecThreads() {}

    /** {@return what runs that on one of them, for a rank of that group} */
    public static Mono<Void> run(ProcessGroup group, Runnable work) {
        return on(group, () -> {
            work.run();
            return Mono.empty();
        });
    }

    /** {@return a Mono whose work begins on one of these threads, for a rank of that group} */
    public static <T> Mono<T> on(ProcessGroup group, Supplier<Mono<T>> begin) {
        return guarded(() -> {
                    LogRank.enter(group);
                    return begin.get();
                })
                .subscribeOn(ALL);
    }

    /**
     * {@return what begins so, on the thread that it is on}
     * Nobody would hear there of what is fatal to Reactor, such as memory that is used up or a codec's class that is missing, and all ranks would wait: so it is an error of the call.
     */
    public static <T> Mono<T> guarded(Supplier<Mono<T>> begin) {
        return Mono.defer(() -> {
            try {
                return begin.get();
            } catch (VirtualMachineError | LinkageError e) {
                return Mono.error(failed(e));
            } catch (RuntimeException e) {
                return Mono.error(Exceptions.unwrap(e));
            }
        });
    }

    private static CommException failed(Throwable fatal) {
        return new CommException(
                "a codec could not go on: error=" + fatal + "; see to what the JVM lacks, such as memory", fatal);
    }
}
