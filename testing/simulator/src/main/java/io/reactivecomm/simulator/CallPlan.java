package io.reactivecomm.simulator;

import io.reactivecomm.spi.CallKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call of a scenario, as all its ranks together make it. */
sealed interface CallPlan {

    /** The mistake in a call from the start. */
    enum Flaw {
        NONE,
        /** One rank calls something else. */
        MISMATCH,
        /** The call fails its checks on one rank. */
        INVALID,
        /** One rank never subscribes. */
        ABSENT,
        /** Some deadlines are so short that they may strike. */
        HURRY
    }

    int index();

    SimulatedGroup team();

    Shape shape();

    Flaw flaw();

    /** {@return the rank, in the group, at which the flaw is; −1 for none} */
    int odd();

    List<RankCall> parts();

    /** {@return the place in a composite call, or null if it is made by itself} */
    @Nullable BodyStep inside();

    /** {@return the step of a body at which it is made, or null if it is made by itself} */
    default @Nullable BodyStep maker() {
        BodyStep place = inside();
        return place == null || place.isInside() ? place : place.body().inside();
    }

    /**
     * A collective, under one identity.
     *
     * @param key its identity, apart from what encloses it
     * @param against the only rank, in the group, that can see a mismatch besides the odd one, or {@link Shape.Odd#EVERYONE}
     * @param forms the group that it makes, or null
     */
    record Together(
            int index,
            SimulatedGroup team,
            CallKey.Ticket key,
            Shape shape,
            Flaw flaw,
            int odd,
            int against,
            @Nullable SimulatedGroup forms,
            List<RankCall> parts,
            @Nullable BodyStep inside)
            implements CallPlan {}

    /**
     * Messages of one name and tag to one rank. Either all receives name their source or all take any.
     *
     * @param destination the receiver, in the group
     */
    record Flow(
            int index,
            SimulatedGroup team,
            String name,
            int tag,
            int destination,
            Shape shape,
            Flaw flaw,
            int odd,
            boolean fromAny,
            List<RankCall> parts,
            @Nullable BodyStep inside)
            implements CallPlan {}
}
