package io.reactivecomm.observe;

import java.util.List;

/** An event that is none of a call's: what a rank waits for, and what became of others. */
public sealed interface CommEvent {

    /** {@return this rank in the world} */
    int rank();

    /** {@return when, by the loop's clock} */
    long nanos();

    /**
     * A call waits for long, and the others have been asked.
     *
     * @param group the group's number
     * @param label the call, as in {@link ObservedCall#label()}
     * @param late world ranks that have not made it
     * @param silent world ranks that have not answered
     * @param text the warning as it is logged
     */
    record Waiting(
            int rank, long nanos, long group, String label, List<Integer> late, List<Integer> silent, String text)
            implements CommEvent {}

    /**
     * A rank is lost.
     *
     * @param lost its rank in the world
     */
    record PeerLost(int rank, long nanos, int lost, String cause) implements CommEvent {}

    /**
     * A rank's loop does not turn, as it says itself over the network. In a local world that is only logged.
     *
     * @param held its rank in the world
     * @param forNanos for how long; 0 if it turns again
     * @param doing what holds it
     */
    record LoopHeld(int rank, long nanos, int held, long forNanos, String doing) implements CommEvent {}

    /**
     * A group has ended by a failure.
     *
     * @param group its number
     */
    record GroupFailed(int rank, long nanos, long group, String cause) implements CommEvent {}

    /**
     * A rank's clock has been compared with this one's, by the stamps on heartbeats: told when it is first known, when it is known better, and every
     * ten seconds. Ranks that share a process share a clock, and are not compared.
     *
     * @param nanos the moment for which it holds
     * @param other the other rank, in the world
     * @param offsetNanos what its clock is ahead of this rank's
     * @param boundNanos by how much that may be wrong, in either direction
     */
    record ClockCompared(int rank, long nanos, int other, long offsetNanos, long boundNanos) implements CommEvent {}

    /**
     * This rank has left its world. Told to whoever observes one of its groups, once, and off the loop, which may have ended. A loop that a callback held
     * as its rank left may still tell what it was about to; of calls that the program makes later it is told that they are refused.
     */
    record WorldLeft(int rank, long nanos) implements CommEvent {}
}
