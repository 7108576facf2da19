package io.reactivecomm.internal.composite;

import io.reactivecomm.DType;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.Tensor;
import io.reactivecomm.device.Device;
import java.util.Arrays;

/**
 * The facts that a rank tells of its rows before it sends them.
 *
 * <pre>
 *   0        8        16       24       32        40       48       56
 *   +--------+--------+--------+--------+---------+--------+--------+
 *   |  mark  | count  |  rows  |  type  |   row   | shape  | device |    INT64 each
 *   +--------+--------+--------+--------+---------+--------+--------+
 *     SPARSE   its own   of the  wire     elements  hash of  hash of the kind
 *              distinct  dense   code     of a row  a row's  that the values
 *              rows      tensor                     shape    are on
 * </pre>
 *
 * <p>All but the count must be the same on all ranks. What is read here comes from other ranks, and memory is taken by it: so nothing is,
 * before {@link #counts} has passed it.
 */
final class SparseHeader {

    /** The elements of a header. */
    static final int COUNT = 7;

    /** "SPARSE": no number that a program gathers for itself is likely to be this. */
    private static final long MARK = 0x5350_4152_5345L;

    private static final int ROW_COUNT = 1;
    private static final int ROWS = 2;
    private static final int TYPE = 3;
    private static final int ROW = 4;
    private static final int SHAPE = 5;
    private static final int DEVICE = 6;

    private static final long HOST = Device.CPU.kind().hashCode();

    private SparseHeader() {}

    static long[] of(SparseRows rows) {
        long[] shape = rows.tensor().values().shape();
        return new long[] {
            MARK,
            rows.distinct().length,
            rows.tensor().rows(),
            rows.tensor().values().type().wireCode(),
            rows.rowCount(),
            Arrays.hashCode(Arrays.copyOfRange(shape, 1, shape.length)),
            rows.tensor().values().device().kind().hashCode()
        };
    }

    /**
     * {@return how many rows each rank has}
     *
     * @throws MismatchException if a rank reduces something else
     * @throws InvalidCallException if a rank says that it has more rows than there are, or all have more than an array takes
     */
    static long[] counts(Tensor headers, SparseRows own, int rank) {
        long[] all = headers.toLongArray();
        long[] expected = of(own);
        long[] counts = new long[all.length / COUNT];
        long total = 0;
        for (int each = 0; each < counts.length; each++) {
            long[] header = Arrays.copyOfRange(all, each * COUNT, (each + 1) * COUNT);
            counts[each] = header[ROW_COUNT];
            header[ROW_COUNT] = expected[ROW_COUNT];
            if (!Arrays.equals(header, expected)) {
                throw new MismatchException("ranks issued different calls: rank " + each + " of the group called "
                        + described(header) + ", rank " + rank + " called " + described(expected)
                        + "; give all ranks the same type, row shape and number of rows, on devices of one kind");
            }
            requireCount(counts[each], each, own.tensor().rows());
            total += counts[each];
        }
        requireTogether(total);
        return counts;
    }

    private static void requireCount(long count, int rank, long rows) {
        if (count < 0 || count > Math.min(rows, SparseRows.MOST_ROWS)) {
            throw new InvalidCallException(SparseAllReduce.OPERATION
                    + " got a number of rows that is out of range: fromRank=" + rank + ", count=" + count + ", rows="
                    + rows + "; let that rank use this version of the library");
        }
    }

    private static void requireTogether(long indices) {
        if (indices > SparseRows.MOST_ROWS) {
            throw new InvalidCallException(SparseAllReduce.OPERATION + " got too many rows: indices=" + indices
                    + ", most=" + SparseRows.MOST_ROWS + "; all-reduce the dense tensor");
        }
    }

    private static String described(long[] header) {
        if (header[0] != MARK) {
            return "something else";
        }
        return SparseAllReduce.OPERATION + "(" + type(header[TYPE]) + " × " + header[ROW] + " a row, rows="
                + header[ROWS] + ", shape=" + Long.toHexString(header[SHAPE]) + ", device="
                + (header[DEVICE] == HOST ? "cpu" : Long.toHexString(header[DEVICE])) + ")";
    }

    private static String type(long code) {
        for (DType type : DType.values()) {
            if (type.wireCode() == code) {
                return type.name();
            }
        }
        return "type " + code;
    }
}
