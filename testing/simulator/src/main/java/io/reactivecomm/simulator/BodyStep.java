package io.reactivecomm.simulator;

/**
 * The place of a call in the body of a composite call.
 *
 * @param step which step of the body, from 0; or {@link #INSTEAD}
 */
record BodyStep(SimulatedComposite body, int step) {

    /** The {@link #step()} of a call that one rank makes in the place of the whole composite. */
    static final int INSTEAD = -1;

    /** {@return whether the call is made by the body, and not in its place} */
    boolean isInside() {
        return step != INSTEAD;
    }
}
