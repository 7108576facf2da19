package io.reactivecomm.samples.bench;

import io.reactivecomm.launch.LaunchException;
import io.reactivecomm.launch.RunCommand;
import io.reactivecomm.samples.bench.compressed.CompressedCommand;
import io.reactivecomm.samples.bench.doctor.DoctorCommand;
import io.reactivecomm.samples.bench.overlap.OverlapCommand;
import io.reactivecomm.samples.bench.perf.PerfCommand;
import io.reactivecomm.samples.bench.plan.PlanCommand;
import io.reactivecomm.samples.programs.train.TrainCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/**
 * The {@code rcomm} command: starts programs, trains the sample, measures, shows overlap, predicts, diagnoses.
 *
 * <p>An error is one line on standard error. The exit code is 0 for success, 1 for a failure, 2 for wrong usage, and the job's own for
 * {@code run}.
 */
@Command(
        name = "rcomm",
        header = "Reactive Comm: collective communication for the JVM.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "`rcomm COMMAND --help` tells more."})
public final class Rcomm implements Runnable {

    private static final int FAILED = 1;

    @Option(names = "--verbose", scope = ScopeType.INHERIT, description = "Shows the stack trace of an error.")
    private boolean verbose;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this text.")
    private boolean help;

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

    private Rcomm() {}

    public static void main(String[] arguments) {
        // Charts are drawn where there is no display.
        System.setProperty("java.awt.headless", "true");
        System.exit(commandLine().execute(arguments));
    }

    /** {@return the command with its subcommands and its way to report errors} */
    static CommandLine commandLine() {
        Rcomm rcomm = new Rcomm();
        return new CommandLine(rcomm)
                .addSubcommand(TrainCommand.commandLine())
                .addSubcommand(PerfCommand.commandLine().addSubcommand(CompressedCommand.commandLine()))
                .addSubcommand(OverlapCommand.commandLine())
                .addSubcommand(PlanCommand.commandLine())
                .addSubcommand(DoctorCommand.commandLine())
                .addSubcommand(RunCommand.commandLine())
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler(rcomm::refuse)
                .setExecutionExceptionHandler(rcomm::report);
    }

    /** Without a subcommand there is nothing to do. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given; choose train, perf, overlap, plan, doctor or run");
    }

    private int refuse(ParameterException error, String[] arguments) {
        CommandLine command = error.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        command.getErr().println(name + ": " + error.getMessage() + " (`" + name + " --help` tells more)");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private int report(Exception error, CommandLine command, ParseResult parsed) {
        String message = error.getMessage() == null ? error.toString() : error.getMessage();
        command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + message);
        if (verbose) {
            error.printStackTrace(command.getErr());
        }
        return error instanceof LaunchException launch ? launch.exitCode() : FAILED;
    }
}
