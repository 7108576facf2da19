package io.reactivecomm.simulator;

/**
 * One rank's subscription to one call of a scenario.
 *
 * @param plan which call, by its index
 * @param groupRank the rank, in the call's group
 * @param shape what this rank calls; it differs from the plan's where ranks disagree
 * @param way by which of the algorithms that the call can run, from 1 on and round again; 0 leaves it to the table
 * @param role its role in the call
 * @param peer the other rank of a send, the source of a receive or {@link io.reactivecomm.ProcessGroup#ANY}; else 0
 * @param isInvalid whether the call fails its checks on this rank
 * @param at when it is subscribed to
 * @param timeoutNanos its deadline from then
 * @param priority how urgent it is to this rank
 * @param demandAfter how long after subscribing its subscriber asks for the result; or {@link #NEVER}, or {@link #AT_THE_END}
 * @param cancelAfter how long after subscribing it cancels, or {@link #NEVER}
 * @param isBridged whether the result reaches its subscriber as that of several calls does
 */
record RankCall(
        int plan,
        int groupRank,
        Shape shape,
        int way,
        Role role,
        int peer,
        boolean isInvalid,
        long at,
        long timeoutNanos,
        int priority,
        long demandAfter,
        long cancelAfter,
        boolean isBridged) {

    /** The {@link #cancelAfter()} of a subscriber that does not cancel, and the {@link #demandAfter()} of one that asks for nothing. */
    static final long NEVER = -1;

    /** The {@link #demandAfter()} of a subscriber that asks some time after the call has ended. */
    static final long AT_THE_END = -2;

    /** The side of a call that a rank is on. */
    enum Role {
        MEMBER,
        SENDER,
        RECEIVER
    }

    @Override
    public String toString() {
        return role + " " + groupRank + (role == Role.MEMBER ? "" : " with " + peer) + (isInvalid ? " INVALID" : "")
                + " at=" + at
                + " timeout=" + timeoutNanos + (demandAfter == 0 ? "" : " demandAfter=" + demandAfter)
                + (isBridged ? " bridged" : "")
                + (cancelAfter == NEVER ? "" : " cancelAfter=" + cancelAfter) + " " + shape
                + (way == 0 ? "" : " way=" + way) + (priority == 0 ? "" : " priority=" + priority);
    }
}
