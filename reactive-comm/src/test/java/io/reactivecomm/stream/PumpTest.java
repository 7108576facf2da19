package io.reactivecomm.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class PumpTest {

    @Test
    void action_isHeldUntilItIsReleased() {
        AtomicInteger runs = new AtomicInteger();
        Pump pump = new Pump(runs::incrementAndGet);

        pump.run();
        assertThat(runs).hasValue(0);
        pump.release();

        assertThat(runs.get()).isPositive();
        int before = runs.get();
        pump.run();
        assertThat(runs).hasValue(before + 1);
    }

    @Test
    void action_thatAsksItself_runsAgainAfterwards() {
        List<String> told = new ArrayList<>();
        AtomicReference<Pump> pump = new AtomicReference<>();
        pump.set(new Pump(() -> {
            told.add("begin");
            if (told.size() == 1) {
                pump.get().run();
            }
            told.add("end");
        }));

        pump.get().release();

        assertThat(told).containsExactly("begin", "end", "begin", "end");
    }

    @Test
    void action_askedByManyThreads_neverRunsTwiceAtOnce_andSeesWhatEachWroteBefore() throws Exception {
        int threads = 4;
        int each = 20_000;
        AtomicInteger written = new AtomicInteger();
        int[] unguarded = new int[2];
        Pump pump = new Pump(() -> {
            unguarded[0]++;
            unguarded[1] = written.get();
        });
        pump.release();
        CyclicBarrier start = new CyclicBarrier(threads);
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(CompletableFuture.runAsync(() -> {
                try {
                    start.await();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
                for (int n = 0; n < each; n++) {
                    written.incrementAndGet();
                    pump.run();
                }
            }, task -> Thread.ofPlatform().start(task)));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();

        pump.run();

        assertThat(unguarded[1]).isEqualTo(threads * each);
        assertThat(unguarded[0]).isBetween(2, threads * each + 2);
    }

    @Test
    void action_thatThrows_runsWhenItIsAskedAgain() {
        AtomicInteger runs = new AtomicInteger();
        Pump pump = new Pump(() -> {
            if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("the first time");
            }
        });

        assertThatIllegalStateException().isThrownBy(pump::release).withMessage("the first time");
        pump.run();

        assertThat(runs).hasValue(2);
    }
}
