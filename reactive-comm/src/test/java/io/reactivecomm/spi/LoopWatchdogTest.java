package io.reactivecomm.spi;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LoopWatchdogTest {

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(LoopWatchdog.class);
    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicLong classes = new AtomicLong(1000);

    @BeforeEach
    void capture() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void release() {
        release.countDown();
        logger.detachAppender(log);
    }

    /** A loop that runs nothing: its thread stands in code of this package, the library's, so many frames deep. */
    private Loop heldLoop(int depth) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform().daemon().start(() -> hold(depth, held));
        held.await();
        return new HeldLoop(thread);
    }

    private void hold(int depth, CountDownLatch held) {
        if (depth > 0) {
            hold(depth - 1, held);
            return;
        }
        held.countDown();
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> lines() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void look_whileClassesLoad_isSilent() throws Exception {
        LoopWatchdog watchdog = new LoopWatchdog(heldLoop(1), classes::incrementAndGet);
        for (long now = 0; now < LoopWatchdog.LOADING_NANOS; now += LoopWatchdog.STALL_NANOS / 2) {
            watchdog.look(now);
        }
        assertThat(lines()).isEmpty();
        watchdog.look(LoopWatchdog.LOADING_NANOS);
        assertThat(lines()).as("a loader that hangs").hasSize(1);
    }

    @Test
    void look_onceNoMoreClassesLoad_warnsInTenLines() throws Exception {
        LoopWatchdog watchdog = new LoopWatchdog(heldLoop(100), classes::get);
        watchdog.look(0);
        watchdog.look(LoopWatchdog.STALL_NANOS);
        watchdog.look(LoopWatchdog.STALL_NANOS * 3 / 2);
        watchdog.look(LoopWatchdog.STALL_NANOS * 2);
        assertThat(lines())
                .singleElement()
                .asString()
                .contains("hold", "the library itself")
                .hasLineCount(LoopWatchdog.MOST_LINES);
    }

    @Test
    void look_thatFails_saysSoOnce_andLooksAgain() throws Exception {
        AtomicLong asked = new AtomicLong();
        LoopWatchdog watchdog = new LoopWatchdog(heldLoop(1), () -> {
            if (asked.getAndIncrement() < 2) {
                throw new IllegalStateException("planted");
            }
            return 1000;
        });
        for (int i = 0; i < 6; i++) {
            watchdog.look(LoopWatchdog.STALL_NANOS * i);
        }
        assertThat(lines()).hasSize(2);
        assertThat(lines().get(0)).contains("the watchdog of a loop failed");
        assertThat(lines().get(1)).contains("the loop is held up");
    }

    private record HeldLoop(Thread thread) implements Loop {

        @Override
        public boolean inLoop() {
            return false;
        }

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Timer schedule(Runnable task, long delayNanos) {
            throw new UnsupportedOperationException("nothing is scheduled");
        }

        @Override
        public FatalErrors fatalErrors() {
            throw new UnsupportedOperationException("nothing fails");
        }

        @Override
        public void execute(Runnable task) {}
    }
}
