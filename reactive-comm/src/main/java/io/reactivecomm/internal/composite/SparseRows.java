package io.reactivecomm.internal.composite;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.PreMulSum;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Reduction;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import io.reactivecomm.UnsupportedCollectiveException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rows that this rank gives to a sparse all-reduce, checked.
 *
 * @param indices where each of the rows belongs, in the tensor's order
 * @param distinct the same, ascending, each once
 * @param rowCount the elements of a row
 */
record SparseRows(SparseTensor tensor, long[] indices, long[] distinct, long rowCount) {

    /** The length that every JVM grants to an array; a few more fail on some. */
    static final int MOST_ROWS = Integer.MAX_VALUE - 8;

    /**
     * {@return that tensor}
     *
     * @throws InvalidCallException if there is none, or it is closed
     */
    static SparseTensor usable(@Nullable SparseTensor tensor) {
        if (tensor == null) {
            throw invalid("got no tensor: tensor=null; pass one on every rank, without rows where there are none");
        }
        requireUsable("indices", tensor.indices());
        requireUsable("values", tensor.values());
        return tensor;
    }

    /**
     * {@return the tensor's rows}
     *
     * @param tensor {@link #usable} and borrowed
     * @param onHost the indices, in the host's memory
     * @throws InvalidCallException if it is not well formed
     * @throws UnsupportedCollectiveException if absent rows cannot be reduced so
     */
    static SparseRows checked(SparseTensor tensor, Tensor onHost, @Nullable Reduction op) {
        requireReducible(tensor.values().type(), op);
        requireShapes(tensor);
        long[] indices = onHost.toLongArray();
        long[] distinct = RowUnion.distinct(indices.clone());
        requireInside(distinct, tensor.rows());
        return new SparseRows(tensor, indices, distinct, rowCount(tensor.values()));
    }

    private static void requireUsable(String role, @Nullable Tensor tensor) {
        if (tensor == null) {
            throw invalid("got no " + role + ": " + role + "=null; pass a tensor, of no rows where there are none");
        }
        if (tensor.isClosed()) {
            throw invalid("got a closed tensor: " + role + "=" + tensor + "; keep it open until the call has ended");
        }
    }

    private static void requireReducible(DType type, @Nullable Reduction op) {
        if (op == null) {
            throw invalid("got no reduction: op=null; pass one, such as ReduceOp.SUM");
        }
        boolean isSum = op == ReduceOp.SUM || op == ReduceOp.AVG || op instanceof PreMulSum;
        if (!isSum || !op.supports(type)) {
            throw new UnsupportedCollectiveException(
                    SparseAllReduce.OPERATION + " cannot reduce so: op=" + op.label() + ", type=" + type
                            + "; absent rows are zeros, so use SUM, AVG or PREMUL_SUM on a type that takes it, or all-reduce the dense tensor");
        }
    }

    private static void requireShapes(SparseTensor tensor) {
        long[] indices = tensor.indices().shape();
        long[] values = tensor.values().shape();
        if (tensor.indices().type() != DType.INT64 || indices.length != 1) {
            throw invalid("got indices that are not a row of INT64: indices=" + tensor.indices()
                    + "; pass one dimension of INT64");
        }
        if (values.length == 0 || values[0] != indices[0]) {
            throw invalid("got not as many rows as indices: indices=" + tensor.indices() + ", values=" + tensor.values()
                    + "; let the first dimension of the values count the indices");
        }
        if (tensor.rows() < 0 || indices[0] > MOST_ROWS) {
            throw invalid("got a number of rows that is out of range: rows=" + tensor.rows() + ", indices=" + indices[0]
                    + "; pass the dense tensor's rows, and at most " + MOST_ROWS + " indices");
        }
    }

    /** @param ascending so the first and the last tell for all */
    private static void requireInside(long[] ascending, long rows) {
        if (ascending.length > 0 && (ascending[0] < 0 || ascending[ascending.length - 1] >= rows)) {
            long outside = ascending[0] < 0 ? ascending[0] : ascending[ascending.length - 1];
            throw invalid("got an index outside the tensor: index=" + outside + ", rows=" + rows
                    + "; indices go from 0 to rows-1");
        }
    }

    private static long rowCount(Tensor values) {
        long[] shape = values.shape();
        try {
            return Arrays.stream(shape).skip(1).reduce(1, Math::multiplyExact);
        } catch (ArithmeticException e) {
            throw new InvalidCallException(
                    SparseAllReduce.OPERATION + " got rows that are too large: values=" + values
                            + "; give smaller rows",
                    e);
        }
    }

    private static InvalidCallException invalid(String what) {
        return new InvalidCallException(SparseAllReduce.OPERATION + " " + what);
    }
}
