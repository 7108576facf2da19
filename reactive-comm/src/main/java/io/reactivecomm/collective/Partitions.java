package io.reactivecomm.collective;

/**
 * The partitions of one rank's input and output of a call.
 *
 * @param input the parts of what the rank contributes
 * @param output the parts of what takes its result
 */
public record Partitions(Partition input, Partition output) {

    /** Neither input nor output. */
    public static final Partitions NONE = new Partitions(Partition.nothing(), Partition.nothing());
}
