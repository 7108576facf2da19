package io.reactivecomm.compression.internal.lowrank;

import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Gram and Schmidt's orthogonalisation of columns that lie one behind the other, the modified one: column by column, each freed of those before it, one after the other,
 * and divided by its norm.
 *
 * <p>Products and sums are doubles, from the first element to the last, and each element is rounded to float as it is written: the same bits on every machine.
 *
 * <p><b>Zeros.</b> {@value #EPSILON} is added to a norm, so that a column of zeros stays one. As a start of the power method it would stay so for ever; therefore it can be
 * drawn anew.
 */
final class GramSchmidt {

    /** As torch suggests for its orthogonalization_epsilon. Norms of gradients are far above it, or do not matter. */
    private static final double EPSILON = 1e-8;

    private GramSchmidt() {}

    /**
     * Orthogonalises columns of so many elements.
     *
     * @param dice draw a column that is zeros; null leaves it as it is
     */
    static void orthogonalize(float[] columns, int length, int count, @Nullable Random dice) {
        for (int column = 0; column < count; column++) {
            double norm = freed(columns, length, column);
            if (norm == 0 && dice != null) {
                draw(columns, length, column, dice);
                norm = freed(columns, length, column);
            }
            double scale = 1 / (norm + EPSILON);
            for (int i = column * length; i < (column + 1) * length; i++) {
                columns[i] = (float) (columns[i] * scale);
            }
        }
    }

    private static void draw(float[] columns, int length, int column, Random dice) {
        for (int i = column * length; i < (column + 1) * length; i++) {
            columns[i] = (float) dice.nextGaussian();
        }
    }

    /** Takes from a column its projections on those before it, and returns its norm. */
    private static double freed(float[] columns, int length, int column) {
        for (int other = 0; other < column; other++) {
            double along = dot(columns, other * length, column * length, length);
            for (int i = 0; i < length; i++) {
                columns[column * length + i] =
                        (float) (columns[column * length + i] - along * columns[other * length + i]);
            }
        }
        return Math.sqrt(dot(columns, column * length, column * length, length));
    }

    private static double dot(float[] columns, int oneAt, int otherAt, int length) {
        double sum = 0;
        for (int i = 0; i < length; i++) {
            sum += (double) columns[oneAt + i] * columns[otherAt + i];
        }
        return sum;
    }
}
