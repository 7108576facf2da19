package io.reactivecomm.rcomm;

import io.reactivecomm.launch.LaunchException;
import io.reactivecomm.launch.RunCommand;
import io.reactivecomm.launch.TokenCommand;
import io.reactivecomm.rcomm.compressed.CompressedCommand;
import io.reactivecomm.rcomm.doctor.DoctorCommand;
import io.reactivecomm.rcomm.gpu.GpuCheckCommand;
import io.reactivecomm.rcomm.hosts.HostsCommand;
import io.reactivecomm.rcomm.overlap.OverlapCommand;
import io.reactivecomm.rcomm.perf.PerfCommand;
import io.reactivecomm.rcomm.plan.PlanCommand;
import io.reactivecomm.rcomm.report.ReportCommand;
import io.reactivecomm.rcomm.timeline.TimelineCommand;
import io.reactivecomm.rcomm.top.TopCommand;
import io.reactivecomm.samples.programs.output.ProgressStream;
import io.reactivecomm.samples.programs.train.TrainCommand;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/**
 * The {@code rcomm} command: starts programs, shows what they do, trains the sample, measures, shows overlap, predicts, reports, merges timelines, diagnoses, checks GPUs, makes hosts and tokens.
 *
 * <p>An error is one line on standard error. The exit code is 0 for success, 1 for a failure, 2 for wrong usage, and the job's own for
 * {@code run} and {@code hosts}.
 */
@Command(
        name = "rcomm",
        header = "Reactive Comm: collective communication for the JVM.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "`rcomm COMMAND --help` tells more."})
public final class Rcomm implements Runnable {

    private static final int FAILED = 1;
    private static final String NO_PROGRESS = "--no-progress";
    private static final Set<String> LONG = Set.of("train", "perf", "overlap");

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Shows the stack trace of an error.")
    private boolean verbose;

    @SuppressWarnings("unused") // read before the command line is
    @Option(
            names = NO_PROGRESS,
            scope = ScopeType.INHERIT,
            description =
                    "Leaves out the line that train, perf and overlap show of their progress where standard error is a terminal.")
    private boolean noProgress;

    @SuppressWarnings("unused") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            scope = ScopeType.INHERIT,
            usageHelp = true,
            description = "Shows this text.")
    private boolean help;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    private Rcomm() {}

    public static void main(String[] arguments) {
        // Charts are drawn where there is no display.
        System.setProperty("java.awt.headless", "true");
        if (showsProgress(List.of(arguments))) {
            ProgressStream.install();
        }
        System.exit(commandLine().execute(arguments));
    }

    /** {@return whether a command takes long by itself} What `run` starts has the terminal to itself, and so has `top`. */
    static boolean showsProgress(List<String> arguments) {
        boolean isAsked = !arguments.contains(NO_PROGRESS) && !arguments.contains("--join");
        return isAsked
                && arguments.stream()
                        .filter(each -> !each.startsWith("-"))
                        .limit(1)
                        .anyMatch(LONG::contains);
    }

    /** {@return the command with its subcommands and its way to report errors} */
    static CommandLine commandLine() {
        Rcomm rcomm = new Rcomm();
        return new CommandLine(rcomm)
                .addSubcommand(TrainCommand.commandLine())
                .addSubcommand(PerfCommand.commandLine().addSubcommand(CompressedCommand.commandLine()))
                .addSubcommand(OverlapCommand.commandLine())
                .addSubcommand(PlanCommand.commandLine())
                .addSubcommand(ReportCommand.commandLine())
                .addSubcommand(TimelineCommand.commandLine())
                .addSubcommand(DoctorCommand.commandLine())
                .addSubcommand(GpuCheckCommand.commandLine())
                .addSubcommand(RunCommand.commandLine())
                .addSubcommand(HostsCommand.commandLine())
                .addSubcommand(TopCommand.commandLine())
                .addSubcommand(TokenCommand.commandLine())
                .addSubcommand(FlagsCommand.commandLine())
                .addSubcommand(CacheCommand.commandLine())
                .setUsageHelpAutoWidth(true)
                // A word such as @file is an argument of the program that `run` starts.
                .setExpandAtFiles(false)
                .setParameterExceptionHandler(rcomm::refuse)
                .setExecutionExceptionHandler(rcomm::report);
    }

    /** Without a subcommand there is nothing to do. */
    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "no command given; choose train, perf, overlap, plan, report, timeline, doctor, gpu-check, run, hosts, top, token, flags or cache");
    }

    private int refuse(ParameterException error, String[] arguments) {
        CommandLine command = error.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        say(command, name + ": " + error.getMessage() + " (`" + name + " --help` tells more)");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private int report(Exception error, CommandLine command, ParseResult parsed) {
        String message = error.getMessage() == null ? error.toString() : error.getMessage();
        say(command, command.getCommandSpec().qualifiedName() + ": " + message);
        if (verbose) {
            error.printStackTrace(command.getErr());
        }
        return error instanceof LaunchException launch ? launch.exitCode() : FAILED;
    }

    /** Prints an error on standard output if standard error is closed or full, so that a command never fails silently. */
    private static void say(CommandLine command, String line) {
        command.getErr().println(line);
        if (command.getErr().checkError()) {
            command.getOut().println(line);
        }
    }
}
