package io.reactivecomm.spi.engine;

import io.reactivecomm.spi.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place in the one order of an {@link OrderedEngine}, on one rank. All ranks that have turns in common get them in the same order.
 *
 * <p>The calls of a group come between its opening and its freeing. Only an engine with a {@link Formation} gets the latter two, and neither of the world's
 * own group: that is opened with the engine and freed with it.
 */
public sealed interface Turn {

    /** {@return the group that it is about} */
    EngineGroup group();

    /** {@return the calls of a batch: all of it, for an engine to which groups are nothing} */
    static List<Call> calls(List<Turn> batch) {
        return batch.stream()
                .filter(Call.class::isInstance)
                .map(Call.class::cast)
                .toList();
    }

    /**
     * A call that all members have submitted, of a group that is open on all of them.
     *
     * @param sink takes its end, once
     */
    record Call(EngineCall call, CollectiveEngine.Sink sink) implements Turn {

        @Override
        public EngineGroup group() {
            return call.group();
        }
    }

    /**
     * The opening of a group, of which a call is ready on all members. It may take long, and ends by its sink. Its calls come when it has ended well on all ranks
     * that take part, those of other groups come meanwhile. Where it fails, the group ends on all members with that cause.
     *
     * @param group this rank's place in it is {@link EngineGroup#NOT_A_MEMBER} where the rank takes part for the others
     * @param from the group that it is split from, all ranks of which get this turn: an open one, the nearest among its parents; null if its members are alone,
     *     because of the {@link Formation}, or because every parent has failed, or has a rank that has left or been lost
     */
    record Opening(EngineGroup group, @Nullable EngineGroup from, Sink sink) implements Turn {}

    /**
     * The freeing of a group that is open, and that all its members have closed: each of them gets it, and may free it together with the others. A group that has
     * failed, or of which a member has left the world, gets no such turn: it is {@linkplain OrderedEngine#abandonGroup abandoned}. So is one whose freeing does
     * not end on all, because it fails or a member goes. Nobody waits for it.
     */
    record Freeing(EngineGroup group, Sink sink) implements Turn {}

    /** Takes the end of an opening or a freeing on this rank, once, from any thread. What comes after the group has been abandoned is ignored. */
    interface Sink {

        /** This rank has done its part. */
        void done();

        /** The group cannot be opened, or freed together: it ends on all its members. */
        void failed(Failure cause);
    }
}
