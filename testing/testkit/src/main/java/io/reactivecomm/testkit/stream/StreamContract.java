package io.reactivecomm.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import io.reactivecomm.testkit.GuardedMemory;
import io.reactivecomm.testkit.Inputs;
import io.reactivecomm.testkit.WorldContract;
import io.reactivecomm.testkit.stream.StreamEnds.Reader;
import io.reactivecomm.testkit.stream.StreamEnds.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** The contract of a stream of tensors between two ranks: to bring them whole and in order, and bring its end, whichever it is. */
public abstract class StreamContract extends WorldContract {

    private static final List<long[]> SHAPES = List.of(
            new long[] {}, new long[] {0}, new long[] {1}, new long[] {3, 5}, new long[] {2, 0, 4}, new long[] {200_003
            });

    /** Elements of 8 bytes: 16 MiB and some. */
    private static final long LARGE = (2 << 20) + 3;

    @Tag("smoke")
    @ParameterizedTest(name = "{0}")
    @EnumSource(DType.class)
    void stream_eachTypeWithEachShape_arrivesInOrder(DType type) {
        List<ProcessGroup> groups = world(2);
        List<Tensor> sent = new ArrayList<>();
        for (long[] shape : SHAPES) {
            Tensor tensor = Tensor.allocate(type, shape);
            Inputs.fill(tensor.segment(), type, sent.size(), 0);
            sent.add(home().take(tensor, home().device(sent.size())));
        }
        List<Tensor> emitted = new ArrayList<>();
        CompletableFuture<Optional<Throwable>> sending = StreamEnds.drain(groups.get(1)
                .sendAll(Flux.fromIterable(sent), 0, 4)
                .doOnNext(emitted::add)
                .filter(each -> false));

        List<Tensor> received = Objects.requireNonNull(
                groups.get(0).receiveAll(1, 4).collectList().block(LIMIT));

        StreamEnds.requireCompletes(sending);
        assertThat(emitted).containsExactlyElementsOf(sent);
        assertThat(received).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(received.get(i).type()).isEqualTo(type);
            assertThat(received.get(i).device()).isEqualTo(Device.CPU);
            assertThat(received.get(i).shape()).isEqualTo(SHAPES.get(i));
            StreamEnds.requireContent(received.get(i), i);
        }
        sent.forEach(Tensor::close);
        received.forEach(Tensor::close);
    }

    final Stream<Long> demands() {
        return Stream.of(1L, 3L, 16L, 100L, Long.MAX_VALUE);
    }

    @ParameterizedTest(name = "atOnce={0}")
    @MethodSource("demands")
    void stream_readWithAnyDemand_arrivesWhole(long atOnce) {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.INT32, 3_000, 150);
        Reader reader = Reader.of(atOnce);

        groups.get(1).receiveAll(0, 0).subscribe(reader);
        StreamEnds.requireCompletes(StreamEnds.drain(groups.get(0).sendAll(source.tensors(), 1, 0)));

        StreamEnds.requireCompletes(reader.end);
        reader.requireTook(150);
    }

    /** Memory for large tensors is made ready beside the loop. */
    @ParameterizedTest(name = "atOnce={0}")
    @ValueSource(longs = {1, Long.MAX_VALUE})
    void stream_ofLargeTensorsAmongSmallOnes_arrivesInOrder(long atOnce) {
        List<ProcessGroup> groups = world(2);
        List<Tensor> sent = new ArrayList<>();
        for (long count : new long[] {3, LARGE, 5, LARGE, LARGE, 0, 9}) {
            Tensor tensor = Tensor.allocate(DType.INT64, count);
            Inputs.fill(tensor.segment(), DType.INT64, sent.size(), 0);
            sent.add(home().take(tensor, home().device(sent.size())));
        }
        Reader reader = Reader.of(atOnce);

        groups.get(1).receiveAll(0, 0).subscribe(reader);
        StreamEnds.requireCompletes(StreamEnds.drain(groups.get(0).sendAll(Flux.fromIterable(sent), 1, 0)));

        StreamEnds.requireCompletes(reader.end);
        reader.requireTook(sent.size());
    }

    @Test
    void emptyStream_completesWithoutDemand() {
        List<ProcessGroup> groups = world(2);

        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(0).sendAll(Flux.empty(), 1, 0));

        StepVerifier.create(groups.get(1).receiveAll(0, 0), 0)
                .expectSubscription()
                .expectComplete()
                .verify(LIMIT);
        StreamEnds.requireCompletes(sending);
    }

    @Test
    void completion_comesBehindTheLastTensor_withoutFurtherDemand() {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.FLOAT64, 10_000, 2);
        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(0).sendAll(source.tensors(), 1, 0));

        StepVerifier.create(groups.get(1).receiveAll(0, 0).doOnNext(Tensor::close), 0)
                .thenRequest(2)
                .expectNextCount(2)
                .expectComplete()
                .verify(LIMIT);
        StreamEnds.requireCompletes(sending);
    }

    @ParameterizedTest(name = "before={0}")
    @ValueSource(ints = {0, 1, 40})
    void errorOfTheSource_reachesTheReceiverBehindTheTensors_andTheSendersSubscriberAsItself(int before) {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.INT64, 5_000, before);
        IllegalStateException fault = new IllegalStateException("the disk of größe 0 is full");
        Reader reader = Reader.of(Long.MAX_VALUE);

        groups.get(1).receiveAll(0, 3).subscribe(reader);
        CompletableFuture<Optional<Throwable>> sending =
                StreamEnds.drain(groups.get(0).sendAll(Flux.concat(source.tensors(), Flux.error(fault)), 1, 3));

        assertThat(StreamEnds.end(sending)).containsSame(fault);
        assertThat(StreamEnds.requireError(reader.end, CommException.class))
                .hasMessageContaining(fault.getMessage())
                .hasMessageContaining("tensors=" + before);
        reader.requireTook(before);
        StreamEnds.settle(groups);
    }

    @Test
    void errorOfTheSource_isToldToTheSender_thoughNobodyReceives() {
        List<ProcessGroup> groups = world(2);
        IllegalStateException fault = new IllegalStateException("nothing to read");

        StepVerifier.create(groups.get(0).sendAll(Flux.error(fault), 1, 0)).verifyErrorMatches(error -> error == fault);
        StepVerifier.create(groups.get(1).receiveAll(0, 0), 0)
                .verifyErrorSatisfies(error -> assertThat(error).hasMessageContaining("nothing to read"));
    }

    @Test
    void streams_ofOneTag_meetInTheOrderOfTheirSubscriptions() {
        List<ProcessGroup> groups = world(2);
        Flux<Tensor> receiving = groups.get(1).receiveAll(0, 0);
        List<Reader> readers = IntStream.range(0, 5).mapToObj(i -> Reader.of(2)).toList();
        List<CompletableFuture<Optional<Throwable>>> sendings = IntStream.range(0, 5)
                .mapToObj(i -> StreamEnds.drain(
                        groups.get(0).sendAll(new Source(home(), DType.INT8, 9_000, 3 * i).tensors(), 1, 0)))
                .toList();

        readers.forEach(receiving::subscribe);

        sendings.forEach(StreamEnds::requireCompletes);
        for (int i = 0; i < 5; i++) {
            StreamEnds.requireCompletes(readers.get(i).end);
            readers.get(i).requireTook(3 * i);
        }
    }

    @Test
    void streams_ofManyTagsNamesAndBothDirections_runBesideEachOther() {
        List<ProcessGroup> groups = world(3);
        List<CompletableFuture<Optional<Throwable>>> sendings = new ArrayList<>();
        List<Reader> readers = new ArrayList<>();
        for (int from = 0; from < 3; from++) {
            for (int to = 0; to < 3; to++) {
                for (int tag = 0; from != to && tag < 6; tag++) {
                    ProcessGroup sender =
                            tag < 3 ? groups.get(from) : groups.get(from).named("layer");
                    ProcessGroup receiver =
                            tag < 3 ? groups.get(to) : groups.get(to).named("layer");
                    Source source = new Source(home(), DType.values()[tag], 700, 20 + tag);
                    Reader reader = Reader.of(1 + tag);
                    readers.add(reader);
                    receiver.receiveAll(from, tag % 3).subscribe(reader);
                    sendings.add(StreamEnds.drain(
                            sender.sendAll(source.tensors(), to, tag % 3).subscribeOn(Schedulers.parallel())));
                }
            }
        }
        sendings.forEach(StreamEnds::requireCompletes);
        for (int i = 0; i < readers.size(); i++) {
            StreamEnds.requireCompletes(readers.get(i).end);
            readers.get(i).requireTook(20 + i % 6);
        }
    }

    @Test
    void stream_besideMessagesOfTheSameTag_doesNotMixWithThem() {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.INT32, 100, 10);
        Reader reader = Reader.of(1);
        try (GuardedMemory memory = new GuardedMemory()) {
            Tensor received = memory.tensor(DType.INT32, 100);
            CompletableFuture<Outcome> any = begin(groups.get(1).receive(received, ProcessGroup.ANY, 0));

            groups.get(1).receiveAll(0, 0).subscribe(reader);
            StreamEnds.requireCompletes(StreamEnds.drain(groups.get(0).sendAll(source.tensors(), 1, 0)));
            end(begin(groups.get(0).send(memory.input(DType.INT32, 100, 77, 0), 1, 0)))
                    .work();

            end(any).work();
            StreamEnds.requireContent(received, 77);
            StreamEnds.requireCompletes(reader.end);
        }
    }

    @ParameterizedTest(name = "peer={0}")
    @ValueSource(ints = {-1, 0, 2, 1000})
    void stream_withNoOtherRank_isRefused(int peer) {
        ProcessGroup group = world(2).getFirst();

        for (Flux<Tensor> stream : List.of(group.sendAll(Flux.never(), peer, 0), group.receiveAll(peer, 0))) {
            StepVerifier.create(stream)
                    .verifyErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(InvalidCallException.class)
                            .hasMessageContaining("peer=" + peer));
        }
    }

    @Tag("smoke")
    @Test
    void tensorThatIsClosed_failsBothEnds_andIsNamed() {
        List<ProcessGroup> groups = world(2);
        Tensor closed = home().take(Tensor.allocate(DType.INT8, 3), home().device(0));
        closed.close();
        Source source = new Source(home(), DType.INT32, 10, 2);
        Reader reader = Reader.of(8);

        groups.get(1).receiveAll(0, 0).subscribe(reader);
        CompletableFuture<Optional<Throwable>> sending = StreamEnds.drain(
                groups.get(0).sendAll(Flux.concat(source.tensors(), Flux.just(closed), Flux.never()), 1, 0));

        assertThat(StreamEnds.requireError(sending, InvalidCallException.class)).hasMessageContaining("INT8[3]");
        assertThat(StreamEnds.requireError(reader.end, InvalidCallException.class))
                .hasMessageContaining("INT8[3]");
        reader.requireTook(2);
        StreamEnds.settle(groups);
    }

    @Test
    void signals_comeOnAThreadThatMustNotBlock() {
        List<ProcessGroup> groups = world(2);
        Source source = new Source(home(), DType.INT32, 10, 20);
        List<Boolean> nonBlocking = new ArrayList<>();

        CompletableFuture<Optional<Throwable>> sending = StreamEnds.drain(groups.get(0)
                .sendAll(source.tensors(), 1, 0)
                .doOnNext(ignored -> nonBlocking.add(Schedulers.isInNonBlockingThread())));
        groups.get(1)
                .receiveAll(0, 0)
                .doOnNext(Tensor::close)
                .all(ignored -> Schedulers.isInNonBlockingThread())
                .as(StepVerifier::create)
                .expectNext(true)
                .expectComplete()
                .verify(LIMIT);

        StreamEnds.requireCompletes(sending);
        assertThat(nonBlocking).hasSize(20).containsOnly(true);
    }
}
