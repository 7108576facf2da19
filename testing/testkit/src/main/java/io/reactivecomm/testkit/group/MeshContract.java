package io.reactivecomm.testkit.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.Dimension;
import io.reactivecomm.GroupMesh;
import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.testkit.GroupWorld;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** The contract of a mesh that lays ranks out, and of what is told where it cannot. */
public abstract class MeshContract extends GroupWorld {

    /** A mesh, and for each axis the ranks of a rank's group. */
    record Grid(Dimension... dimensions) {

        int size() {
            return Stream.of(dimensions).mapToInt(Dimension::size).reduce(1, (a, b) -> a * b);
        }
    }

    final Stream<Grid> grids() {
        return Stream.of(
                new Grid(new Dimension("data", 2), new Dimension("model", 3)),
                new Grid(new Dimension("a", 2), new Dimension("b", 2), new Dimension("c", 2)),
                new Grid(new Dimension("a", 1), new Dimension("b", 3), new Dimension("c", 1)),
                new Grid(new Dimension("all", 4)),
                new Grid(new Dimension("one", 1)));
    }

    @Tag("smoke")
    @ParameterizedTest
    @MethodSource("grids")
    void mesh_hasAGroupAlongEachDimension(Grid grid) {
        List<ProcessGroup> groups = world(grid.size());
        List<GroupMesh> meshes = Objects.requireNonNull(Flux.mergeSequential(
                        groups.stream()
                                .map(group -> group.mesh(grid.dimensions()))
                                .toList(),
                        groups.size(),
                        1)
                .collectList()
                .block(LIMIT));

        int stride = grid.size();
        for (Dimension dimension : grid.dimensions()) {
            stride /= dimension.size();
            for (int rank = 0; rank < groups.size(); rank++) {
                int coordinate = rank / stride % dimension.size();
                int first = rank - coordinate * stride;
                int step = stride;
                List<Integer> line = IntStream.range(0, dimension.size())
                        .mapToObj(i -> first + i * step)
                        .toList();
                assertThat(meshes.get(rank).axis(dimension.name()).ranks()).isEqualTo(line);
                assertThat(meshes.get(rank).coordinate(dimension.name())).isEqualTo(coordinate);
                if (coordinate == 0) {
                    requireTogether(line.stream()
                            .map(each -> meshes.get(each).axis(dimension.name()))
                            .toList());
                }
            }
        }
        assertThat(meshes.getFirst().dimensions()).containsExactly(grid.dimensions());
        assertThatThrownBy(() -> meshes.getFirst().axis("nowhere"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nowhere");
        meshes.forEach(GroupMesh::close);
        meshes.forEach(GroupMesh::close);
        requireTogether(groups);
    }

    final Stream<Grid> badGrids() {
        return Stream.of(
                new Grid(),
                new Grid(new Dimension("a", 2), new Dimension("b", 2)),
                new Grid(new Dimension("a", 3), new Dimension("b", 0)),
                new Grid(new Dimension("a", -3), new Dimension("b", -1)),
                new Grid(new Dimension("a", 3), new Dimension("a", 1)),
                new Grid(new Dimension("a", 65_536), new Dimension("b", 65_536)));
    }

    @ParameterizedTest
    @MethodSource("badGrids")
    void mesh_thatDoesNotFit_failsOnAll(Grid grid) {
        List<ProcessGroup> groups = world(3);

        List<Throwable> all = errors(groups, group -> group.mesh(grid.dimensions()));
        List<Throwable> onOne = errors(
                groups, group -> group.rank() == 1 ? group.mesh(grid.dimensions()) : group.mesh(new Dimension("a", 3)));

        assertThat(all).hasSize(3).allMatch(InvalidCallException.class::isInstance);
        assertThat(onOne)
                .hasSize(3)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(InvalidCallException.class)
                        .hasMessageContaining("mesh got dimensions that do not fit")
                        .hasMessageContaining("size=3"));
        requireTogether(groups);
    }

    @Test
    void mesh_ofFewerDimensionsOnOneRank_isADisagreement() {
        List<ProcessGroup> groups = world(3);
        Dimension a = new Dimension("a", 3);
        Dimension b = new Dimension("b", 1);

        assertThat(errors(groups, group -> group.rank() == 0 ? group.mesh(a) : group.mesh(a, b)))
                .hasSize(3)
                .allSatisfy(error -> assertThat(error).isInstanceOf(MismatchException.class));
        requireTogether(groups);
    }
}
