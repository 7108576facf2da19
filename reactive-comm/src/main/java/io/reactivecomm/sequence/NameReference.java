package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;
import io.reactivecomm.spi.engine.GroupKey;
import java.util.List;

/** The place of one call in the order, as its group's {@link RecentNames} writes it. */
sealed interface NameReference {

    /** {@return the call's group} */
    GroupKey group();

    /** A call of a name that is not in the ring, and now is. */
    record New(CallKey.Ticket key) implements NameReference {

        @Override
        public GroupKey group() {
            return GroupKey.of(key);
        }
    }

    /**
     * A call of a name in the ring.
     *
     * @param slot where the name is
     * @param tickets how far its ticket is from that of the last call of the name; a training step makes it 1, a repetition 0
     * @param steps how far its step is from that call's, or that of the outermost run that it is in; 0 where the program does not count by steps
     * @param runs the composite calls' runs that it is in, the innermost first
     */
    record Again(GroupKey group, int slot, long tickets, long steps, int ordinal, List<RunStep> runs)
            implements NameReference {

        public Again {
            runs = List.copyOf(runs);
        }

        /** A call that the program makes by itself. */
        public Again(GroupKey group, int slot, long tickets, int ordinal) {
            this(group, slot, tickets, 0, ordinal, List.of());
        }
    }

    /**
     * A message whose two ends have met. It is in no ring, which all members of a group have to see.
     *
     * @param end as the receiver of this place calls it; a receive from any has its own number
     * @param source the sender, in the group
     * @param number which message of that source it is
     */
    record Paired(CallKey.Message end, int source, long number) implements NameReference {

        @Override
        public GroupKey group() {
            return GroupKey.of(end);
        }

        /** {@return the message that both ends are of} */
        CallKey.Message message() {
            return end.of(source, number);
        }
    }

    /**
     * A run of a composite call that a call of a name in the ring is in.
     *
     * @param tickets how far its ticket is from that of the run that the last call of the name was in
     */
    record RunStep(long tickets, int ordinal) {}
}
