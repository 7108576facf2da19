package io.reactivecomm.internal.group;

import io.reactivecomm.Dimension;
import io.reactivecomm.InvalidCallException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The ranks on each line of a mesh: pure arithmetic on a row-major layout. */
final class MeshLines {

    /** More than any layout of ranks has, and few enough to take a ticket for each. */
    static final int MOST_DIMENSIONS = 16;

    private MeshLines() {}

    /**
     * {@return the lines along one axis, each in its order}
     *
     * @throws InvalidCallException if the dimensions do not lay out that many ranks
     */
    static List<List<Integer>> of(Dimension[] dimensions, int axis, int size) {
        check(dimensions, size);
        int stride = stride(dimensions, axis);
        int length = dimensions[axis].size();
        List<List<Integer>> lines = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            if (rank / stride % length == 0) {
                List<Integer> line = new ArrayList<>();
                for (int i = 0; i < length; i++) {
                    line.add(rank + i * stride);
                }
                lines.add(line);
            }
        }
        return lines;
    }

    private static int stride(Dimension[] dimensions, int axis) {
        int stride = 1;
        for (int inner = axis + 1; inner < dimensions.length; inner++) {
            stride *= dimensions[inner].size();
        }
        return stride;
    }

    private static void check(Dimension[] dimensions, int size) {
        if (dimensions.length == 0) {
            throw bad(dimensions, size, "there be at least one");
        }
        if (dimensions.length > MOST_DIMENSIONS) {
            throw bad(dimensions, size, "there be at most " + MOST_DIMENSIONS);
        }
        Set<String> names = new HashSet<>();
        long product = 1;
        for (Dimension dimension : dimensions) {
            if (dimension == null) {
                throw bad(dimensions, size, "none be null");
            }
            if (dimension.size() < 1 || !names.add(dimension.name())) {
                throw bad(dimensions, size, "sizes be positive and names differ");
            }
            product = Math.min(product * dimension.size(), Integer.MAX_VALUE);
        }
        if (product != size) {
            throw bad(dimensions, size, "the sizes multiply to the group's");
        }
    }

    private static InvalidCallException bad(Dimension[] dimensions, int size, String rule) {
        return new InvalidCallException("mesh got dimensions that do not fit: dimensions=" + Arrays.toString(dimensions)
                + ", size=" + size + "; let " + rule);
    }
}
