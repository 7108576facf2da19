package io.reactivecomm.samples.programs.world;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.observability.trace.JobReport;
import io.reactivecomm.samples.programs.output.OutputFile;
import io.reactivecomm.timeline.Timeline;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of a sample to report where its time went, for every command that mixes it in. */
public final class ReportOption {

    private static final String NAME = "--report";

    @Option(
            names = NAME,
            paramLabel = "FILE",
            description =
                    "Records all calls over the ranks' own links, about 1 KB each, and writes the page of `rcomm report`.")
    private @Nullable Path report;

    /** {@return whether a report is wanted} */
    public boolean isGiven() {
        return report != null;
    }

    /**
     * {@return a program that records the calls of another, and reports on them when it has ended; the other one if no report is wanted}
     *
     * @param writesFiles whether this process writes the report, or starts the one that does
     * @throws IllegalArgumentException if the report cannot be written
     */
    public RankProgram around(RankProgram program, PrintWriter out, boolean writesFiles) {
        Path file = report;
        if (file == null) {
            return program;
        }
        if (writesFiles) {
            OutputFile.requireWritable(file, NAME);
        }
        return group -> run(program, group, file, out);
    }

    /** Rank 0 reports on the parts that it sees, once all are written. Ranks on other machines keep theirs. */
    private static void run(RankProgram program, ProcessGroup group, Path file, PrintWriter out) {
        try (Timeline part = Timeline.to(Timeline.partOf(file, group.rank()))) {
            part.observe(group);
            program.run(group);
        }
        group.named("report").barrier().block();
        if (group.rank() == 0) {
            List<Path> parts = IntStream.range(0, group.size())
                    .mapToObj(rank -> Timeline.partOf(file, rank))
                    .filter(Files::exists)
                    .toList();
            JobReport made = JobReport.of(parts);
            made.write(file, null);
            out.println(made.verdict());
            out.println(
                    "report " + file + (parts.size() == group.size() ? "" : " (without the parts of other machines)"));
            out.flush();
            parts.forEach(ReportOption::delete);
        }
    }

    private static void delete(Path part) {
        try {
            Files.delete(part);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove a part that is reported on: file=" + part, e);
        }
    }
}
