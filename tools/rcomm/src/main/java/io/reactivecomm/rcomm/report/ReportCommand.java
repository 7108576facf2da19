package io.reactivecomm.rcomm.report;

import io.reactivecomm.CommException;
import io.reactivecomm.observability.trace.JobReport;
import io.reactivecomm.timeline.TimelineException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rcomm report}. */
@Command(
        name = "report",
        header = "Reports in one page where the time of a job went, and which rank was late.",
        description = {
            "",
            "A job that runs with RCOMM_TIMELINE=FOLDER/trace.json leaves a part for each rank. This command reads the parts in a folder and writes a page that"
                    + " needs no network: steps split into computing, exposed communication and waiting, late ranks, slow calls, bandwidth, and a timeline."
                    + " It prints the verdict, too.",
            ""
        })
public final class ReportCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "PARTS", arity = "1..*", description = "Folders of parts, or parts, of one job.")
    private List<Path> parts = List.of();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Where the page goes (default: ${DEFAULT-VALUE}).")
    private Path output = Path.of("report.html");

    @Option(
            names = "--perf",
            paramLabel = "FILE",
            description =
                    "What `rcomm perf --json` measured on the same machines, which the page shows as the limit of bandwidth.")
    private @Nullable Path perf;

    private ReportCommand() {}

    /** {@return the command} */
    public static CommandLine commandLine() {
        return new CommandLine(new ReportCommand());
    }

    @Override
    public Integer call() {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        try {
            JobReport report = JobReport.of(parts.stream()
                    .flatMap(each -> Files.isDirectory(each) ? JobReport.partsIn(each).stream() : Stream.of(each))
                    .toList());
            report.write(output, perf);
            command.getOut().println(report.verdict());
            command.getOut().println("report " + output);
        } catch (TimelineException e) {
            throw new ParameterException(command, CommException.textOf(e), e);
        }
        return 0;
    }
}
