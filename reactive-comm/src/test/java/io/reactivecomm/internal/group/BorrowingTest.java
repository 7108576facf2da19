package io.reactivecomm.internal.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.Tensor;
import io.reactivecomm.Work;
import io.reactivecomm.spi.Failure;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Hooks;

class BorrowingTest {

    private static final class Sink extends Borrowing {

        @Override
        CoreSubscriber<?> subscriber() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public void succeeded(Work work) {}

        @Override
        public void failed(Failure cause) {}
    }

    @Test
    void borrow_ofATensorThatRefuses_passesItsReasonOn_andHoldsNone() {
        InvalidCallException refusal = new InvalidCallException("planted");
        Tensor refusing = (Tensor) Proxy.newProxyInstance(
                Tensor.class.getClassLoader(), new Class<?>[] {Tensor.class}, (proxy, method, arguments) -> {
                    throw refusal;
                });
        try (Tensor sound = Tensor.of(new float[1])) {
            assertThatThrownBy(() -> new Sink().borrow(List.of(sound, refusing), "all-reduce"))
                    .isSameAs(refusal);
            assertThat(sound.released().toFuture()).isDone();
        }
    }

    @Test
    void borrow_ofATensorThatIsClosed_namesIt_andHoldsNone() {
        Tensor closed = Tensor.of(new float[1]);
        closed.close();
        try (Tensor sound = Tensor.of(new float[1])) {
            assertThatThrownBy(() -> new Sink().borrow(List.of(sound, closed), "all-reduce"))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContaining("tensor=" + closed);
            assertThat(sound.released().toFuture()).isDone();
        }
    }

    /** A waiter whose callback throws a checked exception undeclared, as code in Kotlin and Scala may. */
    private record Dying(Throwable thrown) implements CoreSubscriber<Void> {

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> void throwUndeclared(Throwable thrown) throws E {
            throw (E) thrown;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            subscription.request(1);
        }

        @Override
        public void onNext(Void nothing) {}

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onComplete() {
            throwUndeclared(thrown);
        }
    }

    @Test
    void giveBack_whereAWaiterDies_givesTheOthersBack_andThrowsThatOn() {
        try (Tensor first = Tensor.of(new float[1]);
                Tensor second = Tensor.of(new float[1])) {
            Sink sink = new Sink();
            sink.borrow(List.of(first, second), "all-reduce");
            first.released().subscribe(new Dying(new OutOfMemoryError("made up")));
            assertThatThrownBy(sink::giveBack).isInstanceOf(OutOfMemoryError.class);
            assertThat(second.released().toFuture()).isDone();
        }
    }

    @Test
    void giveBack_whereAWaiterThrowsACheckedException_givesTheOthersBack() {
        Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();
        Hooks.onErrorDropped(dropped::add);
        try (Tensor first = Tensor.of(new float[1]);
                Tensor second = Tensor.of(new float[1])) {
            Sink sink = new Sink();
            sink.borrow(List.of(first, second), "all-reduce");
            IOException thrown = new IOException("made up");
            first.released().subscribe(new Dying(thrown));
            sink.giveBack();
            assertThat(dropped).containsExactly(thrown);
            assertThat(second.released().toFuture()).isDone();
        } finally {
            Hooks.resetOnErrorDropped();
        }
    }
}
