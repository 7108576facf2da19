package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.CommException;
import io.reactivecomm.samples.programs.output.JsonFile;
import io.reactivecomm.samples.programs.output.Progress;
import io.reactivecomm.samples.programs.world.SampleRanks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Worlds that are measured one after the other, each in processes of its own, and leave their rows in files. The rows of those that have ended well outlast one that does not.
 *
 * @param runner runs each
 * @param files gives each a file of its own
 * @param complaints gets a line for a world that failed, which has said itself why
 */
record WorldSeries(Runner runner, Supplier<Path> files, Consumer<String> complaints) {

    /** The way to run a world. */
    interface Runner {

        /** {@return its exit code} @param part where its rows go */
        int run(SampleRanks world, Path part);
    }

    /**
     * {@return the exit code: that of the first world that failed}
     *
     * @param unfinished gets the rows of the worlds before one that failed
     * @param finished gets all rows
     * @throws CommException if a world ended well and left no rows
     */
    int run(
            List<SampleRanks> worlds,
            Consumer<List<CompressedRow>> unfinished,
            Consumer<List<CompressedRow>> finished) {
        List<CompressedRow> rows = new ArrayList<>();
        for (SampleRanks world : worlds) {
            Progress.ofCommand().part(worlds.indexOf(world), worlds.size());
            Path part = files.get();
            int code = runner.run(world, part);
            if (code != 0 || !Files.exists(part)) {
                unfinished.accept(List.copyOf(rows));
                complain(world, code, rows.size());
                return code;
            }
            rows.addAll(List.of(JsonFile.read(part, CompressedRow[].class)));
        }
        finished.accept(List.copyOf(rows));
        return 0;
    }

    private void complain(SampleRanks world, int code, int rows) {
        String what = "ranks=" + world.count() + ", exitCode=" + code + ", rows before it=" + rows;
        if (code == 0) {
            throw new CommException(
                    "a world left no rows: " + what + "; check that its rank 0 can write to java.io.tmpdir");
        }
        complaints.accept("rcomm perf compressed: a world failed: " + what
                + "; its own rows are missing, and those of the worlds after it");
    }
}
