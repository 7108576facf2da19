package io.reactivecomm.collective;

/**
 * The cuts of one rank's input and output of a call.
 *
 * @param input the parts of what the rank contributes
 * @param output the parts of what takes its result
 */
public record Cuts(Cut input, Cut output) {

    /** Neither input nor output. */
    public static final Cuts NONE = new Cuts(Cut.nothing(), Cut.nothing());
}
