package io.reactivecomm.compression.internal.lowrank;

/**
 * The products of a block of a matrix's rows with its factors, in FLOAT32.
 *
 * <p>Rows lie one behind the other from the block's first element, factors column by column. Loops along a row have no sum that goes from one turn to the next, so that
 * the compiler makes vectors of them; the sum of {@link #timesQ} is eight sums, so that additions need not wait for each other.
 */
final class LowRankKernel {

    private static final int SUMS = 8;

    private LowRankKernel() {}

    /** Adds the first {@code n} elements of one array to those of another. */
    static void add(float[] to, float[] from, int n) {
        for (int i = 0; i < n; i++) {
            to[i] += from[i];
        }
    }

    /** Writes rows {@code first} to {@code first + rows} of P, {@code P = M Q}. */
    static void timesQ(LowRankMatrix matrix, float[] block, int first, int rows, float[] q, float[] p) {
        int columns = matrix.columns();
        for (int row = 0; row < rows; row++) {
            for (int k = 0; k < matrix.rank(); k++) {
                p[k * matrix.rows() + first + row] = dot(block, row * columns, q, k * columns, columns);
            }
        }
    }

    private static float dot(float[] a, int aAt, float[] b, int bAt, int n) {
        float s0 = 0;
        float s1 = 0;
        float s2 = 0;
        float s3 = 0;
        float s4 = 0;
        float s5 = 0;
        float s6 = 0;
        float s7 = 0;
        int i = 0;
        for (; i <= n - SUMS; i += SUMS) {
            s0 += a[aAt + i] * b[bAt + i];
            s1 += a[aAt + i + 1] * b[bAt + i + 1];
            s2 += a[aAt + i + 2] * b[bAt + i + 2];
            s3 += a[aAt + i + 3] * b[bAt + i + 3];
            s4 += a[aAt + i + 4] * b[bAt + i + 4];
            s5 += a[aAt + i + 5] * b[bAt + i + 5];
            s6 += a[aAt + i + 6] * b[bAt + i + 6];
            s7 += a[aAt + i + 7] * b[bAt + i + 7];
        }
        for (; i < n; i++) {
            s0 += a[aAt + i] * b[bAt + i];
        }
        return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7));
    }

    /** Adds what rows {@code first} to {@code first + rows} give to Q, {@code Q = Mᵀ P}. */
    static void addTransposedTimesP(LowRankMatrix matrix, float[] block, int first, int rows, float[] p, float[] q) {
        int columns = matrix.columns();
        for (int row = 0; row < rows; row++) {
            for (int k = 0; k < matrix.rank(); k++) {
                addScaled(q, k * columns, block, row * columns, p[k * matrix.rows() + first + row], columns);
            }
        }
    }

    /** Adds rows {@code first} to {@code first + rows} of {@code sign · P Qᵀ} to the block. */
    static void addProduct(LowRankMatrix matrix, float[] block, int first, int rows, float[] p, float[] q, float sign) {
        int columns = matrix.columns();
        for (int row = 0; row < rows; row++) {
            for (int k = 0; k < matrix.rank(); k++) {
                addScaled(block, row * columns, q, k * columns, sign * p[k * matrix.rows() + first + row], columns);
            }
        }
    }

    private static void addScaled(float[] to, int toAt, float[] from, int fromAt, float by, int n) {
        for (int i = 0; i < n; i++) {
            to[toAt + i] += by * from[fromAt + i];
        }
    }
}
