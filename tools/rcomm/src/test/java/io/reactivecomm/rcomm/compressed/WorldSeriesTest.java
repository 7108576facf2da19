package io.reactivecomm.rcomm.compressed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.CommException;
import io.reactivecomm.samples.programs.output.JsonFile;
import io.reactivecomm.samples.programs.world.SampleRanks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;

class WorldSeriesTest {

    private final List<CompressedRow> unfinished = new ArrayList<>();
    private final List<CompressedRow> finished = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    private int files;

    @TempDir
    private Path folder;

    private static CompressedRow row(int ranks) {
        return new CompressedRow("int8", ranks, 400, "tcp", 1, 1, 1, 100, 2, 400, 2, 0);
    }

    private static int writes(SampleRanks world, Path part) {
        JsonFile.write(List.of(row(world.count())), part, "rows", "--part-rows");
        return 0;
    }

    /** Runs worlds of 1, 2 and 3 ranks. */
    private int run(WorldSeries.Runner runner) {
        List<SampleRanks> worlds = List.of(1, 2, 3).stream()
                .map(count -> new SampleRanks(CommandSpec.create(), count, false))
                .toList();
        return new WorldSeries(runner, () -> folder.resolve("rows" + files++), complaints::add)
                .run(worlds, unfinished::addAll, finished::addAll);
    }

    @Test
    void worlds_thatEndWell_haveAllRows() {
        assertThat(run(WorldSeriesTest::writes)).isZero();
        assertThat(finished).containsExactly(row(1), row(2), row(3));
        assertThat(unfinished).isEmpty();
        assertThat(complaints).isEmpty();
    }

    @Test
    void world_thatFails_leavesTheRowsBeforeIt_andItsCode() {
        assertThat(run((world, part) -> world.count() == 2 ? 3 : writes(world, part)))
                .isEqualTo(3);
        assertThat(unfinished).containsExactly(row(1));
        assertThat(finished).isEmpty();
        assertThat(complaints)
                .singleElement()
                .asString()
                .contains("a world failed: ranks=2, exitCode=3, rows before it=1");
    }

    @Test
    void world_thatLeavesNoRows_isAnError_andTheRowsBeforeItStay() {
        assertThatThrownBy(() -> run((world, part) -> world.count() == 2 ? 0 : writes(world, part)))
                .isInstanceOf(CommException.class)
                .hasMessageContaining("a world left no rows: ranks=2, exitCode=0, rows before it=1");
        assertThat(unfinished).containsExactly(row(1));
        assertThat(finished).isEmpty();
    }
}
