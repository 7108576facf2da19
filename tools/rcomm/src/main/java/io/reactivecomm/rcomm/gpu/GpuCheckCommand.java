package io.reactivecomm.rcomm.gpu;

import io.reactivecomm.CommException;
import io.reactivecomm.rcomm.gpu.check.CheckRow;
import io.reactivecomm.rcomm.gpu.check.CheckSizes;
import io.reactivecomm.rcomm.gpu.check.GpuCheck;
import io.reactivecomm.samples.programs.output.JsonFile;
import io.reactivecomm.samples.programs.output.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code rcomm gpu-check}. */
@Command(
        name = "gpu-check",
        header = "Checks what the engine over NCCL needs of a machine with a GPU, and measures Java beside C there.",
        description = {
            "",
            "Versions, symbols, the end of a stream, messages to self in one group and one by one, the same by a program in C, copies"
                    + " beside a kernel, the kernels of moves and of codecs, two ranks on one GPU, by NCCL and by MPI. Each row says what it may be quoted for. What is not on this machine is"
                    + " skipped; the exit code is 1 if something is here and does not do what it should. docs/gpu.md tells more.",
            ""
        })
public final class GpuCheckCommand implements Callable<Integer> {

    private static final String ROW = "%-10s %s%n%-10s may claim: %s%n";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the rows as JSON, too.")
    private @Nullable Path json;

    @Option(
            names = "--pack",
            paramLabel = "FILE.tar.xz",
            description = "Checks nothing, but packs this command with a Java of its own, for a machine that has none.")
    private @Nullable Path pack;

    private GpuCheckCommand() {}

    public static CommandLine commandLine() {
        return new CommandLine(new GpuCheckCommand());
    }

    /** The command alone, as it is packed. */
    public static void main(String[] arguments) {
        System.exit(commandLine()
                .setExecutionExceptionHandler((error, command, parsed) -> {
                    command.getErr().println("gpu-check: " + CommException.textOf(error));
                    return 1;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        PrintWriter out = command.getOut();
        requireWritable(pack, "--pack", command);
        requireWritable(json, "--json", command);
        if (pack != null) {
            out.println(pack + ": " + GpuPack.write(pack) + " bytes");
            out.flush();
            return 0;
        }
        return check(out) ? 0 : 1;
    }

    private static void requireWritable(@Nullable Path file, String option, CommandLine command) {
        try {
            if (file != null) {
                OutputFile.requireWritable(file, option);
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command, CommException.textOf(e), e);
        }
    }

    /** {@return whether nothing has failed} */
    private boolean check(PrintWriter out) {
        out.println(GpuReport.of(List.of()).heading());
        GpuReport report = GpuReport.of(GpuCheck.run(
                CheckSizes.USUAL, System.getenv(), List.of(new CodecsCheck(), new MpiCheck()), row -> print(row, out)));
        if (json != null) {
            JsonFile.write(report, json, "rows", "--json");
        }
        return !report.hasFailures();
    }

    private static void print(CheckRow row, PrintWriter out) {
        out.printf(Locale.ROOT, ROW, row.name(), row.text(), "", row.claim());
        out.flush();
    }
}
