package io.reactivecomm.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The identity of a call on all ranks that take part in it. */
public sealed interface CallKey {

    /** {@return how often the group has been recovered} */
    int generation();

    /** {@return the group; 0 is the world} */
    long group();

    /** The {@link #step()} of a call that is in no numbered scope. */
    long NO_STEP = -1;

    /** {@return the number of the {@linkplain io.reactivecomm.ProcessGroup#numbered scope} in which the group counts the call, or {@link #NO_STEP}} */
    long step();

    /** {@return the name under which the group counts the call; empty by default} */
    String name();

    /** {@return the run of the composite call that it was made in, or null} */
    @Nullable Enclosure enclosure();

    /** {@return the call in messages, such as {@code layer1.weight#2}, or {@code layer1.weight#2@scope7}} */
    String label();

    /** {@return the composite call's run, in none itself, that the call is in, however deep; the call itself if it is in none} */
    CallKey outermost();

    /**
     * The identity of a collective.
     *
     * @param step the number of the scope in which it is counted, or {@link #NO_STEP}
     * @param ticket the call's place among those assembled under the name, from 0
     * @param ordinal which subscription of the assembled call, from 1
     * @param enclosure the composite call's run in which both are counted, or null
     */
    record Ticket(
            int generation,
            long group,
            long step,
            String name,
            long ticket,
            int ordinal,
            @Nullable Enclosure enclosure) implements CallKey {

        /** A call that is in no numbered scope. */
        public Ticket(
                int generation, long group, String name, long ticket, int ordinal, @Nullable Enclosure enclosure) {
            this(generation, group, NO_STEP, name, ticket, ordinal, enclosure);
        }

        /** A call that the program makes by itself. */
        public Ticket(int generation, long group, String name, long ticket, int ordinal) {
            this(generation, group, NO_STEP, name, ticket, ordinal, null);
        }

        /*
         * By hand: a call is looked up again and again, and what a record has of its own runs through method handles, which cost a rank's first
         * thousands of calls a sixth of their time in composites.
         */
        @Override
        public boolean equals(@Nullable Object other) {
            return other == this
                    || other instanceof Ticket key
                            && key.ticket == ticket
                            && key.ordinal == ordinal
                            && key.step == step
                            && key.group == group
                            && key.generation == generation
                            && key.name.equals(name)
                            && Objects.equals(key.enclosure, enclosure);
        }

        @Override
        public int hashCode() {
            int hash = 31 * generation + Long.hashCode(group);
            hash = 31 * hash + Long.hashCode(step);
            hash = 31 * hash + name.hashCode();
            hash = 31 * hash + Long.hashCode(ticket);
            hash = 31 * hash + ordinal;
            return 31 * hash + (enclosure == null ? 0 : enclosure.hashCode());
        }

        @Override
        public String label() {
            return path(enclosure) + name + "#" + ticket + (ordinal == 1 ? "" : "." + ordinal) + at(step);
        }

        @Override
        public Ticket outermost() {
            return enclosure == null ? this : enclosure.run().outermost();
        }
    }

    /**
     * The identity of a message.
     *
     * @param step the number of the scope in which it is counted, or {@link #NO_STEP}
     * @param source the sender, in the group
     * @param destination the receiver, in the group
     * @param number which message of that source and destination, from 0; negative as long as that is not known
     * @param enclosure the composite call's run in which it is counted, or null
     */
    record Message(
            int generation,
            long group,
            long step,
            String name,
            int tag,
            int source,
            int destination,
            long number,
            @Nullable Enclosure enclosure)
            implements CallKey {

        /** A message that is in no numbered scope. */
        public Message(
                int generation,
                long group,
                String name,
                int tag,
                int source,
                int destination,
                long number,
                @Nullable Enclosure enclosure) {
            this(generation, group, NO_STEP, name, tag, source, destination, number, enclosure);
        }

        /** A message that the program sends by itself. */
        public Message(int generation, long group, String name, int tag, int source, int destination, long number) {
            this(generation, group, NO_STEP, name, tag, source, destination, number, null);
        }

        /** {@return another message of the same name, tag and destination} */
        public Message of(int otherSource, long otherNumber) {
            return new Message(generation, group, step, name, tag, otherSource, destination, otherNumber, enclosure);
        }

        @Override
        public String label() {
            return path(enclosure) + name + (number < 0 ? "" : "#" + number) + "[" + (source < 0 ? "any" : source) + "→"
                    + destination + ", tag=" + tag + "]" + at(step);
        }

        @Override
        public CallKey outermost() {
            return enclosure == null ? this : enclosure.run().outermost();
        }
    }

    private static String at(long step) {
        return step == NO_STEP ? "" : "@scope" + step;
    }

    /** {@return what comes before an enclosed call's own label, such as {@code step#4/}} */
    private static String path(@Nullable Enclosure enclosure) {
        return enclosure == null ? "" : enclosure.run().label() + "/";
    }
}
