package io.reactivecomm.rcomm.hosts;

import io.reactivecomm.CommException;
import io.reactivecomm.launch.JobOutput;
import io.reactivecomm.rcomm.latency.Rate;
import java.io.PrintWriter;
import java.time.Duration;
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

/** {@code rcomm hosts}. */
@Command(
        name = "hosts",
        header = "Runs a program on many hosts that are namespaces of this machine.",
        synopsisHeading = "",
        customSynopsis =
                "Usage: rcomm hosts --hosts H [--ranks-per-host N] [--rate RATE] [--latency-ms MS] [OPTION...] [--] COMMAND [ARGUMENT...]",
        description = {
            "",
            "Makes a network namespace for each host, connects them, runs the ranks in them, prints how many bytes each host has sent and received,"
                    + " and takes all down, also after `kill -9`. It needs root, ip, tc, unshare, nsenter and setsid.",
            "Ranks find their place in the environment, as with `rcomm run`; rank 0 runs the store, at the same port each time, so that"
                    + " COMMAND may be `sh -c 'ONE; OTHER'`. docs/hosts.md tells more.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all ranks ended with 0",
            "1:the network could not be made, was bypassed or lost a shell, or what is said cannot be written",
            "2:wrong usage",
            "126:COMMAND cannot be executed",
            "127:COMMAND was not found",
            "else:that of the rank that failed first; 128 + S if signal S ended it"
        })
public final class HostsCommand implements Callable<Integer> {

    private static final double NANOS_OF_A_MILLISECOND = 1e6;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--hosts", required = true, paramLabel = "H", description = "How many hosts.")
    private int hosts;

    @Option(
            names = "--ranks-per-host",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many ranks each host has (default: ${DEFAULT-VALUE}).")
    private int ranksPerHost;

    @Option(
            names = "--round-robin",
            description = "Rank R is on host R modulo H. Otherwise consecutive ranks share a host.")
    private boolean roundRobin;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            description =
                    "What a host sends and what it receives at most, such as 1gbit or 100mbit, by token buckets. Without it, what"
                            + " the machine does.")
    private @Nullable String rate;

    @Option(
            names = "--latency-ms",
            paramLabel = "MS",
            defaultValue = "0",
            description =
                    "How long each packet takes each way, such as 2 or 0.5; a relay in this process holds it for so long.")
    private double latencyMillis;

    @Option(names = "--wire", description = "Measures first what two bare sockets reach between host 0 and host 1.")
    private boolean wire;

    @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "The program and its arguments.")
    private List<String> command = List.of();

    private HostsCommand() {}

    /** {@return the command, set up so that what follows COMMAND belongs to it} */
    public static CommandLine commandLine() {
        return new CommandLine(new HostsCommand()).setStopAtPositional(true);
    }

    @Override
    public Integer call() {
        HostsOptions options = options();
        Prerequisites.ofThisProcess().require();
        // A writer that picocli makes does not know whether System.out takes what it is given; this one asks it.
        return new HostsRun(options, new PrintWriter(System.out, false, System.out.charset()), JobOutput.standard())
                .run();
    }

    private HostsOptions options() {
        try {
            Placement placement = new Placement(hosts, ranksPerHost, roundRobin);
            return new HostsOptions(
                    placement, rate == null ? Rate.UNLIMITED : Rate.parse(rate), latency(), wire, command);
        } catch (IllegalArgumentException | CommandLine.TypeConversionException e) {
            throw new ParameterException(Objects.requireNonNull(spec).commandLine(), CommException.textOf(e), e);
        }
    }

    private Duration latency() {
        if (!Double.isFinite(latencyMillis)) {
            throw new IllegalArgumentException("latency is not a number: latency-ms=" + latencyMillis
                    + "; give --latency-ms milliseconds, such as 2 or 0.5");
        }
        return Duration.ofNanos(Math.round(latencyMillis * NANOS_OF_A_MILLISECOND));
    }
}
