package io.reactivecomm.mpi;

import io.reactivecomm.Handle;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.EnqueuedHandle;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Turn;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A call that has its turn: ended once, and let go of when MPI's hands are off its tensors.
 *
 * <pre>
 *   WAITING ── begin ──&gt; BEGUN ── MPI is done ──&gt; OVER
 *      │ abandon           │ abandon: ended, and let go of when MPI is done, if ever
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
    private Arrival ready = Arrival.DONE;

    /**
     * One that has not begun.
     *
     * @param memories makes what MPI is given for its tensors
     * @param ended is told of its end, before anybody else
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
     * Has the memory that MPI is given made, and its tensors readied, unless it was dropped. Memory may be long in the making.
     *
     * @throws RuntimeException if there is none
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

    /** {@return when its tensors are ready for MPI} */
    synchronized Arrival ready() {
        return ready;
    }

    /** {@return whether it can be begun, or dropped, now} */
    synchronized boolean isReady() {
        return ready.isDone() || isAbandoned;
    }

    /** {@return whether it is to be made; false if it was dropped meanwhile} */
    synchronized boolean begin() {
        isBegun = !isAbandoned;
        return isBegun;
    }

    /** {@return whether it is never to be made} */
    synchronized boolean isDropped() {
        return isAbandoned && !isBegun;
    }

    /** {@return whether MPI has it though nobody waits for it any more} */
    synchronized boolean isGivenUp() {
        return isAbandoned && isBegun;
    }

    /** {@return whether somebody has been told of its end} */
    synchronized boolean isEnded() {
        return isEnded;
    }

    /** MPI is done with it, and so is all else. */
    void succeed(String algorithm) {
        if (end()) {
            turn.sink().succeeded(Completion.of(algorithm));
        }
        letGo();
    }

    /** It has failed by itself, and MPI's hands are off. */
    void failed(Failure failure) {
        if (end()) {
            turn.sink().failed(failure, memory().free());
        }
        letGo();
    }

    /** A device may be at the tensors longer than MPI. */
    private void letGo() {
        Handle freed = memory().free();
        if (freed == Handle.DONE) {
            hands.letGo();
        } else {
            freed.released().subscribe(null, null, hands::letGo);
        }
    }

    /** It has failed, and its group with it: if MPI has begun it, its tensors follow when MPI lets go. */
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
