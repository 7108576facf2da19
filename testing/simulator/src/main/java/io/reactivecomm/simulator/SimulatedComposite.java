package io.reactivecomm.simulator;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run of a composite call of a scenario, as all its ranks together make it. Its body has steps, each with calls or with a further
 * composite: those plans whose {@link BodyStep} names it.
 *
 * @param key its identity, apart from what encloses it
 * @param inside the step of another body at which it is made, or null
 * @param odd the rank, in the group, at which the fault is; −1 for none
 * @param after for each step the one that has to be over before, on each rank; −1 for none
 */
record SimulatedComposite(
        int index,
        SimulatedGroup team,
        CallKey.Ticket key,
        @Nullable BodyStep inside,
        Fault fault,
        int odd,
        List<Integer> after,
        List<RankBody> parts) {

    /** The fault of a composite as a whole, on one rank. */
    enum Fault {
        NONE,
        /** The body fails. */
        FAILS,
        /** The body completes before it has made all calls. */
        LEAVES,
        /** The subscriber of a flux cancels. */
        CANCELS,
        /** It is another composite. */
        OTHER,
        /** It is a plain call. */
        PLAIN,
        /** It cannot begin. */
        INVALID,
        /** The rank never subscribes. */
        ABSENT,
        /** Some deadlines are so short that they may strike. */
        HURRY
    }

    /**
     * One rank's subscription.
     *
     * @param at when, after the step of its outer body has begun, or after the rank has the group
     * @param timeoutNanos its deadline from then
     * @param stopsAt the step at which the body stops, the number of steps if it has made all; {@link RankCall#NEVER} if it does not
     * @param stopsAfter how long after that step could begin
     */
    record RankBody(int groupRank, long at, long timeoutNanos, int stopsAt, long stopsAfter) {}

    /** {@return it as engines name it} */
    String label() {
        return enclosed().label();
    }

    private CallKey.Ticket enclosed() {
        return inside == null ? key : in(new Enclosure(inside.body().enclosed(), 0));
    }

    private CallKey.Ticket in(Enclosure enclosure) {
        return new CallKey.Ticket(key.generation(), key.group(), key.name(), key.ticket(), key.ordinal(), enclosure);
    }

    /** {@return its identity as a rank knows it} */
    CallKey.Ticket keyIn(@Nullable Enclosure enclosure) {
        return enclosure == null ? key : in(enclosure);
    }

    /** {@return what a rank calls it} */
    String operation(int groupRank) {
        return (fault == Fault.OTHER && groupRank == odd ? "other" : "composite") + "-" + index;
    }

    /** {@return the world rank at which the fault is} */
    int oddRank() {
        return team.worldRanks().get(odd);
    }

    /** {@return whether a rank may leave out calls of it, or of one that it is in, without a word} */
    boolean mayLackCalls() {
        boolean isTold = fault == Fault.NONE || fault == Fault.FAILS || fault == Fault.INVALID;
        return !isTold || inside != null && inside.body().mayLackCalls();
    }

    /** {@return whether something is wrong in it or in one that it is in} */
    boolean isFaulty() {
        return fault != Fault.NONE || inside != null && inside.body().isFaulty();
    }

    @Override
    public String toString() {
        return "composite " + index + " (" + label() + " in group " + team.id()
                + (fault == Fault.NONE ? "" : " " + fault + " at " + odd) + ", after=" + after + ")";
    }
}
