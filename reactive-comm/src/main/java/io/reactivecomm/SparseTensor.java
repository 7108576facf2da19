package io.reactivecomm;

import java.util.Objects;

/**
 * Some rows of a dense tensor: row {@code indices[i]} is {@code values[i]}; all others are zero.
 *
 * <p>Rows that stand in it more than once add up in their order, in the type's {@link DType#accumulator() accumulator}, and round once: what
 * a dense tensor of the type holds.
 *
 * <pre>
 *   indices  3 0 3      values  a b      dense, rows=5   c d
 *                               c d                      0 0
 *                               e f                      0 0
 *                                                        a+e b+f
 *                                                        0 0
 * </pre>
 *
 * <p><b>Devices.</b> Either tensor may be on a device. The indices of a result are in the host's memory, its values where this rank's were.
 *
 * <p><b>Buffers.</b> What a collective emits owns its memory, and the subscriber closes it.
 *
 * @param indices INT64, one dimension, in any order; an index may stand in it more than once
 * @param values as many rows as there are indices, of any equal shape: the first dimension counts them
 * @param rows the rows of the dense tensor; every index is from 0 and below it
 */
public record SparseTensor(Tensor indices, Tensor values, long rows) implements AutoCloseable {

    public SparseTensor {
        Objects.requireNonNull(indices, "indices");
        Objects.requireNonNull(values, "values");
    }

    /** Closes both tensors. */
    @Override
    public void close() {
        indices.close();
        values.close();
    }
}
