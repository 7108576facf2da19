package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.Enclosure;
import org.jspecify.annotations.Nullable;

/** One call of a plan. */
sealed interface FuzzCall {

    int group();

    /** {@return the run that it is made in, or null} */
    @Nullable Enclosure enclosure();

    int priority();

    /** A collective, which all members of its group make. */
    record All(CallKey.Ticket key, int group, int priority) implements FuzzCall {

        @Override
        public @Nullable Enclosure enclosure() {
            return key.enclosure();
        }
    }

    /**
     * One end of a message, which one rank makes.
     *
     * @param peer the other end in the group, or any
     */
    record End(Line line, int rank, boolean isSend, int peer, int priority) implements FuzzCall {

        @Override
        public int group() {
            return line.group;
        }

        @Override
        public @Nullable Enclosure enclosure() {
            return line.enclosure;
        }
    }

    /**
     * Messages to one rank under one name and tag.
     *
     * @param destination in the group
     * @param tag another for each line
     * @param step in which they are counted; it is over on all ranks when their calls have been made
     */
    record Line(
            int group,
            int destination,
            String name,
            int tag,
            Receives receives,
            long step,
            @Nullable Enclosure enclosure) {}

    /** The receives of a line. */
    enum Receives {
        /** Each names its source. */
        NAMED,
        /** Each is from any. */
        FROM_ANY,
        /** Of one source's messages, some by its name and some from any. */
        OF_ONE,
        /** Some from any, which may take what another was for: so not all need find one. */
        MIXED
    }
}
