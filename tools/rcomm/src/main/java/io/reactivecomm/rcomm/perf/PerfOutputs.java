package io.reactivecomm.rcomm.perf;

import io.reactivecomm.samples.programs.output.OutputFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files that results go to besides the terminal.
 *
 * @param json the rows, or null for nowhere
 * @param chart bandwidth by size, or null for nowhere
 */
record PerfOutputs(@Nullable Path json, @Nullable Path chart) {

    /** @throws IllegalArgumentException if one cannot be written or drawn: known before the measuring, not after it */
    void requireFor(PerfOp op) {
        if (json != null) {
            OutputFile.requireWritable(json, "--json");
        }
        if (chart != null) {
            OutputFile.requireWritable(chart, "--chart");
            if (op.isBarrier()) {
                throw new IllegalArgumentException(
                        "a barrier moves no bytes that could be drawn: op=" + op + "; leave out --chart");
            }
        }
        if (json != null
                && chart != null
                && json.toAbsolutePath()
                        .normalize()
                        .equals(chart.toAbsolutePath().normalize())) {
            throw new IllegalArgumentException(
                    "two outputs are one file: json=" + json + ", chart=" + chart + "; give each a file of its own");
        }
    }

    /** Writes the rows of ours, and after them those of peers. */
    void write(List<Standing> standings, PerfOp op) {
        if (json != null) {
            PerfJson.write(
                    Stream.concat(rows(standings, Standing::isOurs), rows(standings, standing -> !standing.isOurs()))
                            .toList(),
                    json);
        }
        if (chart != null) {
            String said = BandwidthChart.write(standings, op, chart);
            if (!Files.isRegularFile(chart)) {
                // Nobody gets one who has not asked for it.
                throw new IllegalStateException(said);
            }
        }
    }

    private static Stream<PerfRow> rows(List<Standing> standings, Predicate<Standing> which) {
        return standings.stream().filter(which).flatMap(standing -> standing.rows().stream());
    }
}
