package io.reactivecomm.internal.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.GroupClosedException;
import io.reactivecomm.spi.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Hooks;
import reactor.test.StepVerifier;

/** The listeners that are told of a group's end. */
class GroupEndTest {

    private static final long SHORT_STACK_BYTES = 256 << 10;

    private static final Failure ABORTED = new Failure(Failure.Kind.CLOSED, 3, "the group was aborted: reason=enough");

    private final GroupEnd end = new GroupEnd();

    @Test
    void firstEnd_isTheEnd_forThoseBeforeAndAfter() {
        StepVerifier.create(end)
                .then(() -> end.failed(ABORTED))
                .expectErrorSatisfies(GroupEndTest::requireAborted)
                .verify(Duration.ofSeconds(10));
        end.closed();
        end.failed(new Failure(Failure.Kind.PEER_LOST, 1, "later"));
        StepVerifier.create(end)
                .expectErrorSatisfies(GroupEndTest::requireAborted)
                .verify(Duration.ofSeconds(10));
        assertThat(end.waiting()).isZero();
    }

    private static void requireAborted(Throwable error) {
        assertThat(error).isInstanceOf(GroupClosedException.class).hasMessageContaining("reason=enough");
    }

    @Test
    void end_withoutDemand_isTold() {
        StepVerifier.create(end, 0).then(end::closed).expectComplete().verify(Duration.ofSeconds(10));
        StepVerifier.create(end, 0).expectComplete().verify(Duration.ofSeconds(10));
    }

    @Test
    void subscriptions_thatWereCancelled_leaveNothing_andTheOthersAlone() {
        List<String> told = new ArrayList<>();
        end.subscribe(null, null, () -> told.add("first"));
        List<Disposable> cancelled = IntStream.range(0, 10_000)
                .mapToObj(i -> end.subscribe(null, null, () -> told.add("cancelled")))
                .toList();
        end.subscribe(null, null, () -> told.add("last"));
        cancelled.forEach(Disposable::dispose);
        cancelled.forEach(Disposable::dispose);
        assertThat(end.waiting()).isEqualTo(2);

        end.closed();

        assertThat(told).containsExactlyInAnyOrder("first", "last");
        assertThat(end.waiting()).isZero();
    }

    /** However many there are, on however short a stack. */
    @Test
    void manyThatThrowWhatIsFatal_keepNobodyFromBeingTold() throws InterruptedException {
        int many = 2_000;
        int[] told = {0};
        OutOfMemoryError fatal = new OutOfMemoryError("made up");
        // Reactor logs each.
        fatal.setStackTrace(new StackTraceElement[0]);
        for (int i = 0; i < many; i++) {
            end.subscribe(new Listener() {
                @Override
                public void onComplete() {
                    told[0]++;
                    throw fatal;
                }
            });
        }
        List<Throwable> thrown = new ArrayList<>();
        Thread closing = new Thread(null, end::closed, "closing", SHORT_STACK_BYTES);
        closing.setUncaughtExceptionHandler((thread, error) -> thrown.add(error));
        closing.start();
        closing.join();
        assertThat(thrown).containsExactly(fatal);
        assertThat(told[0]).isEqualTo(many);
        assertThat(end.waiting()).isZero();
    }

    @Test
    void cancelled_inOnSubscribe_leavesNothing() {
        end.subscribe(new Listener() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.cancel();
            }
        });
        assertThat(end.waiting()).isZero();
        end.closed();
    }

    @Test
    void demandThatIsNone_isAnError() {
        Listener listener = new Listener() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(0);
            }
        };
        end.subscribe(listener);
        end.closed();
        assertThat(listener.errors).singleElement().isInstanceOf(IllegalArgumentException.class);
        assertThat(listener.completions).isZero();
    }

    @Test
    void subscriber_thatThrows_takesNothingFromTheOthers() {
        List<Throwable> dropped = new ArrayList<>();
        List<Listener> listeners =
                IntStream.range(0, 5).mapToObj(i -> new Listener()).toList();
        Hooks.onErrorDropped(dropped::add);
        try {
            listeners.forEach(end::subscribe);
            end.closed();
        } finally {
            Hooks.resetOnErrorDropped();
        }
        assertThat(listeners).allSatisfy(each -> assertThat(each.completions).isOne());
        assertThat(dropped).hasSize(5);
    }

    /** A listener that throws whatever it is told. */
    private static class Listener implements CoreSubscriber<Void> {

        private final List<Throwable> errors = new ArrayList<>();
        private int completions;

        @Override
        public void onSubscribe(Subscription subscription) {}

        @Override
        public void onNext(Void nothing) {}

        @Override
        public void onError(Throwable error) {
            errors.add(error);
        }

        @Override
        public void onComplete() {
            completions++;
            throw new IllegalStateException("a subscriber's own fault");
        }
    }
}
