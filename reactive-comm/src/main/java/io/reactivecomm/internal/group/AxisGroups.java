package io.reactivecomm.internal.group;

import io.reactivecomm.Dimension;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.internal.base.Closings;
import java.util.List;

/** A mesh as the groups of its axes. Immutable. */
record AxisGroups(List<Dimension> dimensions, List<ProcessGroup> axes) implements GroupMesh {

    AxisGroups {
        dimensions = List.copyOf(dimensions);
        axes = List.copyOf(axes);
    }

    @Override
    public ProcessGroup axis(String dimension) {
        for (int i = 0; i < axes.size(); i++) {
            if (dimensions.get(i).name().equals(dimension)) {
                return axes.get(i);
            }
        }
        throw new IllegalArgumentException("a mesh has no such dimension: dimension=" + dimension + "; choose one of "
                + dimensions.stream().map(Dimension::name).toList());
    }

    /** A rank's place on a line of the mesh is its rank in the line's group. */
    @Override
    public int coordinate(String dimension) {
        return axis(dimension).rank();
    }

    @Override
    public void close() {
        Closings closings = new Closings();
        axes.forEach(axis -> closings.close("axis=" + axis, axis::close));
        closings.end();
    }
}
