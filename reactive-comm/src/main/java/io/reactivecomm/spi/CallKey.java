package io.reactivecomm.spi;

import org.jspecify.annotations.Nullable;

/** The identity of a call on all ranks that take part in it. */
public sealed interface CallKey {

    /** {@return how often the group has been recovered} */
    int generation();

    /** {@return the group; 0 is the world} */
    long group();

    /** {@return the name under which the group counts the call; empty by default} */
    String name();

    /** {@return the run of the composite call that it was made in, or null} */
    @Nullable Enclosure enclosure();

    /** {@return the call in messages, such as {@code layer1.weight#2}} */
    String label();

    /**
     * The identity of a collective.
     *
     * @param ticket the call's place among those assembled under the name, from 0
     * @param ordinal which subscription of the assembled call, from 1
     * @param enclosure the composite call's run in which both are counted, or null
     */
    record Ticket(int generation, long group, String name, long ticket, int ordinal, @Nullable Enclosure enclosure) implements CallKey {

        /** A call that the program makes by itself. */
        public Ticket(int generation, long group, String name, long ticket, int ordinal) {
            this(generation, group, name, ticket, ordinal, null);
        }

        @Override
        public String label() {
            return path(enclosure) + name + "#" + ticket + (ordinal == 1 ? "" : "." + ordinal);
        }
    }

    /**
     * The identity of a message.
     *
     * @param source the sender, in the group
     * @param destination the receiver, in the group
     * @param number which message of that source and destination, from 0
     * @param enclosure the composite call's run in which it is counted, or null
     */
    record Message(
            int generation, long group, String name, int tag, int source, int destination, long number, @Nullable Enclosure enclosure)
            implements CallKey {

        /** A message that the program sends by itself. */
        public Message(int generation, long group, String name, int tag, int source, int destination, long number) {
            this(generation, group, name, tag, source, destination, number, null);
        }

        @Override
        public String label() {
            return path(enclosure) + name + "#" + number + "[" + source + "→" + destination + ", tag=" + tag + "]";
        }
    }

    /** {@return what comes before an enclosed call's own label, such as {@code step#4/}} */
    private static String path(@Nullable Enclosure enclosure) {
        return enclosure == null ? "" : enclosure.run().label() + "/";
    }
}
