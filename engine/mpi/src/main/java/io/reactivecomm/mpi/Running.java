package io.reactivecomm.mpi;

import io.reactivecomm.device.Handle;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.engine.EnqueuedHandle;
import io.reactivecomm.spi.engine.Turn;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A call that has received its turn. It ends once. Its tensors are released when MPI no longer accesses them.
 *
 * <pre>
 *   WAITING ── begin ──&gt; BEGUN ── MPI is done ──&gt; OVER
 *      │ abandon           │ abandon: ended; released when MPI completes, if it does
 *      └──&gt; DROPPED: ended, and never begun
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
final class Running {

    private final Turn.Call turn;
    private final GroupComms comms;
    private final Supplier<PlanMemory> memories;
    private final Consumer<Running> ended;
    private final EnqueuedHandle hands = new EnqueuedHandle();

    // All guarded by this.
    private boolean isBegun;
    private boolean isEnded;
    private boolean isAbandoned;
    private boolean isPreparing;
    private PlanMemory memory = PlanMemory.HOST;
    private DeviceCompletion ready = DeviceCompletion.DONE;

    /**
     * Creates a call that has not begun.
     *
     * @param memories creates the memory that MPI receives for its tensors
     * @param ended receives its end first
     */
    Running(Turn.Call turn, GroupComms comms, Supplier<PlanMemory> memories, Consumer<Running> ended) {
        this.turn = turn;
        this.comms = comms;
        this.memories = memories;
        this.ended = ended;
    }

    Turn.Call turn() {
        return turn;
    }

    GroupComms comms() {
        return comms;
    }

    /**
     * Creates the memory for MPI and begins to ready the tensors, unless the call was dropped. This may take long.
     *
     * @throws RuntimeException if the memory cannot be created
     */
    void prepare() {
        synchronized (this) {
            if (isAbandoned) {
                return;
            }
            isPreparing = true;
        }
        PlanMemory made = PlanMemory.HOST;
        try {
            made = memories.get();
        } finally {
            prepared(made);
        }
    }

    private void prepared(PlanMemory made) {
        boolean isDropped;
        synchronized (this) {
            memory = made;
            ready = made.arrival();
            isPreparing = false;
            isDropped = isAbandoned;
        }
        if (isDropped) {
            letGo();
        }
    }

    synchronized PlanMemory memory() {
        return memory;
    }

    /** {@return the arrival of its tensors in the memory for MPI} */
    synchronized DeviceCompletion ready() {
        return ready;
    }

    /** {@return whether it can now begin or be dropped} */
    synchronized boolean isReady() {
        return ready.isDone() || isAbandoned;
    }

    /** Begins it. {@return false if it was dropped before} */
    synchronized boolean begin() {
        isBegun = !isAbandoned;
        return isBegun;
    }

    /** {@return whether it will never begin} */
    synchronized boolean isDropped() {
        return isAbandoned && !isBegun;
    }

    /** {@return whether MPI still performs it after its end} */
    synchronized boolean isGivenUp() {
        return isAbandoned && isBegun;
    }

    /** {@return whether its end has been signalled} */
    synchronized boolean isEnded() {
        return isEnded;
    }

    /** Ends it with success, after MPI and the devices have completed it. */
    void succeed(String algorithm) {
        if (end()) {
            turn.sink().succeeded(Completion.of(algorithm));
        }
        letGo();
    }

    /** Ends it with its own failure. MPI no longer accesses its tensors. */
    void failed(Failure failure) {
        if (end()) {
            turn.sink().failed(failure, memory().free());
        }
        letGo();
    }

    /** Releases the tensors. A device may access them longer than MPI. */
    private void letGo() {
        Handle freed = memory().free();
        if (freed == Handle.DONE) {
            hands.letGo();
        } else {
            freed.released().subscribe(null, null, hands::letGo);
        }
    }

    /** Ends it with its group's failure. If MPI has begun it, its tensors are released when MPI completes it. */
    void abandon(Failure cause) {
        Handle until;
        synchronized (this) {
            isAbandoned = true;
            until = isBegun || isPreparing ? memory.giveUp(hands) : memory.free();
        }
        if (end()) {
            turn.sink().failed(cause, until);
        }
    }

    private boolean end() {
        ended.accept(this);
        synchronized (this) {
            boolean isFirst = !isEnded;
            isEnded = true;
            return isFirst;
        }
    }
}
