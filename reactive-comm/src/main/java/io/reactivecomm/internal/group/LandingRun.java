package io.reactivecomm.internal.group;

import io.reactivecomm.Part;
import io.reactivecomm.Tensor;
import org.jspecify.annotations.Nullable;

/** This rank's own part, told of in runs of elements from the first to the last; what nobody has asked for grows into one run. */
final class LandingRun implements Landing {

    private final Tensor output;
    private final int rank;
    /** Elements that are final, from the first on. */
    private long end;

    private @Nullable Part waiting;

    LandingRun(Tensor output, int rank) {
        this.output = output;
        this.rank = rank;
    }

    /** What lands before its predecessors is told of with them, or with the end. */
    @Override
    public void landed(long from, long count) {
        if (from == end && count > 0) {
            growTo(end + count);
        }
    }

    @Override
    public void allLanded() {
        if (end < output.count()) {
            growTo(output.count());
        }
    }

    private void growTo(long newEnd) {
        long from = waiting == null ? end : waiting.from();
        end = newEnd;
        waiting = new Part(rank, from, output.slice(from, newEnd - from));
    }

    @Override
    public @Nullable Part poll() {
        Part next = waiting;
        waiting = null;
        return next;
    }

    @Override
    public boolean isEmpty() {
        return waiting == null;
    }
}
