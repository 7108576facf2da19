package io.reactivecomm.internal.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivecomm.GroupClosedException;
import io.reactivecomm.LocalWorld;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;

/** Subscribers that come when the rank has left, or behind one that breaks, are told all the same. */
class LateSubscribersTest {

    private static final int THREADS = 4;
    private static final int EACH = 20_000;

    @Test
    void subscribers_ofManyThreads_afterClose_allFail() throws InterruptedException {
        try (LocalWorld world = ReactiveComm.local(2)) {
            ProcessGroup left = world.groups().getFirst();
            left.close();
            CountDownLatch ends = new CountDownLatch(THREADS * EACH);
            AtomicInteger refused = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    for (int n = 0; n < EACH; n++) {
                        left.barrier().subscribe(work -> {}, error -> {
                            refused.addAndGet(error instanceof GroupClosedException ? 1 : 0);
                            ends.countDown();
                        });
                    }
                }));
            }
            for (Thread thread : threads) {
                assertThat(thread.join(Duration.ofSeconds(20)))
                        .as("a thread ended")
                        .isTrue();
            }
            assertThat(ends.await(20, TimeUnit.SECONDS))
                    .as("all ended: left=%s", ends.getCount())
                    .isTrue();
            assertThat(refused).hasValue(THREADS * EACH);
        }
    }

    /** Both calls end in one turn, because both are subscribed to in one callback. */
    @Test
    void subscriber_behindOneThatThrowsAnError_isTold() throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        try (LocalWorld world = ReactiveComm.local(1)) {
            ProcessGroup group = world.groups().getFirst();
            group.barrier().subscribe(work -> {
                group.barrier().subscribe(new Thrower());
                group.barrier().subscribe(next -> told.countDown());
            });

            assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static final class Thrower extends BaseSubscriber<Work> {

        @Override
        protected void hookOnNext(Work work) {
            throw new NoClassDefFoundError("expected in this test's log");
        }
    }

    @Test
    void name_thatIsTooLongForTheWire_isRefusedAtOnce() {
        try (LocalWorld world = ReactiveComm.local(1)) {
            ProcessGroup group = world.groups().getFirst();

            assertThat(group.named("x".repeat(1024)).size()).isEqualTo(1);
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> group.named("é".repeat(513)))
                    .withMessageContaining("bytes=1026");
        }
    }
}
