package io.reactivecomm.sequence;

import io.reactivecomm.spi.CallKey;

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
     * @param step how far its ticket is from that of the last call of the name; a training step makes it 1, a repetition 0
     */
    record Again(GroupKey group, int slot, long step, int ordinal) implements NameReference {}
}
