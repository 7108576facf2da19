package io.reactivecomm.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Work;
import io.reactivecomm.internal.engine.CallSink;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class BatchTest {

    private static Work work(int sequence) {
        return new CallSink.Success("send", List.of(), sequence, 0, 0, "links", "direct", 0, "", 1, null);
    }

    @Test
    void batch_ofNothing_isAnEmptyList() {
        StepVerifier.create(Batch.of(List.of(), Runnable::run))
                .expectNext(List.of())
                .verifyComplete();
    }

    @Test
    void batch_subscribesToAll_andEmitsInTheOrderOfTheList_onceAllHaveEnded() {
        List<Sinks.One<Work>> sinks = IntStream.range(0, 1_000)
                .<Sinks.One<Work>>mapToObj(i -> Sinks.one())
                .toList();
        List<Work> expected =
                IntStream.range(0, 1_000).mapToObj(BatchTest::work).toList();
        List<Work> results = new ArrayList<>();

        StepVerifier.create(Batch.of(sinks.stream().map(Sinks.One::asMono).toList(), Runnable::run))
                .then(() -> IntStream.iterate(999, i -> i > 0, i -> i - 1)
                        .forEach(i -> sinks.get(i).tryEmitValue(expected.get(i)).orThrow()))
                .then(() -> assertThat(results).isEmpty())
                .then(() -> sinks.get(0).tryEmitValue(expected.get(0)).orThrow())
                .consumeNextWith(results::addAll)
                .verifyComplete();

        assertThat(results).containsExactlyElementsOf(expected);
    }

    @Test
    void batch_withFailures_tellsTheFirst_withTheOthersSuppressed_onceAllHaveEnded() {
        List<Sinks.One<Work>> sinks = IntStream.range(0, 4)
                .<Sinks.One<Work>>mapToObj(i -> Sinks.one())
                .toList();
        IllegalStateException first = new IllegalStateException("first");
        IllegalStateException second = new IllegalStateException("second");
        List<Throwable> told = new ArrayList<>();
        Batch.of(sinks.stream().map(Sinks.One::asMono).toList(), Runnable::run).subscribe(ignored -> {}, told::add);

        sinks.get(2).tryEmitError(first).orThrow();
        sinks.get(0).tryEmitError(second).orThrow();
        sinks.get(1).tryEmitError(first).orThrow();
        assertThat(told).isEmpty();
        sinks.get(3).tryEmitValue(work(3)).orThrow();

        assertThat(told).containsExactly(first);
        assertThat(first).hasSuppressedException(second);
        assertThat(first.getSuppressed()).hasSize(1);
    }

    @Test
    void batch_cancelledAtOnce_begins_andCancelsNoCall() {
        TestPublisher<Work> one = TestPublisher.create();
        TestPublisher<Work> other = TestPublisher.create();

        StepVerifier.create(Batch.of(List.of(one.mono(), other.mono()), Runnable::run))
                .thenCancel()
                .verify();

        one.assertWasSubscribed();
        other.assertWasSubscribed();
        one.assertNotCancelled();
        other.assertNotCancelled();
    }

    @Test
    void batch_subscribedToAgain_subscribesAgain() {
        int[] subscriptions = new int[1];
        Mono<Work> call = Mono.fromSupplier(() -> work(subscriptions[0]++));
        Mono<List<Work>> batch = Batch.of(List.of(call, call), Runnable::run);

        StepVerifier.create(batch.repeat(1))
                .expectNext(List.of(work(0), work(1)), List.of(work(2), work(3)))
                .verifyComplete();
    }
}
