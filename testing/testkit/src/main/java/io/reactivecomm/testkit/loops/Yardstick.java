package io.reactivecomm.testkit.loops;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Objects;

/**
 * A fixed amount of cold work that resembles a JVM's first calls: it loads classes, each of which runs once, interpreted. Its CPU time shows how fast the
 * machine is now, because processes that share caches and cores increase the CPU time of the same work.
 */
final class Yardstick {

    private static final int CLASSES = 100;

    /** The CPU time of the work on the idle machine for which bounds are set. */
    private static final double USUAL_NANOS = 8_500_000;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final byte[] WORK = bytes();

    private Yardstick() {}

    /** The work of one class. Each copy is loaded anew, so it is never compiled. */
    @SuppressWarnings("unused") // Only copies of it run.
    private static final class Work {

        private static final int ROUNDS = 2_000;
        private static final long RESULT = result();

        private static long result() {
            long result = 0;
            for (int i = 0; i < ROUNDS; i++) {
                result = result * 31 + (i ^ result >>> 7);
            }
            return result;
        }
    }

    private static byte[] bytes() {
        try (InputStream file = Yardstick.class.getResourceAsStream("Yardstick$Work.class")) {
            return Objects.requireNonNull(file).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("a class cannot be read", e);
        }
    }

    /** {@return the factor by which this thread's work now takes more CPU time than usual; at least 1} */
    static double slowdown() {
        long begun = THREADS.getCurrentThreadCpuTime();
        try {
            for (int i = 0; i < CLASSES; i++) {
                MethodHandles.lookup().defineHiddenClass(WORK, true);
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("a copy of a class cannot be loaded", e);
        }
        return Math.max(1, (THREADS.getCurrentThreadCpuTime() - begun) / USUAL_NANOS);
    }
}
