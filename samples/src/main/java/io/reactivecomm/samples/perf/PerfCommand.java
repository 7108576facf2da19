package io.reactivecomm.samples.perf;

import io.reactivecomm.DType;
import io.reactivecomm.samples.world.Names;
import io.reactivecomm.samples.world.RankJvm;
import io.reactivecomm.samples.world.Transport;
import io.reactivecomm.samples.world.WorldOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rcomm perf}. */
@Command(
        name = "perf",
        header = "Measures a collective: time and bandwidth, counted as nccl-tests counts them.",
        description = {
            "",
            "Calls go one at a time: the next is made when the last completes. Each time is the median over batches of the mean"
                    + " time of a call, after a warm-up. Results are checked element by element before and after.",
            "`rcomm perf list --file COUNTS.txt` all-reduces one float32 tensor for each line of the file, all in flight at"
                    + " once; `coalesced` all-reduces the same tensors in one call.",
            "send-receive: every rank sends to the next one and receives from the one before.",
            ""
        })
public final class PerfCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(
            paramLabel = "OP",
            description = "all-reduce, inference-all-reduce, reduce, broadcast, all-gather, reduce-scatter, all-to-all, gather, scatter,"
                    + " send-receive, barrier, monitored-barrier, list or coalesced.")
    private PerfOp op = PerfOp.ALL_REDUCE;

    @Mixin
    private WorldOptions world = new WorldOptions();

    @Option(
            names = "--bytes",
            paramLabel = "N",
            split = ",",
            defaultValue = "4,1024,65536,1048576,16777216",
            description = "Sizes of the whole array, separated by commas, rounded down to what the ranks share evenly"
                    + " (default: ${DEFAULT-VALUE}).")
    private List<Long> bytes = List.of();

    @Option(
            names = "--dtype",
            paramLabel = "TYPE",
            defaultValue = "float32",
            description = "Element type (default: ${DEFAULT-VALUE}).")
    private DType type = DType.FLOAT32;

    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            defaultValue = "",
            description = "Which algorithm to run, as `rcomm plan` names it (default: the group chooses).")
    private String algorithm = "";

    @Option(
            names = "--buffers",
            paramLabel = "KIND",
            defaultValue = "private",
            description =
                    "private: the program's own memory; shared: what the engine gives out (default: ${DEFAULT-VALUE}).")
    private Buffers buffers = Buffers.PRIVATE;

    @Option(names = "--file", paramLabel = "FILE", description = "For list and coalesced: a number of elements on each line.")
    private @Nullable Path file;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the rows as JSON, too.")
    private @Nullable Path json;

    @Option(
            names = "--batches",
            paramLabel = "N",
            defaultValue = "7",
            description = "Batches to take the median of (default: ${DEFAULT-VALUE}).")
    private int batches;

    @Option(
            names = "--batch-millis",
            paramLabel = "MS",
            defaultValue = "250",
            description = "About how long a batch takes (default: ${DEFAULT-VALUE}).")
    private int batchMillis;

    @Option(
            names = "--warm-up-millis",
            paramLabel = "MS",
            defaultValue = "5000",
            description = "How long calls are made before any is measured, so that the JVM has compiled them"
                    + " (default: ${DEFAULT-VALUE}).")
    private int warmUpMillis;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this text.")
    private boolean help;

    private PerfCommand() {}

    /** {@return the command, set up to read the names of its choices} */
    public static CommandLine commandLine() {
        return new CommandLine(new PerfCommand())
                .registerConverter(PerfOp.class, Names.converter(PerfOp.class, "op"))
                .registerConverter(Buffers.class, Names.converter(Buffers.class, "buffers"))
                .registerConverter(DType.class, Names.converter(DType.class, "dtype"))
                .registerConverter(Transport.class, Names.converter(Transport.class, "transport"));
    }

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec);
        Perf perf = new Perf(
                options(command),
                world.transport().toString(),
                command.commandLine().getOut());
        return world.run(perf, RankJvm.FULL);
    }

    private PerfOptions options(CommandSpec command) {
        try {
            PerfOptions.Timing timing = new PerfOptions.Timing(
                    batches, Duration.ofMillis(batchMillis), Duration.ofMillis(warmUpMillis));
            List<Long> counts = file == null ? List.of() : CountsFile.read(file);
            return new PerfOptions(op, bytes, counts, type, algorithm, buffers, timing, json);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }
}
