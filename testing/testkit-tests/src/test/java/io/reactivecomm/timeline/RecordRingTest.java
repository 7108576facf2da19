package io.reactivecomm.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.testkit.StubCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RecordRingTest {

    private final RecordRing ring = new RecordRing(8);
    private final TimelineObserver hearing =
            new TimelineObserver(new Recorder(ring, new WriterThread(() -> {}, () -> true, () -> false), 1));
    private final List<Long> drained = new ArrayList<>();

    private boolean put(RecordRing ring, boolean isEnd, StubCall call) {
        Record record = ring.claim(isEnd);
        if (record != null) {
            record.begun(call, hearing);
            ring.publish(record);
        }
        return record != null;
    }

    private boolean put(boolean isEnd, long number) {
        return put(ring, isEnd, new StubCall(0, "", number));
    }

    private void drain() {
        ring.drain(record -> drained.add(record.nanos));
    }

    @Test
    void beginnings_fillHalf_andEndsAll() {
        for (int i = 0; i < 5; i++) {
            assertThat(put(false, i)).isTrue();
        }
        assertThat(put(false, 5)).isFalse();
        for (int i = 5; i < 8; i++) {
            assertThat(put(true, i)).isTrue();
        }
        assertThat(put(true, 8)).isFalse();
        drain();
        assertThat(drained).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        assertThat(ring.isEmpty()).isTrue();
        assertThat(put(false, 9)).isTrue();
        assertThat(ring.isEmpty()).isFalse();
    }

    @Test
    void records_thatAreClaimedAndNotPublished_holdUpThoseBehind() {
        Record first = ring.claim(true);
        put(true, 2);
        drain();
        assertThat(drained).isEmpty();
        assertThat(first).isNotNull();
        first.begun(new StubCall(0, "", 1), hearing);
        ring.publish(first);
        drain();
        assertThat(drained).containsExactly(1L, 2L);
    }

    @Test
    void consumer_thatThrows_losesThatRecordAlone() {
        put(true, 1);
        put(true, 2);
        assertThatThrownBy(() -> ring.drain(record -> {
                    throw new IllegalStateException("planted");
                }))
                .hasMessage("planted");
        drain();
        assertThat(drained).containsExactly(2L);
    }

    @Test
    void capacity_thatIsNoPowerOfTwo_isRefused() {
        assertThatThrownBy(() -> new RecordRing(12))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("capacity=12");
    }

    /** All that is put in comes out once, that of each thread in its order. */
    @Test
    void threads_losesNothing_thatIsNotLeftOut() throws Exception {
        int each = 5_000;
        RecordRing shared = new RecordRing(64);
        AtomicInteger leftOut = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(3);
        List<Thread> threads = new ArrayList<>();
        for (int producer = 0; producer < 3; producer++) {
            int rank = producer;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 1; i <= each; i++) {
                    if (!put(shared, true, new StubCall(rank, "", i))) {
                        leftOut.incrementAndGet();
                    }
                }
                ended.countDown();
            }));
        }
        long[] latest = new long[3];
        int[] count = new int[1];
        boolean isOver = false;
        while (!isOver) {
            isOver = ended.getCount() == 0;
            shared.drain(record -> {
                int rank = Objects.requireNonNull(record.call).rank();
                assertThat(record.nanos).isGreaterThan(latest[rank]);
                latest[rank] = record.nanos;
                count[0]++;
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(count[0] + leftOut.get()).isEqualTo(3 * each);
    }
}
