package program;

import java.util.concurrent.CountDownLatch;

/** A program's code that blocks the thread it is called on; in a package of its own, for it goes by packages whose code it is. */
public final class Blocking {

    private Blocking() {}

    public static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
