package io.reactivecomm.launch;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rcomm run}: starts a program as the ranks of a world on this host. */
@Command(
        name = "run",
        header = "Starts a program as N ranks on this host.",
        synopsisHeading = "",
        customSynopsis = "Usage: rcomm run -n N [--] COMMAND [ARGUMENT...]",
        description = {
            "",
            "Each rank finds its place in RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, RCOMM_MASTER_PORT and"
                    + " RCOMM_TOKEN; ReactiveComm.connect() reads them. MASTER_PORT is a free port for a store of the program's own, such"
                    + " as torch's. Output is marked with the rank, line by line; standard input is empty.",
            "When a rank fails, the others have 5 s to end by themselves, are then told to (SIGTERM), and 1 s later killed."
                    + " Ctrl-C and SIGTERM end all, with what they have started. After `kill -9` of rcomm itself the ranks are ended"
                    + " too, but what they have started is not: let a script end in `exec PROGRAM`.",
            "When what ranks say cannot be written any more, as to a closed pipe or on a full disk, they are ended as by Ctrl-C.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all ranks ended with 0",
            "1:what ranks say cannot be written any more, so they were ended",
            "126:COMMAND cannot be executed",
            "127:COMMAND was not found",
            "else:that of the rank that failed first; 128 + S if signal S ended it"
        })
public final class RunCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = {"-n", "--ranks"},
            required = true,
            paramLabel = "N",
            description = "How many ranks to start.")
    private int ranks;

    @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "The program and its arguments.")
    private List<String> command = List.of();

    private RunCommand() {}

    /** {@return the command, set up so that what follows COMMAND belongs to it} */
    public static CommandLine commandLine() {
        return new CommandLine(new RunCommand()).setStopAtPositional(true).setExpandAtFiles(false);
    }

    /**
     * {@return the exit code of the job}
     *
     * @throws LaunchException if it cannot be started, or what its ranks say cannot be written any more
     */
    @Override
    public Integer call() {
        Integer code = new LocalJob(options(), JobOutput.standard()).run().block();
        return code == null ? LaunchException.FAILED : code;
    }

    private JobOptions options() {
        try {
            return JobOptions.of(ranks, command);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec == null ? commandLine() : spec.commandLine(), e.getMessage(), e);
        }
    }
}
