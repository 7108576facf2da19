package io.reactivecomm.mpi;

import io.reactivecomm.spi.WaitPolicy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The wait until all ranks of a group are about to make the same blocking call. MPI's own waiting takes a core, and nobody can end it: so a blocking call is begun
 * when nobody will be late for it, and whoever waits here sleeps, and can be called off.
 *
 * <p><b>Threads.</b> One that may be held.
 */
final class BlockingStart {

    /** As long as the others' threads usually take to wake. */
    private static final long EAGER_NANOS = 40_000;

    private BlockingStart() {}

    /**
     * {@return whether all have come; false if it was called off}
     *
     * @param leftOver takes the request where it was called off: MPI ends it later, if the others come
     */
    static boolean await(MpiProcess process, long comm, BooleanSupplier isCalledOff, Consumer<MemorySegment> leftOver) {
        MemorySegment request =
                Arena.ofAuto().allocate(ValueLayout.JAVA_LONG.byteSize() * 2, ValueLayout.JAVA_LONG.byteSize());
        MemorySegment flag = request.asSlice(ValueLayout.JAVA_LONG.byteSize());
        process.calls().barrier(comm, request.address());
        WaitPolicy policy = new WaitPolicy(true, EAGER_NANOS);
        BackOff backOff = new BackOff();
        while (!process.setup().isDone(request.address(), flag)) {
            if (isCalledOff.getAsBoolean()) {
                leftOver.accept(request);
                return false;
            }
            if (policy.next(System.nanoTime()) == WaitPolicy.Step.YIELD) {
                Thread.yield();
                policy.yielded(System.nanoTime());
            } else {
                backOff.pause();
            }
        }
        return true;
    }
}
