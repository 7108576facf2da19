package io.reactivecomm.internal.group;

import io.reactivecomm.Part;
import io.reactivecomm.collective.AllGather;
import io.reactivecomm.collective.Collective;
import org.jspecify.annotations.Nullable;

/**
 * The parts of one call's output: which have landed, and which of those wait to be told of. Owned by the loop.
 *
 * <p>Memory is bounded whatever the demand: at most a part for each rank waits, or one run.
 */
interface Landing {

    /** Of a call that failed its checks. */
    Landing NOTHING = new Landing() {

        @Override
        public void landed(long from, long count) {}

        @Override
        public void allLanded() {}

        @Override
        public @Nullable Part poll() {
            return null;
        }

        @Override
        public boolean isEmpty() {
            return true;
        }
    };

    /** {@return how a call's output lands on this rank} */
    static Landing of(Collective call, int rank, int size) {
        return call instanceof AllGather
                ? new LandingParts(call, size)
                : new LandingRun(call.outputs().getFirst(), rank);
    }

    /** Elements of the row of all outputs are final. */
    void landed(long from, long count);

    /** All elements are final, whether they were spoken of or not. */
    void allLanded();

    /** {@return the next part to tell of, or null if none waits} */
    @Nullable Part poll();

    boolean isEmpty();
}
