package io.reactivecomm.rcomm.perf;

import io.reactivecomm.rcomm.output.ScratchFolder;
import io.reactivecomm.samples.programs.world.RankJvm;
import io.reactivecomm.samples.programs.world.RankProgram;
import io.reactivecomm.samples.programs.world.WorldOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Ours, in one way: a new world for each run. Where ranks are processes, rank 0 shows its rows itself and leaves them in a file.
 *
 * @param setup which way
 * @param options what to measure
 * @param world the ranks
 * @param scratch for the files of rows
 * @param reported has a report made of the measurement, if one is wanted
 */
record OwnWorld(
        Setup setup,
        PerfOptions options,
        WorldOptions world,
        ScratchFolder scratch,
        UnaryOperator<RankProgram> reported)
        implements Contestant {

    /** By which a process knows which part of the comparison its world is, and where its rows go. */
    static final String PART = "--part";

    static final String PART_ROWS = "--part-rows";

    @Override
    public Entrant entrant() {
        return new Entrant.Ours(setup);
    }

    @Override
    public Turn run(PerfTable table) {
        Path file = scratch.fresh("rows.json");
        List<PerfRow> rows = new ArrayList<>();
        int code = world.run(
                setup.transport(),
                reported.apply(new Perf(options, setup, table, rows::addAll)),
                RankJvm.FULL,
                List.of(PART + "=" + setup, PART_ROWS + "=" + file));
        if (Files.exists(file)) {
            rows.addAll(PerfJson.read(file));
        }
        return code == 0 ? Turn.of(rows) : new Turn(rows, "it failed: exitCode=" + code, code);
    }
}
