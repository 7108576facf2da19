package io.reactivecomm.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** The other end breaks the protocol: this end fails with a typed error, takes no memory for it, and tells the other. */
class HostileStreamTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private LocalWorld world;
    private ProcessGroup honest;
    private StreamMessages lines;

    @BeforeEach
    void open() {
        world = ReactiveComm.local(2);
        honest = world.groups().get(1);
        lines = new StreamMessages(world.groups().get(0), "sendAll", "", 0, 1, 0);
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static Tensor note(ControlMessage note) {
        Tensor tensor = Tensor.allocate(DType.UINT8, ControlMessage.BYTES);
        note.write(tensor.segment());
        return tensor;
    }

    private static ControlMessage.Item item(DType type, Long... shape) {
        return new ControlMessage.Item(type, List.of(shape));
    }

    static Stream<ControlMessage> badItems() {
        return Stream.of(
                item(DType.INT8, Long.MAX_VALUE),
                item(DType.FLOAT64, Long.MAX_VALUE),
                item(DType.FLOAT64, 1L << 61),
                item(DType.INT8, 1L << 32, 1L << 32),
                item(DType.INT8, 1L << 62, 4L),
                item(DType.INT32, 1L << 20, 1L << 20, 1L << 20, 1L << 20),
                new ControlMessage.Credit(5),
                new ControlMessage.Complete(0),
                new ControlMessage.Done());
    }

    @ParameterizedTest
    @MethodSource("badItems")
    void receiver_ofAnItemThatCannotBe_fails_andRefusesTheRest(ControlMessage bad) {
        Mono<Work> item = lines.sendItem(note(bad)).cache();
        item.subscribe();
        Tensor answer = Tensor.allocate(DType.UINT8, ControlMessage.BYTES);

        StepVerifier.create(honest.receiveAll(0, 0))
                .expectErrorSatisfies(error -> assertThat(error).isInstanceOf(InvalidCallException.class))
                .verify(LIMIT);

        item.block(LIMIT);
        lines.awaitAnswer(answer).block(LIMIT);
        assertThat(ControlMessage.read(answer.segment())).isInstanceOf(ControlMessage.Credit.class);
        lines.awaitAnswer(answer).block(LIMIT);
        assertThat(ControlMessage.read(answer.segment())).isInstanceOf(ControlMessage.Refused.class);
    }

    @Test
    void refusedItem_failsItsPayloadAtOnce() {
        lines.sendItem(note(item(DType.INT8, Long.MAX_VALUE))).subscribe();
        Mono<?> payload = lines.sendPayload(Tensor.allocate(DType.INT8, 100)).cache();
        payload.subscribe(ignored -> {}, ignored -> {});

        StepVerifier.create(honest.receiveAll(0, 0))
                .expectError(InvalidCallException.class)
                .verify(LIMIT);

        StepVerifier.create(payload).expectError(CommException.class).verify(LIMIT);
    }

    static Stream<ControlMessage> badEnds() {
        return Stream.of(
                new ControlMessage.Complete(1),
                new ControlMessage.Complete(Long.MAX_VALUE),
                new ControlMessage.Broken(7, ""),
                new ControlMessage.Last(),
                new ControlMessage.Credit(1));
    }

    @ParameterizedTest
    @MethodSource("badEnds")
    void receiver_ofAnEndThatDoesNotFit_fails(ControlMessage bad) {
        lines.sendEnd(note(bad)).subscribe();

        StepVerifier.create(honest.receiveAll(0, 0), 0)
                .expectError(InvalidCallException.class)
                .verify(LIMIT);
    }

    @Test
    void receiver_ofFewerItemsThanTheEndSays_fails() {
        lines.sendLast(note(new ControlMessage.Last())).subscribe();
        lines.sendEnd(note(new ControlMessage.Complete(3))).subscribe();

        StepVerifier.create(honest.receiveAll(0, 0), 10)
                .expectError(InvalidCallException.class)
                .verify(LIMIT);
    }

    static Stream<ControlMessage> badAnswers() {
        return Stream.of(new ControlMessage.Complete(1), new ControlMessage.Last(), item(DType.INT8, 3L));
    }

    @ParameterizedTest
    @MethodSource("badAnswers")
    void sender_ofAnAnswerThatMakesNoSense_fails_andCancelsItsSource(ControlMessage bad) {
        lines.sendAnswer(note(bad)).subscribe();
        boolean[] cancelled = new boolean[1];

        StepVerifier.create(honest.sendAll(Flux.<Tensor>never().doOnCancel(() -> cancelled[0] = true), 0, 0))
                .expectError(InvalidCallException.class)
                .verify(LIMIT);

        assertThat(cancelled[0]).isTrue();
    }
}
