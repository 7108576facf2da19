package io.reactivecomm.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** However a stream ends, neither rank keeps a call or a message of it. */
class NothingIsLeftTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final LocalWorld world = ReactiveComm.local(2);
    private final ProcessGroup sender = world.groups().get(0);
    private final ProcessGroup receiver = world.groups().get(1);
    private final List<Tensor> sources = new ArrayList<>();

    @AfterEach
    void close() {
        world.close();
        sources.forEach(Tensor::close);
    }

    /** Two tensors again and again: one that goes along with its announcement, and one that does not. */
    private Flux<Tensor> tensors() {
        sources.add(Tensor.allocate(DType.INT8, 100));
        sources.add(Tensor.allocate(DType.FLOAT32, 50_000));
        return Flux.range(0, Integer.MAX_VALUE).map(i -> sources.get(sources.size() - 1 - i % 2));
    }

    private void requireNothingIsLeft() {
        assertThat(EngineState.settled(world.groups())).containsOnly(EngineState.EMPTY);
    }

    @ParameterizedTest(name = "tensors={0}")
    @ValueSource(ints = {0, 1, 5, 100})
    void completion(int count) {
        Mono<Long> sending = sender.sendAll(tensors().take(count), 1, 0).count();
        Mono<Long> receiving = receiver.receiveAll(0, 0).doOnNext(Tensor::close).count();

        StepVerifier.create(Mono.zip(sending, receiving))
                .expectNextMatches(both -> both.getT1() == count && both.getT2() == count)
                .expectComplete()
                .verify(LIMIT);

        requireNothingIsLeft();
    }

    @ParameterizedTest(name = "tensors={0}")
    @ValueSource(ints = {0, 1, 5, 100})
    void errorOfTheSource(int count) {
        Flux<Tensor> failing = Flux.concat(tensors().take(count), Flux.error(new IllegalStateException("empty")));

        Mono<Void> both = Mono.whenDelayError(
                sender.sendAll(failing, 1, 0), receiver.receiveAll(0, 0).doOnNext(Tensor::close));

        StepVerifier.create(both).expectError().verify(LIMIT);
        requireNothingIsLeft();
    }

    @ParameterizedTest(name = "tensors={0}")
    @ValueSource(ints = {0, 1, 5, 100})
    void cancellationOfTheReceiver(int count) {
        for (int prefetch : new int[] {1, 3, 256}) {
            Mono<Void> sending = sender.sendAll(tensors(), 1, 0).then();
            Flux<Tensor> receiving = receiver.receiveAll(0, 0).doOnNext(Tensor::close);

            receiving = receiving.limitRate(prefetch).doOnDiscard(Tensor.class, Tensor::close);
            Mono<Void> some = count == 0
                    ? Mono.fromRunnable(receiving.subscribe()::dispose)
                    : receiving.take(count, false).then();
            StepVerifier.create(Mono.when(sending, some)).expectComplete().verify(LIMIT);

            requireNothingIsLeft();
        }
    }

    @ParameterizedTest(name = "tensors={0}")
    @ValueSource(ints = {0, 1, 5, 100})
    void cancellationOfTheSender(int count) {
        Flux<Tensor> sending = sender.sendAll(tensors(), 1, 0);
        Mono<Void> some = count == 0
                ? Mono.fromRunnable(sending.subscribe()::dispose)
                : sending.take(count, false).then();

        some.subscribe();
        StepVerifier.create(receiver.receiveAll(0, 0).doOnNext(Tensor::close).then())
                .expectError(CommException.class)
                .verify(LIMIT);

        requireNothingIsLeft();
    }

    @Test
    void deadlineThatStruck() {
        Mono<Void> sending = sender.sendAll(Flux.concat(tensors().take(3), Flux.never()), 1, 0)
                .then();
        Mono<Void> receiving = receiver.timeout(Duration.ofMillis(100))
                .receiveAll(0, 0)
                .doOnNext(Tensor::close)
                .then();

        StepVerifier.create(Mono.whenDelayError(sending, receiving))
                .expectError()
                .verify(LIMIT);

        requireNothingIsLeft();
    }

    @Test
    void aThousandStreams() {
        for (int i = 0; i < 17; i++) {
            int cancelAfter = i % 4;
            Flux<Integer> sending = Flux.range(0, 60)
                    .flatMap(tag -> sender.sendAll(tensors().take(2), 1, tag).then(Mono.just(tag)), 60);
            Flux<Integer> receiving = Flux.range(0, 60)
                    .flatMap(
                            tag -> receiver.receiveAll(0, tag)
                                    .doOnNext(Tensor::close)
                                    .take(1 + cancelAfter, false)
                                    .then(Mono.just(tag)),
                            60);
            Mono.when(sending, receiving).block(LIMIT);
        }

        requireNothingIsLeft();
    }
}
