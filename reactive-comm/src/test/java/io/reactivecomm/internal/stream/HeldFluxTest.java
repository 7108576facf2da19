package io.reactivecomm.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A subscriber of a held Flux that breaks the rules. */
class HeldFluxTest {

    private static final RuntimeException THROWN = new IllegalStateException("planted");

    private static final class Loop implements ResultLoop {

        private final List<Awaited> held = new ArrayList<>();

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void hold(Awaited awaited) {
            held.add(awaited);
        }

        @Override
        public void letGo(Awaited awaited) {
            held.remove(awaited);
        }
    }

    private static final class Thrower implements CoreSubscriber<String> {

        @Override
        public void onSubscribe(Subscription subscription) {
            throw THROWN;
        }

        @Override
        public void onNext(String item) {}

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onComplete() {}
    }

    @Test
    void subscriber_thatThrowsAsItIsGivenItsSubscription_countsAsOneThatCancels() {
        Loop loop = new Loop();
        AtomicInteger cancellations = new AtomicInteger();
        HeldFlux<String> flux = new HeldFlux<>(
                loop,
                subscriber -> subscriber.onSubscribe(new Subscription() {

                    @Override
                    public void request(long n) {}

                    @Override
                    public void cancel() {
                        cancellations.incrementAndGet();
                    }
                }));
        CoreSubscriber<String> thrower = new Thrower();
        assertThatThrownBy(() -> flux.subscribe(thrower)).isSameAs(THROWN);
        assertThat(cancellations).hasValue(1);
        assertThat(loop.held).isEmpty();
    }
}
