package io.reactivecomm.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.Meeting;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Hooks;

/** The contract of {@link Meeting#blocking}, over a barrier of threads, and what it does with functions that are cancelled. */
@Timeout(60)
class BlockingMeetingTest extends MeetingContract {

    @Override
    protected List<Meeting> meetings(int size) {
        List<byte[]> table = Collections.synchronizedList(new ArrayList<>(Collections.nCopies(size, new byte[0])));
        CyclicBarrier all = new CyclicBarrier(size);
        return IntStream.range(0, size)
                .mapToObj(rank -> Meeting.blocking(rank, size, own -> {
                    table.set(rank, own);
                    all.await();
                    List<byte[]> records = List.copyOf(table);
                    all.await();
                    return records;
                }))
                .toList();
    }

    /** A function under way, and what it notices. */
    private static final class Endless {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch noticed = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private final CountDownLatch ended = new CountDownLatch(1);
        private final AtomicInteger interrupts = new AtomicInteger();

        private void releaseAfterInterrupt() {
            try {
                assertThat(noticed.await(20, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            released.countDown();
        }

        /** Returns when it is released, whatever interrupts it. */
        private List<byte[]> stubborn(byte[] own) {
            begun.countDown();
            while (released.getCount() > 0) {
                try {
                    released.await();
                } catch (InterruptedException e) {
                    interrupts.incrementAndGet();
                    noticed.countDown();
                }
            }
            ended.countDown();
            return List.of(own, own);
        }

        private List<byte[]> obedient(byte[] own) throws InterruptedException {
            begun.countDown();
            try {
                released.await();
                return List.of(own, own);
            } catch (InterruptedException e) {
                interrupts.incrementAndGet();
                throw e;
            } finally {
                ended.countDown();
            }
        }
    }

    private static void expectSilence(Meeting meeting, Endless function, Runnable release) throws InterruptedException {
        Queue<Object> signals = new ConcurrentLinkedQueue<>();
        Hooks.onErrorDropped(signals::add);
        Hooks.onNextDropped(signals::add);
        try {
            Disposable round = meeting.allGather(new byte[Meeting.RECORD_BYTES]).subscribe(signals::add, signals::add);
            assertThat(function.begun.await(20, TimeUnit.SECONDS)).isTrue();
            Thread thread = Thread.getAllStackTraces().keySet().stream()
                    .filter(each -> each.getName().equals("rcomm-all-gather-7"))
                    .findFirst()
                    .orElseThrow();
            round.dispose();
            round.dispose();
            release.run();
            assertThat(function.ended.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(thread.join(LIMIT)).as("the round's thread has ended").isTrue();
            assertThat(signals).as("signals after the cancellation").isEmpty();
        } finally {
            Hooks.resetOnErrorDropped();
            Hooks.resetOnNextDropped();
        }
    }

    @Test
    void cancelledFunction_isInterruptedOnce_andItsErrorIsDiscarded() throws InterruptedException {
        Endless function = new Endless();
        expectSilence(Meeting.blocking(7, 8, function::obedient), function, () -> {});

        assertThat(function.interrupts).hasValue(1);
    }

    @Test
    void functionThatIgnoresItsInterrupt_endsWithItsTask_andItsLateResultIsDiscarded() throws InterruptedException {
        Endless function = new Endless();
        expectSilence(Meeting.blocking(7, 8, function::stubborn), function, function::releaseAfterInterrupt);

        assertThat(function.interrupts).hasValue(1);
    }
}
