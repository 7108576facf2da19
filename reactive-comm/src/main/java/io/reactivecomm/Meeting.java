package io.reactivecomm;

import io.reactivecomm.internal.base.ErrorTexts;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * A means by which ranks that know no address find each other: somebody else's function that gathers bytes from all processes of a job on all of them, such
 * as {@code MPI_Allgather}, or {@code allGather} of a barrier task in Spark. Ranks meet through it by {@link CommConfig#of(Meeting)}.
 *
 * <p>To connect takes two rounds of it on every rank, whether that succeeds or not. After an attempt that has failed it may be used again, unless that
 * failed because a round did not end, or by the function itself.
 *
 * <p><b>Buffers.</b> Records are {@link #RECORD_BYTES} long, on all ranks and in all rounds. The record given is not changed any more.
 *
 * <p><b>Trust.</b> On one machine rank 0 makes a token and sends it through this function if the ranks were given none. Across machines it does so only if the
 * program declares the function {@linkplain #confidential confidential}: a reader of what it carries could join the world.
 *
 * <p><b>Threads.</b> Any may subscribe; the result may come on any that may do the first steps of connecting, which do not block.
 */
public interface Meeting {

    /** The length of a record: a machine's addresses or the reason of a failure fit, and a thousand ranks gather a MiB. */
    int RECORD_BYTES = 1024;

    /** {@return this process's place, from 0} */
    int rank();

    /** {@return the number of processes} */
    int size();

    /**
     * {@return the records of all ranks in their order, once all have given one}
     *
     * <p><b>Subscription and cancellation.</b> The library subscribes once to each Mono, and to the next only after the last has ended. Cancelling detaches
     * the subscriber: the round may go on, and its result is discarded. The library cancels a round only if it has not ended one more rendezvous
     * timeout after the attempt to connect has failed, and calls the function no more for this attempt.
     *
     * <p><b>Errors.</b> Any; the attempt to connect fails with a {@link RendezvousException} of which it is the cause.
     *
     * @param own this rank's record, {@link #RECORD_BYTES} long
     */
    Mono<List<byte[]>> allGather(byte[] own);

    /** {@return whether only the ranks can read the records that the function carries between machines} */
    default boolean isConfidential() {
        return false;
    }

    /** {@return the same, declared confidential: its records are encrypted, or travel where only the ranks can read them} */
    default Meeting confidential() {
        Meeting open = this;
        return new Meeting() {
            @Override
            public int rank() {
                return open.rank();
            }

            @Override
            public int size() {
                return open.size();
            }

            @Override
            public Mono<List<byte[]>> allGather(byte[] own) {
                return open.allGather(own);
            }

            @Override
            public boolean isConfidential() {
                return true;
            }
        };
    }

    /** A gathering that holds its caller until all ranks have called. */
    @FunctionalInterface
    interface Blocking {

        /**
         * {@return the records of all ranks in their order}
         *
         * @param own this rank's record, {@link #RECORD_BYTES} long
         */
        List<byte[]> allGather(byte[] own) throws Exception;
    }

    /**
     * {@return a meeting by a function that blocks}
     *
     * <p><b>Subscription and cancellation.</b> Cancelling detaches the subscriber and interrupts the round's thread once. A function that ignores the
     * interrupt keeps the thread until it returns or its process ends; its late result is discarded.
     *
     * <p><b>Threads.</b> Each round runs on a daemon thread of its own. A library that wants all calls on one thread needs an implementation of this
     * interface instead.
     *
     * @param rank this process's place, from 0
     * @param size the number of processes
     */
    static Meeting blocking(int rank, int size, Blocking function) {
        Objects.requireNonNull(function, "function");
        return new Meeting() {
            @Override
            public int rank() {
                return rank;
            }

            @Override
            public int size() {
                return size;
            }

            @Override
            public Mono<List<byte[]>> allGather(byte[] own) {
                return Mono.create(sink -> {
                    AtomicBoolean isOver = new AtomicBoolean();
                    Thread round = Thread.ofPlatform()
                            .daemon()
                            .name("rcomm-all-gather-" + rank)
                            .start(() -> perform(function, own, sink, isOver));
                    sink.onCancel(() -> {
                        if (isOver.compareAndSet(false, true)) {
                            round.interrupt();
                        }
                    });
                });
            }
        };
    }

    /** An {@link Error} becomes the round's error too: without that the rank would wait until the timeout. */
    private static void perform(Blocking function, byte[] own, MonoSink<List<byte[]>> sink, AtomicBoolean isOver) {
        try {
            List<byte[]> records = function.allGather(own);
            if (isOver.compareAndSet(false, true)) {
                sink.success(records);
            }
        } catch (Exception | Error e) {
            if (isOver.compareAndSet(false, true)) {
                sink.error(
                        e instanceof Exception usual
                                ? usual
                                : new RendezvousException(
                                        "an all-gather ended with an error of this JVM: cause="
                                                + ErrorTexts.describe(e),
                                        e));
            }
        }
    }
}
