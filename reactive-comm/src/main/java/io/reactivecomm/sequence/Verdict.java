package io.reactivecomm.sequence;

import io.reactivecomm.spi.Failure;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** That a call has failed before its turn, at the leader as long as some member may still speak of the call. */
final class Verdict {

    private final Failure cause;
    private final Set<Integer> awaited;

    Verdict(Failure cause, List<Integer> members) {
        this.cause = cause;
        this.awaited = new HashSet<>(members);
    }

    Failure cause() {
        return cause;
    }

    /** A member has refused the call, or is ready for it no more. {@return whether nobody will speak of it again} */
    boolean lastWord(int worldRank) {
        awaited.remove(worldRank);
        return awaited.isEmpty();
    }
}
