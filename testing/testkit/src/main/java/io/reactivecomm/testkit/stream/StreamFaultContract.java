package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.CommTimeoutException;
import io.reactivecomm.DType;
import io.reactivecomm.GroupClosedException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.RisingDeadline;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.stream.StreamEnds.Reader;
import io.reactivecomm.testkit.stream.StreamEnds.Source;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Streams whose group ends under them, or whose other end does nothing: both ends are told, and memory is let go. */
public abstract class StreamFaultContract extends WorldContract {

    private static final Duration SHORT = Duration.ofMillis(400);

    /** In what state the group ends: nothing asked for, waiting for tensors, tensors on their way, a reader that pauses. */
    public enum Moment {
        NO_DEMAND,
        NO_TENSOR,
        FLOWING,
        PAUSED
    }

    /** A stream from rank 0 to rank 1, brought to a moment. */
    private final class Running {

        private final Source source = new Source(home(), DType.INT32, 60_000, 1_000_000);
        private final Reader reader;
        private final CompletableFuture<Optional<Throwable>> sending;

        private Running(List<ProcessGroup> groups, Moment moment) {
            reader = switch (moment) {
                case NO_DEMAND -> Reader.of(0);
                case NO_TENSOR -> Reader.of(1);
                case FLOWING -> Reader.of(5);
                case PAUSED -> Reader.of(1).pausingAt(10);
            };
            Flux<Tensor> tensors = moment == Moment.NO_TENSOR ? Flux.never() : source.tensors();
            Flux<Tensor> sent = tensors.doOnCancel(() -> source.cancelled.complete(null));
            sending = StreamEnds.drain(groups.get(0).sendAll(sent, 1, 0));
            groups.get(1).receiveAll(0, 0).subscribe(reader);
            if (moment == Moment.PAUSED) {
                reader.awaitPause();
            }
            StreamEnds.settle(groups);
        }
    }

    final Stream<Moment> moments() {
        return Stream.of(Moment.values());
    }

    @Tag("smoke")
    @ParameterizedTest(name = "{0}")
    @MethodSource("moments")
    void abort_failsBothEnds(Moment moment) {
        List<ProcessGroup> groups = world(3);
        Running stream = new Running(groups, moment);

        groups.get(2).abort("not today");

        assertThat(StreamEnds.requireError(stream.sending, GroupClosedException.class))
                .hasMessageStartingWith("sendAll failed: peer=1, tag=0, stream=0, ")
                .hasMessageContaining("not today");
        assertThat(StreamEnds.requireError(stream.reader.end, GroupClosedException.class))
                .hasMessageStartingWith("receiveAll failed: peer=0, tag=0, stream=0, ")
                .hasMessageContaining("not today");
        stream.source.requireIsCancelled();
        assertThat(stream.reader.faults).isEmpty();
    }

    /** Also where the group's end is all that there is to tell. */
    @Test
    void stream_ofAGroupThatHasEnded_saysWhichItIs() {
        List<ProcessGroup> groups = world(2);
        groups.get(0).abort("not today");

        assertThat(StreamEnds.requireError(
                        StreamEnds.drain(groups.get(0).sendAll(Flux.empty(), 1, 3)), GroupClosedException.class))
                .hasMessageStartingWith(
                        "sendAll failed: peer=1, tag=3, stream=0, cause=the group was aborted: rank=0, reason=not today");
        assertThat(StreamEnds.requireError(
                        StreamEnds.drain(groups.get(0).named("other").receiveAll(1, 3)), GroupClosedException.class))
                .hasMessageStartingWith(
                        "receiveAll failed: peer=1, tag=3, name=other, stream=0, cause=the group was aborted");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("moments")
    void sender_thatLeaves_failsBothEnds(Moment moment) {
        List<ProcessGroup> groups = world(2);
        Running stream = new Running(groups, moment);

        groups.get(0).close();

        StreamEnds.requireError(stream.sending, GroupClosedException.class);
        assertThat(StreamEnds.requireError(stream.reader.end, CommException.class))
                .hasMessageFindingMatch("rank[= ]0")
                .hasMessageContaining("receiveAll")
                .hasMessageNotContainingAny("stream#", "\u0001");
        stream.source.requireIsCancelled();
        assertThat(stream.reader.faults).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("moments")
    void receiver_thatLeaves_failsBothEnds(Moment moment) {
        List<ProcessGroup> groups = world(2);
        Running stream = new Running(groups, moment);

        groups.get(1).close();

        StreamEnds.requireError(stream.reader.end, GroupClosedException.class);
        StreamEnds.requireError(stream.sending, CommException.class);
        stream.source.requireIsCancelled();
        assertThat(stream.reader.faults).isEmpty();
    }

    /** While memory for the next one is made ready beside the loop, as likely as not: it is given back, as the leak check sees. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(booleans = {true, false})
    void streamOfLargeTensors_thatEnds_leavesNothing(boolean isClosed) {
        List<ProcessGroup> groups = world(2);
        Flux<Tensor> unfilled = Flux.<Tensor>generate(sink -> sink.next(Tensor.allocate(DType.INT8, 17 << 20)))
                .take(20);
        CompletableFuture<Optional<Throwable>> receiving = new CompletableFuture<>();
        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(0).sendAll(unfilled, 1, 0));
        groups.get(1)
                .receiveAll(0, 0)
                .doOnNext(Tensor::close)
                .doOnNext(tensor -> {
                    if (isClosed) {
                        groups.get(1).close();
                    } else {
                        throw new IllegalStateException("not this one");
                    }
                })
                .doOnError(error -> receiving.complete(Optional.of(error)))
                .subscribe(tensor -> {}, error -> {});

        assertThat(StreamEnds.end(receiving)).isPresent();
        StreamEnds.end(sending);
    }

    @Tag("smoke")
    @ParameterizedTest(name = "tensors={0}")
    @CsvSource({"0", "1", "40"})
    void group_thatIsClosedOnceItsStreamsHaveCompleted_failsNothing(int tensors) {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.FLOAT32, 30_000, tensors);
        Reader reader = Reader.of(7);
        reader.end.thenRun(groups.get(1)::close);
        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(0).sendAll(source.tensors(), 1, 0));
        sending.thenRun(groups.get(0)::close);

        groups.get(1).receiveAll(0, 0).subscribe(reader);

        StreamEnds.requireCompletes(reader.end);
        StreamEnds.requireCompletes(sending);
        reader.requireTook(tensors);
    }

    /** What it says is the program's code, too. */
    @Test
    void source_whoseErrorThrowsWhenItIsAsked_endsBoth() {
        List<ProcessGroup> groups = world(2);
        RuntimeException mute = new RuntimeException("never said") {

            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new IllegalStateException("on purpose");
            }
        };
        Reader reader = Reader.of(1);
        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(0).sendAll(Flux.error(mute), 1, 0));

        groups.get(1).receiveAll(0, 0).subscribe(reader);

        assertThat(StreamEnds.end(sending)).containsSame(mute);
        assertThat(StreamEnds.end(reader.end))
                .get()
                .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                .isInstanceOf(CommException.class)
                .hasMessageContaining("that does not say why");
    }

    @Test
    void stream_ofAGroupThatIsClosed_failsAtOnce() {
        List<ProcessGroup> groups = world(2);
        groups.forEach(ProcessGroup::close);

        StepVerifier.create(groups.get(0).sendAll(Flux.never(), 1, 0))
                .expectError(GroupClosedException.class)
                .verify(LIMIT);
        StepVerifier.create(groups.get(1).receiveAll(0, 0))
                .expectError(GroupClosedException.class)
                .verify(LIMIT);
    }

    @ParameterizedTest(name = "before={0}")
    @CsvSource({"0", "3"})
    void demand_thatNothingComesFor_timesOut_andEndsTheSender(int before) {
        RisingDeadline.untilInTime(deadline -> timesOutAfter(before, deadline));
    }

    /** {@return false if the deadline struck before that many tensors had come} */
    private boolean timesOutAfter(int before, Duration deadline) {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.INT32, 100, before);
        Flux<Tensor> stalling =
                Flux.concat(source.tensors(), Flux.<Tensor>never().doOnCancel(() -> source.cancelled.complete(null)));
        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(1).sendAll(stalling, 0, 0));
        Reader reader = Reader.of(1);

        groups.get(0).timeout(deadline).receiveAll(1, 0).subscribe(reader);

        CommTimeoutException error = StreamEnds.requireError(reader.end, CommTimeoutException.class);
        assertThat(error.missing()).containsExactly(1);
        assertThat(error)
                .hasMessageContaining("waited="
                        + BigDecimal.valueOf(deadline.toMillis(), 3)
                                .stripTrailingZeros()
                                .toPlainString() + " s");
        source.requireIsCancelled();
        assertThat(StreamEnds.requireError(sending, CommException.class))
                .hasMessageContaining("refused by its receiver")
                .hasMessageContaining("timed out");
        StreamEnds.settle(groups);
        if (reader.taken.get() < before) {
            return false;
        }
        reader.requireTook(before);
        return true;
    }

    @Test
    void stream_thatNobodySends_timesOut_andTheSenderWhoComesLateIsTold() {
        List<ProcessGroup> groups = world(2);
        Reader reader = Reader.of(2);
        groups.get(0).timeout(SHORT).receiveAll(1, 0).subscribe(reader);
        StreamEnds.requireError(reader.end, CommTimeoutException.class);

        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(1).sendAll(Flux.never(), 0, 0));

        assertThat(StreamEnds.requireError(sending, CommException.class)).hasMessageContaining("timed out");
        Reader next = Reader.of(2);
        groups.get(0).receiveAll(1, 0).subscribe(next);
        StreamEnds.requireCompletes(StreamEnds.drain(
                groups.get(1).sendAll(new Source(home(), DType.INT8, 5, 6).tensors(), 0, 0)));
        StreamEnds.requireCompletes(next.end);
        next.requireTook(6);
    }

    @Test
    void readerThatPausesLongerThanTheDeadline_isNotTimedOut() {
        RisingDeadline.untilInTime(this::pausesLongerThan);
    }

    /**
     * A call with twice the deadline times out during the pause, which is at least that long.
     *
     * @return false if the deadline struck while tensors were on their way
     */
    private boolean pausesLongerThan(Duration deadline) {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.INT32, 100, 8);
        Reader reader = Reader.of(1).pausingAt(4);
        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(1).timeout(deadline).sendAll(source.tensors(), 0, 0));
        groups.get(0).timeout(deadline).receiveAll(1, 0).subscribe(reader);
        if (!reader.pausesBeforeItEnds()) {
            return requireTimedOut(reader);
        }

        try (GuardedMemory memory = new GuardedMemory()) {
            end(begin(groups.get(0).timeout(deadline.multipliedBy(2)).receive(memory.tensor(DType.INT8, 1), 1, 77)))
                    .error(CommTimeoutException.class);
        }
        assertThat(reader.end).isNotDone();
        reader.goOnTo(-1);

        if (StreamEnds.end(reader.end).isPresent()) {
            return requireTimedOut(reader);
        }
        StreamEnds.requireCompletes(sending);
        reader.requireTook(8);
        return true;
    }

    private static boolean requireTimedOut(Reader reader) {
        assertThat(StreamEnds.requireError(reader.end, CommException.class)).hasMessageContaining("timed out");
        return false;
    }

    /** The source of one stream is what another stream brings: demand and cancellation pass through all three ranks. */
    @Test
    void streams_inARow_passDemandAndCancellationOn() {
        List<ProcessGroup> groups = world(3);
        Source source = new Source(home(), DType.FLOAT64, 5_000, 1_000_000);
        Reader reader = new Reader(2, 20);
        Sinks.Empty<Void> relayEnded = Sinks.empty();

        CompletableFuture<Optional<Throwable>> first =
                StreamEnds.drain(groups.get(0).sendAll(source.tensors(), 1, 0));
        groups.get(1)
                .sendAll(groups.get(1).receiveAll(0, 0), 2, 0)
                .doOnDiscard(Tensor.class, Tensor::close)
                .doFinally(ignored -> relayEnded.tryEmitEmpty())
                .subscribe(Tensor::close);
        groups.get(2).receiveAll(1, 0).subscribe(reader);

        source.requireIsCancelled();
        StreamEnds.requireCompletes(first);
        relayEnded.asMono().block(LIMIT);
        reader.requireTook(20);
        assertThat(source.emitted.get()).isLessThanOrEqualTo(22);
        StreamEnds.settle(groups);
    }
}
