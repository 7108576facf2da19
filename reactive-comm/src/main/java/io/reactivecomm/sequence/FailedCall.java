package io.reactivecomm.sequence;

import io.reactivecomm.spi.Failure;
import java.util.BitSet;
import java.util.List;

/** A call that has failed before its turn, at the leader as long as some member may still speak of the call. */
final class FailedCall {

    private final Failure cause;
    /** The world ranks that have not had their last word. */
    private final BitSet awaited = new BitSet();

    FailedCall(Failure cause, List<Integer> members) {
        this.cause = cause;
        members.forEach(awaited::set);
    }

    Failure cause() {
        return cause;
    }

    /** A member has refused the call, or is ready for it no more. {@return whether nobody will speak of it again} */
    boolean lastWord(int worldRank) {
        awaited.clear(worldRank);
        return awaited.isEmpty();
    }
}
