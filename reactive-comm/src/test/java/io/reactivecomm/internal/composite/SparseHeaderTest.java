package io.reactivecomm.internal.composite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.SparseTensor;
import io.reactivecomm.Tensor;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The headers in which ranks tell of their rows: they decide how much memory the next step takes. */
class SparseHeaderTest {

    private static final long ROWS = 1L << 40;

    @Test
    void counts_thatTogetherPassAnArray_areRefusedBeforeMemoryIsTaken() {
        try (SparseTensor sparse = oneRow()) {
            SparseRows rows = SparseRows.checked(sparse, sparse.indices(), ReduceOp.SUM);
            assertThatThrownBy(() -> counts(rows, SparseRows.MOST_ROWS))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessage(
                            "sparse all-reduce got too many rows: indices=2147483640, most=2147483639; all-reduce the dense tensor");
            assertThat(counts(rows, SparseRows.MOST_ROWS - 1)).containsExactly(1, SparseRows.MOST_ROWS - 1);
        }
    }

    private static SparseTensor oneRow() {
        return new SparseTensor(Tensor.of(new long[] {5}), Tensor.of(new float[] {1}, 1, 1), ROWS);
    }

    /** {@return what is read of this rank's header and of one that is like it but for the count} */
    private static long[] counts(SparseRows rows, long others) {
        long[] own = SparseHeader.of(rows);
        long[] other = own.clone();
        other[1] = others;
        try (Tensor headers = Tensor.of(
                LongStream.concat(LongStream.of(own), LongStream.of(other)).toArray())) {
            return SparseHeader.counts(headers, rows, 0);
        }
    }
}
