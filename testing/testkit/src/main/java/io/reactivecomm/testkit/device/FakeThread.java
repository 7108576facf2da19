package io.reactivecomm.testkit.device;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import reactor.core.scheduler.NonBlocking;

/** The thread that does what is enqueued on fake devices, one piece after the other; it lives as long as the JVM, and must not block. */
public final class FakeThread extends Thread implements NonBlocking {

    static final ExecutorService KERNELS = Executors.newSingleThreadExecutor(FakeThread::new);

    private FakeThread(Runnable work) {
        super(work, "fake-device");
        setDaemon(true);
    }

    /** A time in which fake devices do nothing. */
    public interface Pause extends AutoCloseable {

        /** Lets them go on. */
        @Override
        void close();
    }

    /** Holds all fake devices up: what is enqueued is not done, until the pause is closed. */
    public static Pause pause() {
        CountDownLatch goOn = new CountDownLatch(1);
        KERNELS.execute(() -> {
            boolean isInterrupted = false;
            while (goOn.getCount() > 0) {
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        });
        return goOn::countDown;
    }
}
