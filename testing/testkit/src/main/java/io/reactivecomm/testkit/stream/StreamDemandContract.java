package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.Depth;
import io.reactivecomm.testkit.LeakCheck;
import io.reactivecomm.testkit.NativeHeap;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.stream.StreamEnds.Reader;
import io.reactivecomm.testkit.stream.StreamEnds.Source;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/**
 * The contract of demand and cancellation of a stream: the receiver's demand is the sender's credit, and either end may leave at every
 * step.
 */
public abstract class StreamDemandContract extends WorldContract {

    private static final long COUNT_OF_64_KIB = 16 << 10;

    /** Memory that may come and go while tensors pass, and much less than what a tenth of them have. */
    private static final long PASSING_BYTES = 16 << 20;

    /** {@return how many tensors of 64 KiB go through a reader that asks for one at a time} */
    protected int longStream() {
        return Depth.isWhole() ? 4_000 : 2_000;
    }

    /** Every tensor that is emitted was asked for before, by the reader as by the sender's subscriber. */
    @Tag("smoke")
    @Test
    void source_isNeverAskedForMoreThanTheReaderAndTheSendersSubscriberWant() {
        List<ProcessGroup> groups = world(2);
        AtomicLong readerWants = new AtomicLong();
        AtomicLong senderWants = new AtomicLong();
        AtomicInteger excesses = new AtomicInteger();
        Source source = new Source(home(), DType.FLOAT32, COUNT_OF_64_KIB, 1_000);
        Flux<Tensor> watched = source.tensors().doOnRequest(ignored -> {
            if (source.requested.get() > Math.min(readerWants.get(), senderWants.get())) {
                excesses.incrementAndGet();
            }
        });
        Asking sending = new Asking(senderWants);
        Asking reading = new Asking(readerWants);
        groups.get(0).sendAll(watched, 1, 0).subscribe(sending);
        groups.get(1).receiveAll(0, 0).subscribe(reading);

        reading.ask(5);
        StreamEnds.settle(groups);
        assertThat(source.emitted).hasValue(0);
        sending.ask(2);
        reading.await(2);
        sending.ask(300);
        reading.await(5);
        StreamEnds.settle(groups);
        assertThat(source.emitted).hasValue(5);
        for (int i = 0; i < 40; i++) {
            reading.ask(1 + i % 7);
            reading.await(readerWants.get());
            sending.await(readerWants.get());
            assertThat(source.emitted.get()).isEqualTo((int) readerWants.get());
        }
        assertThat(excesses).hasValue(0);
        reading.cancel();
        source.requireIsCancelled();
    }

    /** Asks from the test's thread, and counts before it asks. */
    private static final class Asking extends BaseSubscriber<Tensor> {

        private final AtomicLong wanted;
        private final AtomicLong taken = new AtomicLong();

        private Asking(AtomicLong wanted) {
            this.wanted = wanted;
        }

        @Override
        protected void hookOnSubscribe(Subscription subscription) {}

        private void ask(long n) {
            wanted.addAndGet(n);
            request(n);
        }

        @Override
        protected void hookOnNext(Tensor tensor) {
            tensor.close();
            synchronized (taken) {
                taken.incrementAndGet();
                taken.notifyAll();
            }
        }

        private void await(long count) {
            long deadline = System.nanoTime() + LIMIT.toNanos();
            synchronized (taken) {
                while (taken.get() < count) {
                    long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                    assertThat(left)
                            .as("milliseconds left to take %s tensors, of which %s came", count, taken)
                            .isPositive();
                    try {
                        taken.wait(left);
                    } catch (InterruptedException e) {
                        throw new AssertionError("interrupted", e);
                    }
                }
            }
        }
    }

    @Test
    void manyTensors_throughAReaderThatAsksForOneAtATime_holdNoMoreMemoryAtTheEndThanAtTheBeginning() {
        List<ProcessGroup> groups = world(2);
        int tenth = longStream() / 10;
        Source source = new Source(home(), DType.FLOAT32, COUNT_OF_64_KIB, longStream());
        AtomicInteger ahead = new AtomicInteger();
        Reader reader = Reader.of(1).pausingAt(tenth);
        Flux<Tensor> watched = source.tensors()
                .doOnNext(ignored -> ahead.accumulateAndGet(source.emitted.get() - reader.taken.get(), Math::max));

        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(0).sendAll(watched, 1, 0));
        groups.get(1).receiveAll(0, 0).subscribe(reader);
        reader.awaitPause();
        long heapBytes = heapBytes();
        long nativeBytes = NativeHeap.usedBytes();
        reader.goOnTo(9 * tenth);
        reader.awaitPause();

        LeakCheck.requireNativeBytes(
                "bytes outside the heap after nine tenths of a stream", nativeBytes + PASSING_BYTES);
        assertThat(heapBytes())
                .as("bytes in the heap after nine tenths of a stream")
                .isLessThan(heapBytes + PASSING_BYTES);
        reader.goOnTo(-1);
        StreamEnds.requireCompletes(reader.end);
        StreamEnds.requireCompletes(sending);
        reader.requireTook(longStream());
        assertThat(ahead.get()).as("tensors that were sent and not taken").isLessThanOrEqualTo(1);
    }

    private static long heapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @ParameterizedTest(name = "afterTensors={0}, atOnce={1}")
    @CsvSource({"0, 1", "0, 50", "1, 1", "1, 50", "20, 1", "20, 7", "20, 9223372036854775807"})
    void readerCancels_atAnyStep_cancelsTheSourceAndCompletesTheSender(int after, long atOnce) {
        List<ProcessGroup> groups = world(2);
        for (long count : List.of(3L, 100_000L)) {
            Source source = new Source(home(), DType.INT32, count, 100_000);
            Reader reader = new Reader(atOnce, after);

            CompletableFuture<Optional<Throwable>> sending =
                    StreamEnds.drain(groups.get(1).sendAll(source.tensors(), 0, 9));
            groups.get(0).receiveAll(1, 9).subscribe(reader);

            source.requireIsCancelled();
            StreamEnds.requireCompletes(sending);
            reader.requireTook(after);
            assertThat(reader.end).isNotDone();
            StreamEnds.settle(groups);
        }
        requireNextStream(groups);
    }

    /** The place of a stream that was broken off is taken: the next ones meet each other. */
    private void requireNextStream(List<ProcessGroup> groups) {
        Source source = new Source(home(), DType.INT32, 50, 30);
        Reader reader = Reader.of(4);
        groups.get(0).receiveAll(1, 9).subscribe(reader);
        StreamEnds.requireCompletes(StreamEnds.drain(groups.get(1).sendAll(source.tensors(), 0, 9)));
        StreamEnds.requireCompletes(reader.end);
        reader.requireTook(30);
    }

    @Tag("smoke")
    @ParameterizedTest(name = "afterTensors={0}")
    @ValueSource(ints = {0, 1, 25})
    void senderCancels_atAnyStep_cancelsTheSourceAndFailsTheReader(int after) {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.INT32, 40_000, 100_000);
        Reader sending = new Reader(3, after);
        Reader reader = Reader.of(Long.MAX_VALUE);

        groups.get(1)
                .sendAll(source.tensors().doOnDiscard(Tensor.class, Tensor::close), 0, 9)
                .doOnDiscard(Tensor.class, Tensor::close)
                .subscribe(sending);
        groups.get(0).receiveAll(1, 9).subscribe(reader);

        source.requireIsCancelled();
        assertThat(StreamEnds.requireError(reader.end, CommException.class))
                .hasMessageContaining("cancelled it on the sending rank");
        assertThat(sending.end).isNotDone();
        assertThat(sending.taken).hasValue(after);
        StreamEnds.settle(groups);
        requireNextStream(groups);
    }

    @Test
    void readerThatCancelsBeforeAnybodySends_isMetByTheStreamThatComesLater() {
        List<ProcessGroup> groups = world(2);
        groups.get(0).receiveAll(1, 9).subscribe(new Reader(0, 0));
        StreamEnds.settle(groups);
        Source source = new Source(home(), DType.INT8, 10, 10);

        StreamEnds.requireCompletes(StreamEnds.drain(groups.get(1).sendAll(source.tensors(), 0, 9)));

        source.requireIsCancelled();
        assertThat(source.emitted).hasValue(0);
        requireNextStream(groups);
    }

    @ParameterizedTest(name = "n={0}")
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void request_ofNothing_isAnErrorOnItsEnd_andEndsTheOther(long n) {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.INT8, 10, 10);

        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(1).sendAll(source.tensors(), 0, 9));
        CompletableFuture<Throwable> error = new CompletableFuture<>();
        groups.get(0).receiveAll(1, 9).subscribe(new Plain(n, error));

        assertThat(error.orTimeout(LIMIT.toMillis(), TimeUnit.MILLISECONDS).join())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3.9");
        StreamEnds.requireError(sending, CommException.class);
        source.requireIsCancelled();
        requireNextStream(groups);
    }

    /** Requests as it is told to: Reactor's own subscribers check first. */
    private record Plain(long n, CompletableFuture<Throwable> error) implements CoreSubscriber<Tensor> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(n);
        }

        @Override
        public void onNext(Tensor tensor) {
            tensor.close();
        }

        @Override
        public void onError(Throwable e) {
            error.complete(e);
        }

        @Override
        public void onComplete() {
            error.completeExceptionally(new AssertionError("completed"));
        }
    }

    @Test
    void readerThatThrows_countsAsCancelled() {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.INT8, 10, 100_000);

        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(1).sendAll(source.tensors(), 0, 9));
        StepVerifier.create(
                        groups.get(0).receiveAll(1, 9).doOnNext(Tensor::close).map(tensor -> {
                            throw new IllegalStateException("not this one");
                        }))
                .expectErrorMessage("not this one")
                .verify(LIMIT);

        source.requireIsCancelled();
        StreamEnds.requireCompletes(sending);
        requireNextStream(groups);
    }
}
