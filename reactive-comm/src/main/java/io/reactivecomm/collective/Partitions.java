package io.reactivecomm.collective;

import org.jspecify.annotations.Nullable;

/**
 * The partitions of one rank's input and output of a call.
 *
 * @param input the parts of what the rank contributes
 * @param output the parts of what takes its result
 */
public record Partitions(Partition input, Partition output) {

    /** Neither input nor output. */
    public static final Partitions NONE = new Partitions(Partition.nothing(), Partition.nothing());

    /* By hand, as in {@link Signature}. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Partitions partitions
                && partitions.input.equals(input)
                && partitions.output.equals(output);
    }

    @Override
    public int hashCode() {
        return 31 * input.hashCode() + output.hashCode();
    }
}
