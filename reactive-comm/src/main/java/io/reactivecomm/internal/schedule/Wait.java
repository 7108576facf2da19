package io.reactivecomm.internal.schedule;

/**
 * A condition that holds a step back.
 *
 * @param step the index of an earlier or later step of the same schedule
 * @param whole true: nothing happens before that step is complete. False: element i may be touched once that step has dealt with its
 *     element i, which is how one transfer streams into the next
 */
public record Wait(int step, boolean whole) {

    public static Wait forElementsOf(int step) {
        return new Wait(step, false);
    }

    public static Wait forAllOf(int step) {
        return new Wait(step, true);
    }
}
