package io.reactivecomm;

import java.util.List;

/**
 * A group's ranks laid out along named dimensions, row-major, and a group for this rank along each of them: what torch.distributed calls a
 * device mesh.
 *
 * <pre>
 * six ranks, data = 2, model = 3:        model →
 *                                 data   0  1  2
 *                                  ↓     3  4  5
 * rank 4 has the coordinates data = 1, model = 1; its data group is [1, 4], its model group is [3, 4, 5].
 * </pre>
 */
public interface GroupMesh extends AutoCloseable {

    /** {@return the dimensions, outermost first} */
    List<Dimension> dimensions();

    /**
     * {@return the group of the ranks that differ from this one along that dimension only, in its order}
     *
     * @throws IllegalArgumentException if there is no such dimension
     */
    ProcessGroup axis(String dimension);

    /**
     * {@return this rank's place along that dimension, from 0}
     *
     * @throws IllegalArgumentException if there is no such dimension
     */
    int coordinate(String dimension);

    /** Closes this rank's groups of all dimensions; the group that the mesh was made of stays. Idempotent. */
    @Override
    void close();
}
