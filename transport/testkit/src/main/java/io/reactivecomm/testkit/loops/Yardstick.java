package io.reactivecomm.testkit.loops;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Objects;

/**
 * A fixed amount of cold work, such as a JVM's first calls are: classes that are loaded, each of which runs once, interpreted. The CPU time that it takes says how
 * fast the machine is now. Others that share its caches and cores make a thread use more CPU time for the same work.
 */
final class Yardstick {

    private static final int CLASSES = 100;

    /** What the work takes on the machine for which bounds are set, where nothing else runs. */
    private static final double USUAL_NANOS = 8_500_000;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final byte[] WORK = bytes();

    private Yardstick() {}

    /** The work of one class: each copy of it is loaded anew, so no compiler gets to know it. */
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

    /** {@return how many times more CPU time this thread needs for its work than usual; 1 at least} */
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
