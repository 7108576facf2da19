package io.reactivecomm.schedule;

/** A way to perform an operation: lays out any one rank's part by itself. */
public interface Algorithm {

    /** {@return the name that {@link io.reactivecomm.Work#algorithm()} shows} */
    String name();

    /** {@return what the rank at that place does} */
    Schedule schedule(Place place);
}
