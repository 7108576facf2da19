package io.reactivecomm.mpi;

import io.reactivecomm.Handle;
import io.reactivecomm.spi.Completion;
import io.reactivecomm.spi.EnqueuedHandle;
import io.reactivecomm.spi.Failure;
import io.reactivecomm.spi.Turn;

/**
 * A call that has its turn: ended once, and let go of when MPI's hands are off its tensors.
 *
 * <pre>
 *   WAITING ── begin ──&gt; BEGUN ── MPI is done ──&gt; OVER
 *      │ fail: ended, and begun all the same where other ranks count on it; else never
 * </pre>
 *
 * <p><b>Threads.</b> Any.
 */
final class Running {

    private final Turn.Call turn;
    private final GroupComms comms;
    private final EnqueuedHandle hands = new EnqueuedHandle();

    // All guarded by this.
    private boolean isBegun;
    private boolean isEnded;
    private boolean isDropped;

    Running(Turn.Call turn, GroupComms comms) {
        this.turn = turn;
        this.comms = comms;
    }

    Turn.Call turn() {
        return turn;
    }

    GroupComms comms() {
        return comms;
    }

    boolean isOf(long group, int generation) {
        return turn.group().id() == group && turn.group().generation() == generation;
    }

    /** {@return whether it is to be made; false if it was dropped meanwhile} */
    synchronized boolean begin() {
        isBegun = !isDropped;
        return isBegun;
    }

    /** {@return whether it is never to be made} */
    synchronized boolean isDropped() {
        return isDropped;
    }

    /** {@return whether MPI has it} */
    synchronized boolean isBegun() {
        return isBegun;
    }

    /** {@return whether nobody waits for it any more, though MPI has not let go} */
    synchronized boolean isEnded() {
        return isEnded;
    }

    /** MPI is done with it, and so is all else. */
    void succeed(String algorithm) {
        if (end()) {
            turn.sink().succeeded(Completion.of(algorithm));
        }
        hands.letGo();
    }

    /** It has failed by itself, and MPI's hands are off. */
    void failed(Failure failure) {
        if (end()) {
            turn.sink().failed(failure);
        }
        hands.letGo();
    }

    /** It has failed, and its group with it: if MPI has begun it, its tensors follow when MPI lets go; else nobody will. */
    void abandon(Failure cause) {
        fail(cause, false);
    }

    /** Its rank waits for it no more, but others do. */
    void leave(Failure cause) {
        fail(cause, true);
    }

    private void fail(Failure cause, boolean isMadeAllTheSame) {
        Handle until;
        synchronized (this) {
            boolean isHeld = isBegun || isMadeAllTheSame;
            isDropped |= !isHeld;
            until = isHeld ? hands : Handle.DONE;
        }
        if (end()) {
            turn.sink().failed(cause, until);
        }
    }

    private synchronized boolean end() {
        boolean isFirst = !isEnded;
        isEnded = true;
        return isFirst;
    }
}
