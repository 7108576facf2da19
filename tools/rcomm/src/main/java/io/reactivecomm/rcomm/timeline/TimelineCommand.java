package io.reactivecomm.rcomm.timeline;

import io.reactivecomm.CommException;
import io.reactivecomm.observability.trace.JobReport;
import io.reactivecomm.observability.trace.MergedTimeline;
import io.reactivecomm.timeline.TimelineException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rcomm timeline}. */
@Command(
        name = "timeline",
        header = "Makes one trace of what the ranks of a job have recorded, for ui.perfetto.dev.",
        description = {
            "",
            "A job that runs with RCOMM_TIMELINE=trace.json leaves a part for each rank: trace.0.json, trace.1.json, and so on. This command lays all"
                    + " on the clock of the lowest rank, by the stamps on the ranks' heartbeats, and shows each clock's offset and by how much it may be"
                    + " wrong. The part of a rank that was killed is read as far as it goes. See docs/observing.md.",
            ""
        })
public final class TimelineCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "PART", arity = "1..*", description = "The parts of one job, each once.")
    private List<Path> parts = List.of();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            required = true,
            description = "Where the trace goes.")
    private Path output = Path.of("trace.json");

    private TimelineCommand() {}

    /** {@return the command} */
    public static CommandLine commandLine() {
        return new CommandLine(new TimelineCommand());
    }

    @Override
    public Integer call() {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        try {
            MergedTimeline merged = MergedTimeline.of(parts);
            merged.write(output);
            show(merged, parts, output, command.getOut());
        } catch (TimelineException e) {
            throw new ParameterException(command, CommException.textOf(e), e);
        }
        return 0;
    }

    /** Prints the clocks of a trace that was written, its missing parts, and the verdict of a report on its parts. */
    public static void show(MergedTimeline merged, List<Path> parts, Path trace, PrintWriter out) {
        out.print(merged.table());
        merged.gaps().forEach(gap -> out.println("note: " + gap));
        out.println(JobReport.of(parts).verdict());
        out.println("timeline " + trace + " (open it in ui.perfetto.dev)");
        out.flush();
    }
}
