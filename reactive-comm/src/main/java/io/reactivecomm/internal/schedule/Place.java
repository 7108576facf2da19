package io.reactivecomm.internal.schedule;

import io.reactivecomm.collective.Collective;
import io.reactivecomm.collective.Partition;
import io.reactivecomm.collective.Partitions;
import org.jspecify.annotations.Nullable;

/**
 * The facts that an algorithm needs to lay out one rank's part.
 *
 * @param rank the rank whose part is laid out
 * @param layout the group's ranks and their hosts
 * @param root the root, or −1
 * @param partitions how the rank's input and output are cut into parts: one, or one for each rank
 */
public record Place(int rank, Layout layout, int root, Partitions partitions) {

    /** {@return one rank's place in a call} */
    public static Place of(Collective call, int rank, Layout layout) {
        return new Place(rank, layout, call.signature().root(), call.partitions(layout.size()));
    }

    /** {@return the ranks in the group} */
    public int size() {
        return layout.size();
    }

    /* By hand, as in {@link io.reactivecomm.collective.Signature}. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Place place
                && place.rank == rank
                && place.layout.equals(layout)
                && place.root == root
                && place.partitions.equals(partitions);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * rank + layout.hashCode()) + root) + partitions.hashCode();
    }

    /** {@return the parts of a buffer; scratch is cut as the input is} */
    public Partition partition(Buffer buffer) {
        return switch (buffer) {
            case INPUT, SCRATCH -> partitions.input();
            case OUTPUT -> partitions.output();
        };
    }

    /** {@return 1, or 0 for a rank that is alone: the steps of what is done at a stroke} */
    public int oneStep() {
        return size() == 1 ? 0 : 1;
    }

    /** {@return the rank that many places on, around the ring; the number may be negative} */
    public int around(int places) {
        return Math.floorMod(rank + places, size());
    }

    /** {@return the place in the tree or chain that begins at the root} */
    public int fromRoot() {
        return Math.floorMod(rank - root, size());
    }

    /** {@return the rank at a place in the tree or chain that begins at the root} */
    public int rankFromRoot(int fromRoot) {
        return (fromRoot + root) % size();
    }

    /** {@return the elements of a buffer} */
    public long total(Buffer buffer) {
        return partition(buffer).total();
    }

    /** {@return the elements of a rank's chunk of an input or output that is a single part} */
    public Span chunk(Buffer buffer, int rank) {
        return whole(buffer).slice(rank, size());
    }

    /** {@return the single part of a buffer} */
    public Span whole(Buffer buffer) {
        return new Span(buffer, 0, partition(buffer).total());
    }

    /** {@return one part of a buffer} */
    public Span part(Buffer buffer, int index) {
        Partition partition = partition(buffer);
        return new Span(buffer, partition.from(index), partition.count(index));
    }
}
