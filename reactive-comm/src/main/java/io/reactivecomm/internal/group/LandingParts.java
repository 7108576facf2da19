package io.reactivecomm.internal.group;

import io.reactivecomm.Part;
import io.reactivecomm.Tensor;
import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part for each rank, told of whole, in the order in which they land; one without elements lands with the call's end. */
final class LandingParts implements Landing {

    private final List<Tensor> outputs;
    private final Partition partition;
    private final long[] missing;
    private final boolean[] landed;
    private final ArrayDeque<Part> waiting = new ArrayDeque<>();

    LandingParts(Collective call, int size) {
        this.outputs = call.outputs();
        this.partition = call.partitions(size).output();
        this.missing = new long[size];
        this.landed = new boolean[size];
        for (int rank = 0; rank < size; rank++) {
            missing[rank] = partition.count(rank);
        }
    }

    @Override
    public void landed(long from, long count) {
        for (int rank = 0; rank < missing.length; rank++) {
            long first = Math.max(from, partition.from(rank));
            long end = Math.min(from + count, partition.from(rank) + partition.count(rank));
            if (first < end) {
                missing[rank] -= end - first;
                if (missing[rank] == 0) {
                    land(rank);
                }
            }
        }
    }

    @Override
    public void allLanded() {
        for (int rank = 0; rank < missing.length; rank++) {
            land(rank);
        }
    }

    private void land(int rank) {
        if (!landed[rank]) {
            landed[rank] = true;
            Tensor tensor = outputs.size() == missing.length
                    ? outputs.get(rank)
                    : outputs.getFirst().slice(partition.from(rank), partition.count(rank));
            waiting.add(new Part(rank, 0, tensor));
        }
    }

    @Override
    public @Nullable Part poll() {
        return waiting.poll();
    }

    @Override
    public boolean isEmpty() {
        return waiting.isEmpty();
    }
}
