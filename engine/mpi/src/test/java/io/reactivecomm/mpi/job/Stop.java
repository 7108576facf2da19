package io.reactivecomm.mpi.job;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The stop of this process by itself, while MPI has a large call of it. Another process would be too late: it may take as long to begin as a call takes.
 *
 * <p>A call of 64 MiB takes tens of milliseconds, and is begun when all ranks are at it: so all have it when one of them is stopped soon after that.
 */
final class Stop {

    /** Signals, by their numbers on Linux. */
    private static final int NONE = 0;

    private static final int STOP = 19;

    /** Goes on with a process six seconds after it was stopped. */
    private static final String WAKER =
            "while kill -0 $0 && ! grep -q '^State:.T' /proc/$0/status; do sleep 0.1; done; sleep 6; kill -CONT $0";

    private final int self = (int) ProcessHandle.current().pid();
    private final MethodHandle kill = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("kill"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private Stop() {}

    /** Returns when this process has gone on. */
    static void inALargeCall(Duration limit) throws IOException {
        Stop stop = new Stop();
        // The first signal is slow: its code is linked with it.
        stop.send(NONE);
        // In a session of its own: mpiexec.hydra sends signals to the process groups of the ranks that are left when
        // one has ended.
        new ProcessBuilder("setsid", "sh", "-c", WAKER, Integer.toString(stop.self)).start();
        await(() -> !isInALargeCall(), limit);
        await(Stop::isInALargeCall, limit);
        stop.send(STOP);
    }

    private static boolean isInALargeCall() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().equals("rcomm-mpi"))
                .map(Map.Entry::getValue)
                .flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getClassName().equals("io.reactivecomm.mpi.BlockingCall"));
    }

    private static void await(BooleanSupplier condition, Duration limit) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begun > limit.toNanos()) {
                throw new AssertionError("no large call begins or ends: limit=" + limit);
            }
            Thread.onSpinWait();
        }
    }

    private void send(int signal) {
        try {
            int code = (int) kill.invokeExact(self, signal);
            if (code != 0) {
                throw new AssertionError("a process cannot be signalled: pid=" + self + ", signal=" + signal);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a native function threw: function=kill", e);
        }
    }
}
