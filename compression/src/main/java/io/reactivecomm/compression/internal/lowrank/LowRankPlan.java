package io.reactivecomm.compression.internal.lowrank;

import io.reactivecomm.compression.reduce.PowerSgdOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * The elements of a bucket that are matrices to be factored, and the rest, which goes as it is.
 *
 * <pre>
 *   bucket    | M0 ……………… | bias | M1 ………… | 2 x 2 | bias |
 *   errors    | M0 ……………… | M1 ………… |
 *   P, Q      | P0 | P1 |     | Q0 | Q1 |
 *   rest      | bias | 2 x 2 | bias |
 * </pre>
 *
 * <p>A tensor of several dimensions is a matrix of its first one and all others.
 *
 * @param matrices in the order of the bucket
 * @param rest runs of elements, in the order of the bucket
 * @param errorCount the elements of all matrices
 * @param pCount the elements of all P
 * @param qCount the elements of all Q
 * @param restCount the elements of all runs
 */
public record LowRankPlan(
        List<LowRankMatrix> matrices, List<Run> rest, long errorCount, long pCount, long qCount, long restCount) {

    /** Elements next to each other that are not factored. */
    public record Run(long at, long count) {}

    /** {@return the plan of tensors that lie one behind the other} */
    public static LowRankPlan of(List<List<Long>> shapes, PowerSgdOptions options) {
        Planning planning = new Planning(options);
        shapes.forEach(planning::add);
        return planning.plan();
    }

    /** {@return what the state of another plan differs in} */
    public String label() {
        return matrices.toString();
    }

    /** A plan while it is made. */
    private static final class Planning {

        private final PowerSgdOptions options;
        private final List<LowRankMatrix> matrices = new ArrayList<>();
        private final List<Run> rest = new ArrayList<>();
        private long at;
        private long errors;
        private long p;
        private long q;

        Planning(PowerSgdOptions options) {
            this.options = options;
        }

        void add(List<Long> shape) {
            long count = shape.stream().reduce(1L, (one, other) -> one * other);
            long rows = shape.size() < 2 || count == 0 ? 0 : shape.getFirst();
            if (rows == 0 || !isFactored(rows, count / rows)) {
                addRest(count);
            } else {
                addMatrix((int) rows, (int) (count / rows));
            }
            at += count;
        }

        private int rank(long rows, long columns) {
            return (int) Math.min(options.rank(), Math.min(rows, columns));
        }

        private boolean isFactored(long rows, long columns) {
            int rank = rank(rows, columns);
            // A factor is an array.
            boolean fits = Math.max(rows, columns) <= Integer.MAX_VALUE / rank;
            boolean pays = (rows + columns) * (double) rank * options.leastRate() < rows * columns;
            return fits && pays;
        }

        private void addMatrix(int rows, int columns) {
            LowRankMatrix matrix =
                    new LowRankMatrix(matrices.size(), at, errors, p, q, rows, columns, rank(rows, columns));
            matrices.add(matrix);
            errors += matrix.count();
            p += matrix.pCount();
            q += matrix.qCount();
        }

        private void addRest(long count) {
            Run last = rest.isEmpty() ? null : rest.getLast();
            if (last != null && last.at() + last.count() == at) {
                rest.set(rest.size() - 1, new Run(last.at(), last.count() + count));
            } else if (count > 0) {
                rest.add(new Run(at, count));
            }
        }

        LowRankPlan plan() {
            return new LowRankPlan(
                    List.copyOf(matrices),
                    List.copyOf(rest),
                    errors,
                    p,
                    q,
                    rest.stream().mapToLong(Run::count).sum());
        }
    }
}
