package io.reactivecomm.internal.schedule;

/** A way to perform an operation: lays out any one rank's part by itself. */
public interface Algorithm {

    /** {@return the name that {@link io.reactivecomm.Work#algorithm()} shows} */
    String name();

    /** {@return what the rank at that place does} */
    Schedule schedule(Place place);

    /** {@return what that costs, by arithmetic alone: the same numbers that the schedule's steps add up to} */
    Cost cost(Place place);
}
