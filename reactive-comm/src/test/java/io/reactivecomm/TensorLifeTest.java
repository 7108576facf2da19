package io.reactivecomm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.internal.base.Thrown;
import io.reactivecomm.internal.memory.NativeMemory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.test.StepVerifier;

@Timeout(30)
class TensorLifeTest {

    private static final int THREADS = 4;

    private final NativeMemory memory = NativeMemory.allocate(64, null);
    private final TensorLife life = new TensorLife(memory::closed, memory::free);

    private static boolean isAlive(NativeMemory memory) {
        return memory.segment().scope().isAlive();
    }

    @Test
    void close_unborrowed_frees() {
        life.close();

        assertThat(life.isClosed()).isTrue();
        assertThat(isAlive(memory)).isFalse();
    }

    @Test
    void close_borrowed_freesWithTheLastGiveBack() {
        assertThat(life.borrow()).isTrue();
        assertThat(life.borrow()).isTrue();
        life.close();
        assertThat(life.isClosed()).isTrue();

        life.giveBack();
        assertThat(isAlive(memory)).isTrue();
        life.giveBack();
        assertThat(isAlive(memory)).isFalse();
    }

    @Test
    void close_twice_isIdempotent() {
        assertThat(life.borrow()).isTrue();
        life.close();
        life.close();
        life.giveBack();
        life.close();

        assertThat(isAlive(memory)).isFalse();
    }

    @Test
    void borrow_closed_isRefused() {
        life.close();

        assertThat(life.borrow()).isFalse();
    }

    @Test
    void giveBack_unbalanced_throws() {
        assertThatThrownBy(life::giveBack)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("borrows=0");
        assertThat(life.borrow()).isTrue();
        life.giveBack();
        assertThatThrownBy(life::giveBack).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void giveBack_unbalancedAfterClose_throws() {
        life.close();

        assertThatThrownBy(life::giveBack).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void released_unborrowed_completesAtOnce() {
        StepVerifier.create(life.released()).verifyComplete();
    }

    @Test
    void released_borrowed_completesWithTheLastGiveBack() {
        assertThat(life.borrow()).isTrue();
        assertThat(life.borrow()).isTrue();
        AtomicBoolean first = new AtomicBoolean();
        AtomicBoolean second = new AtomicBoolean();
        life.released().subscribe(null, null, () -> first.set(true));
        life.released().subscribe(null, null, () -> second.set(true));

        life.giveBack();
        assertThat(first).isFalse();
        life.giveBack();
        assertThat(first).isTrue();
        assertThat(second).isTrue();
    }

    @Test
    void released_closedWhileBorrowed_completesOnceFreed() {
        assertThat(life.borrow()).isTrue();
        life.close();
        AtomicBoolean wasAlive = new AtomicBoolean(true);
        life.released().subscribe(null, null, () -> wasAlive.set(isAlive(memory)));

        life.giveBack();
        assertThat(wasAlive).isFalse();
    }

    @Test
    void released_subscribedAgain_asksAgain() {
        assertThat(life.borrow()).isTrue();
        var released = life.released();
        StepVerifier.create(released).then(life::giveBack).verifyComplete();
        assertThat(life.borrow()).isTrue();
        AtomicBoolean isReleased = new AtomicBoolean();
        released.subscribe(null, null, () -> isReleased.set(true));

        assertThat(isReleased).isFalse();
        life.giveBack();
        assertThat(isReleased).isTrue();
    }

    @Test
    void released_cancelled_doesNotDisturbOthers() {
        assertThat(life.borrow()).isTrue();
        life.released().subscribe().dispose();

        StepVerifier.create(life.released()).then(life::giveBack).verifyComplete();
    }

    /** Borrowers race with a close: whoever borrows finds the memory alive, and the last to let go frees it. */
    @Test
    void borrow_racingWithClose_keepsMemoryAlive() throws Exception {
        for (int round = 0; round < 200; round++) {
            NativeMemory memory = NativeMemory.allocate(64, null);
            TensorLife raced = new TensorLife(memory::closed, memory::free);
            CyclicBarrier start = new CyclicBarrier(THREADS + 1);
            Callable<Boolean> borrower = () -> {
                start.await();
                boolean wasAlive = true;
                while (raced.borrow()) {
                    wasAlive &= isAlive(memory);
                    raced.giveBack();
                }
                return wasAlive;
            };
            Callable<Boolean> closer = () -> {
                start.await();
                raced.close();
                return true;
            };
            assertThat(ran(THREADS, borrower, closer)).containsOnly(true);
            assertThat(isAlive(memory)).isFalse();
        }
    }

    /**
     * While this thread borrows, no zero of the other may complete its waiter; once both let go, every waiter
     * completes.
     */
    @Test
    void released_racingWithBorrower_completesNeitherEarlyNorNever() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        AtomicBoolean isOver = new AtomicBoolean();
        List<AtomicBoolean> signals = new ArrayList<>();
        Callable<Boolean> borrower = () -> {
            start.await();
            while (!isOver.get()) {
                life.borrow();
                life.giveBack();
            }
            return true;
        };
        Callable<Boolean> waiter = () -> {
            start.await();
            boolean wasEarly = false;
            for (int i = 0; i < 150_000; i++) {
                AtomicBoolean signal = new AtomicBoolean();
                signals.add(signal);
                life.borrow();
                life.released().subscribe(null, null, () -> signal.set(true));
                spin(8);
                wasEarly |= signal.get();
                life.giveBack();
            }
            isOver.set(true);
            return !wasEarly;
        };

        assertThat(ran(1, borrower, waiter)).containsOnly(true);
        assertThat(signals).allMatch(AtomicBoolean::get);
    }

    static Stream<Throwable> thrownByWaiters() {
        return Stream.of(new OutOfMemoryError("of a subscriber"), new IOException("of a subscriber"));
    }

    /** The last that came is woken first. */
    @ParameterizedTest
    @MethodSource("thrownByWaiters")
    void released_whereOneWaiterDies_wakesTheOthers(Throwable thrown) {
        List<String> woken = new ArrayList<>();
        life.borrow();
        life.released().subscribe(null, null, () -> woken.add("first"));
        life.released().subscribe(new CoreSubscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(Void nothing) {}

            @Override
            public void onError(Throwable error) {}

            @Override
            public void onComplete() {
                Thrown.on(thrown);
            }
        });
        life.released().subscribe(null, null, () -> woken.add("third"));

        assertThatThrownBy(life::giveBack).isSameAs(thrown);

        assertThat(woken).containsExactly("third", "first");
    }

    /** A waiter that arrives together with the last to let go is woken by one of the two. */
    @Test
    void released_racingWithTheLastGiveBack_alwaysCompletes() throws Exception {
        int rounds = 30_000;
        AtomicInteger borrowed = new AtomicInteger();
        AtomicInteger givenBack = new AtomicInteger();
        AtomicInteger checked = new AtomicInteger();
        Callable<Boolean> borrower = () -> {
            for (int round = 1; round <= rounds; round++) {
                life.borrow();
                borrowed.set(round);
                spin(round % 64);
                life.giveBack();
                givenBack.set(round);
                await(checked, round);
            }
            return true;
        };
        Callable<Boolean> waiter = () -> {
            boolean wasWoken = true;
            for (int round = 1; round <= rounds; round++) {
                AtomicBoolean signal = new AtomicBoolean();
                await(borrowed, round);
                life.released().subscribe(null, null, () -> signal.set(true));
                await(givenBack, round);
                wasWoken &= signal.get();
                checked.set(round);
            }
            return wasWoken;
        };
        assertThat(ran(1, borrower, waiter)).containsOnly(true);
    }

    private static void await(AtomicInteger value, int expected) {
        while (value.get() < expected) {
            Thread.onSpinWait();
        }
    }

    private static void spin(int times) {
        for (int i = 0; i < times; i++) {
            Thread.onSpinWait();
        }
    }

    private static List<Boolean> ran(int borrowers, Callable<Boolean> borrower, Callable<Boolean> other)
            throws Exception {
        List<Boolean> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(borrowers + 1)) {
            List<Future<Boolean>> futures = new ArrayList<>();
            for (int i = 0; i < borrowers; i++) {
                futures.add(threads.submit(borrower));
            }
            futures.add(threads.submit(other));
            for (Future<Boolean> future : futures) {
                results.add(future.get());
            }
        }
        return results;
    }
}
