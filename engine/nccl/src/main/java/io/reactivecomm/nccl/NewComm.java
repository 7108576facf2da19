package io.reactivecomm.nccl;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A communicator to be: the place where NCCL writes it.
 *
 * <p>Where a communicator does not block, NCCL writes there when it is ready, from a thread of its own, at a time that nobody is told before; after
 * an abort, too. So the place is never freed: eight bytes for each communicator.
 *
 * <p><b>Source.</b> NCCL's {@code init.cc}: the job of an initialization stores the communicator when it ends, whether it succeeded or not.
 *
 * <p><b>Threads.</b> Any.
 */
final class NewComm {

    private final MemorySegment place = Arena.global().allocate(JAVA_LONG);
    private final NcclResult state;

    /** A function that begins to make one: it is given the place, and returns as NCCL does. */
    interface Creation {

        NcclResult begin(long place);
    }

    NewComm(Creation creation) {
        state = creation.begin(place.address());
    }

    /**
     * {@return whether it was ready at once, or is in progress} In progress: the state of the parent, or its own where there is none, says when it is
     * ready.
     */
    NcclResult state() {
        return state;
    }

    /** {@return the communicator; 0 if it is not written yet, or this rank is none of its members} */
    long comm() {
        return (long) JAVA_LONG.varHandle().getAcquire(place, 0L);
    }
}
