package io.reactivecomm.internal.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

class SharedEndTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final int LENGTH = 10_000;

    private final Sinks.Empty<Void> first = Sinks.empty();

    /** {@return the ends of a chain, each of which waits for the one before} */
    private List<Mono<Void>> chain() {
        List<Mono<Void>> ends = new ArrayList<>();
        Mono<Void> before = first.asMono();
        for (int i = 0; i < LENGTH; i++) {
            before = SharedEnd.of(Mono.when(before).then(Mono.empty()));
            ends.add(before);
        }
        return ends;
    }

    @Test
    void longChain_whoseFirstFails_fails() {
        List<Mono<Void>> ends = chain();
        AtomicInteger failed = new AtomicInteger();
        ends.forEach(each -> each.subscribe(ignored -> {}, error -> failed.incrementAndGet(), () -> {}));
        first.tryEmitError(new IllegalStateException("planted"));
        assertThat(failed).hasValue(LENGTH);
        StepVerifier.create(ends.getLast()).expectErrorMessage("planted").verify(LIMIT);
    }

    @Test
    void longChain_whoseFirstSucceeds_succeeds() {
        List<Mono<Void>> ends = chain();
        first.tryEmitEmpty();
        StepVerifier.create(ends.getLast()).expectComplete().verify(LIMIT);
    }

    @Test
    void subscriberThatDies_takesTheEndFromNobodyElse() {
        List<Mono<Void>> ends = chain();
        ends.get(5).subscribe(ignored -> {}, error -> {}, () -> {
            throw new OutOfMemoryError("planted");
        });
        try {
            first.tryEmitEmpty();
        } catch (OutOfMemoryError planted) {
            assertThat(planted).hasMessage("planted");
        }
        StepVerifier.create(ends.getLast()).expectComplete().verify(LIMIT);
    }

    /** A chain of which something is always under way would grow without bound. */
    @Test
    void end_thatHasCome_refersToNothingBeforeIt() {
        Sinks.Empty<Void> last = Sinks.empty();
        WeakReference<Object> begun = new WeakReference<>(new Object());
        List<WeakReference<Object>> memory = new ArrayList<>();
        Mono<Void> end = behind(first.asMono(), last.asMono(), memory);
        first.tryEmitEmpty();
        for (int i = 0; i < 50 && (memory.getFirst().get() != null || begun.get() != null); i++) {
            System.gc();
        }
        assertThat(begun.get()).as("the collector has run").isNull();
        assertThat(memory.getFirst().get()).as("the end that came first").isNull();
        last.tryEmitEmpty();
        StepVerifier.create(end).expectComplete().verify(LIMIT);
    }

    /** {@return an end of two, of which the first holds memory} */
    private static Mono<Void> behind(Mono<Void> before, Mono<Void> last, List<WeakReference<Object>> memory) {
        Object held = new Object();
        memory.add(new WeakReference<>(held));
        Mono<Void> over =
                SharedEnd.of(before.doFinally(signal -> assertThat(held).isNotNull()));
        return SharedEnd.of(over.then(last));
    }
}
