package io.reactivecomm.sequence;

import io.reactivecomm.spi.Failure;
import java.util.BitSet;
import java.util.Collection;

/** A call that has failed before its turn, at the leader as long as some member may still speak of the call. */
final class FailedCall {

    private final Failure cause;
    private final int level;
    /** The world ranks that have not had their last word. */
    private final BitSet awaited = new BitSet();
    /** Those among them that were ready: they have been told, and say it in any case. */
    private final BitSet ready = new BitSet();

    /**
     * @param level of the run whose failure it is, or 0
     * @param ready the world ranks on which it was ready
     */
    FailedCall(Failure cause, int level, Collection<Integer> ready) {
        this.cause = cause;
        this.level = level;
        ready.forEach(this::ready);
    }

    Failure cause() {
        return cause;
    }

    int level() {
        return level;
    }

    /** {@return whether some rank may still speak of it} */
    boolean isAwaited() {
        return !awaited.isEmpty();
    }

    /** A rank on which it is not ready may speak of it. */
    void await(int worldRank) {
        awaited.set(worldRank);
    }

    /** {@return whether a rank on which it is not ready may still speak of it} */
    boolean awaits(int worldRank) {
        return awaited.get(worldRank) && !ready.get(worldRank);
    }

    /** A rank is ready for it and will be told. */
    void ready(int worldRank) {
        awaited.set(worldRank);
        ready.set(worldRank);
    }

    /** {@return the world ranks that are not ready for it and may still speak of it} */
    int[] silent() {
        BitSet silent = (BitSet) awaited.clone();
        silent.andNot(ready);
        return silent.stream().toArray();
    }

    /** A member will not make the call: it goes on without, or a run around the call is over. {@return whether nobody will speak of it again} */
    boolean over(int worldRank) {
        if (!ready.get(worldRank)) {
            awaited.clear(worldRank);
        }
        return awaited.isEmpty();
    }

    /** A member has refused the call, or is ready for it no more. {@return whether nobody will speak of it again} */
    boolean lastWord(int worldRank) {
        awaited.clear(worldRank);
        return awaited.isEmpty();
    }
}
