package io.reactivecomm.compression.internal.lowrank;

/**
 * A matrix of a bucket and the places of its two factors: {@code M ≈ P Qᵀ}, with M of n × m, P of n × r and Q of m × r elements.
 *
 * <p>M lies row by row. The factors lie column by column, so that every loop runs along memory.
 *
 * @param index its number among the bucket's matrices
 * @param at where it begins among the bucket's elements
 * @param errorAt where its error begins among those of all matrices
 * @param pAt where P begins among those of all matrices
 * @param qAt where Q begins among those of all matrices
 * @param rows n
 * @param columns m
 * @param rank r
 */
record LowRankMatrix(int index, long at, long errorAt, long pAt, long qAt, int rows, int columns, int rank) {

    long count() {
        return (long) rows * columns;
    }

    int pCount() {
        return rows * rank;
    }

    int qCount() {
        return columns * rank;
    }

    /** {@return how many rows a block has, of about so many elements; one at least} */
    int blockRows(int elements) {
        return Math.clamp(elements / columns, 1, rows);
    }

    @Override
    public String toString() {
        return rows + "x" + columns + ":" + rank;
    }
}
