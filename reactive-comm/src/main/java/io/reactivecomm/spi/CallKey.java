package io.reactivecomm.spi;

/** The identity of a call on all ranks that take part in it. */
public sealed interface CallKey {

    /** {@return how often the group has been recovered} */
    int generation();

    /** {@return the group; 0 is the world} */
    long group();

    /** {@return the name under which the group counts the call; empty by default} */
    String name();

    /** {@return the call in messages, such as {@code layer1.weight#2}} */
    String label();

    /**
     * The identity of a collective.
     *
     * @param ticket the call's place among those assembled under the name, from 0
     * @param ordinal which subscription of the assembled call, from 1
     */
    record Ticket(int generation, long group, String name, long ticket, int ordinal) implements CallKey {

        @Override
        public String label() {
            return name + "#" + ticket + (ordinal == 1 ? "" : "." + ordinal);
        }
    }

    /**
     * The identity of a message.
     *
     * @param source the sender, in the group
     * @param destination the receiver, in the group
     * @param number which message of that source and destination, from 0
     */
    record Message(int generation, long group, String name, int tag, int source, int destination, long number) implements CallKey {

        @Override
        public String label() {
            return name + "#" + number + "[" + source + "→" + destination + ", tag=" + tag + "]";
        }
    }
}
