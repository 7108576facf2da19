package io.reactivecomm.rcomm.compressed;

import io.reactivecomm.rcomm.latency.Latency;
import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.rcomm.latency.Rate;
import io.reactivecomm.rcomm.output.ScratchFolder;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import io.reactivecomm.samples.programs.codec.CodecSettings;
import io.reactivecomm.samples.programs.output.JsonFile;
import io.reactivecomm.samples.programs.output.OutputFile;
import io.reactivecomm.samples.programs.world.Names;
import io.reactivecomm.samples.programs.world.RankJvm;
import io.reactivecomm.samples.programs.world.SampleRanks;
import io.reactivecomm.samples.programs.world.Transport;
import io.reactivecomm.samples.programs.world.Usage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code rcomm perf compressed}. */
@Command(
        name = "compressed",
        header = "Measures compressed all-reduces beside the plain one: time, and bytes on the wire.",
        description = {
            "",
            "Each codec and size is measured over TCP on loopback, then over a link that is shaped in the program itself: each rank sends"
                    + " and receives no faster than --rate, over all its links together; 8 KiB go at once after a"
                    + " pause. That needs no root.",
            "In each round plain calls and compressed ones are made in turn, on fresh input, from a barrier on. A call's time is that of the slowest"
                    + " rank; the bytes are what its links have counted, headers and all.",
            "Every result is checked: it must have the same bits on all ranks, plain sums and the first step of each codec must be what independent"
                    + " arithmetic says, and later sums as near as the codec promises. At the end all results together, and what error feedback still owes, must be what"
                    + " was put in (of tensors up to 128 MiB). PowerSGD gets a matrix of rank one, nearly square, which it must find"
                    + " exactly.",
            "JSON is an array of rows {codec, ranks, bytes, links, medianMicros, minMicros, maxMicros, wireBytes, plainMicros, plainWireBytes,"
                    + " speedUp, errors}.",
            ""
        })
public final class CompressedCommand implements Callable<Integer> {

    private static final String PART_ROWS = "--part-rows";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--codec",
            paramLabel = "NAME",
            split = ",",
            defaultValue = "one-bit,int8,int4,top-k,threshold,powersgd",
            description = "one-bit, int8, int4, top-k (1 %% of the elements), threshold (" + CodecSettings.DEFAULT_TAU
                    + " at first; it adapts) or powersgd (rank 1);"
                    + " several separated by commas (default: ${DEFAULT-VALUE}).")
    private List<CodecChoice> codecs = List.of();

    @Option(
            names = "--ranks",
            paramLabel = "N",
            split = ",",
            defaultValue = "2",
            description =
                    "How many ranks, each a process; several numbers separated by commas are worlds one after the other (default: ${DEFAULT-VALUE}).")
    private List<Integer> ranks = List.of();

    @Option(
            names = "--join",
            description =
                    "Be one rank of a world that `rcomm run`, torchrun or mpirun started, instead of starting one. Between machines give --rate 0.")
    private boolean join;

    @Option(
            names = "--bytes",
            paramLabel = "N",
            split = ",",
            defaultValue = "1048576,16777216,67108864",
            description =
                    "Sizes of the tensor in bytes, separated by commas, rounded down to whole elements (default: ${DEFAULT-VALUE}).")
    private List<Long> bytes = List.of();

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            defaultValue = "1gbit",
            description =
                    "What a rank of the second half sends at most, and receives at most, such as 100mbit; 0 for no limit (default: ${DEFAULT-VALUE}).")
    private Rate rate = Rate.UNLIMITED;

    @Option(
            names = "--latency",
            paramLabel = "TIME",
            defaultValue = "0",
            description =
                    "What is added to the latency of each frame in the second half, such as 500us. With a rate and a latency of 0 that half is left"
                            + " out (default: ${DEFAULT-VALUE}).")
    private Duration latency = Duration.ZERO;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "7",
            description = "Rounds to take the median of (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--batch-millis",
            paramLabel = "MS",
            defaultValue = "100",
            description =
                    "About how long the calls of one kind take in a round; one call at least (default: ${DEFAULT-VALUE}).")
    private int batchMillis;

    @Option(
            names = "--warm-up-millis",
            paramLabel = "MS",
            defaultValue = "5000",
            description =
                    "How long calls are made before they are measured, so that the JVM has compiled them (default: ${DEFAULT-VALUE}).")
    private int warmUpMillis;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the rows as JSON, too.")
    private @Nullable Path json;

    @Option(names = PART_ROWS, hidden = true, description = "Where the rows of this world go.")
    private @Nullable Path partRows;

    private CompressedCommand() {}

    /** {@return the command, set up to read its choices} */
    public static CommandLine commandLine() {
        return new CommandLine(new CompressedCommand())
                .registerConverter(CodecChoice.class, Names.converter(CodecChoice.class, "codec"))
                .registerConverter(Rate.class, Rate::parse)
                .registerConverter(Duration.class, Latency::parse);
    }

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec);
        requireNothingBefore(command);
        CompressedOptions options = Usage.checked(command, this::options);
        CompressedTable table = new CompressedTable(command.commandLine().getOut());
        return join ? join(command, options, table) : startAll(command, options, table);
    }

    /** Options of `rcomm perf` mean nothing here, and some have the same names. */
    private static void requireNothingBefore(CommandSpec command) {
        List<OptionSpec> before = command.commandLine().getParent().getParseResult().matchedOptions().stream()
                .filter(option -> option.scopeType() == ScopeType.LOCAL)
                .toList();
        if (!before.isEmpty()) {
            String name = before.getFirst().longestName();
            throw new ParameterException(
                    command.commandLine(),
                    "options of compressed stand behind it: before=" + name + "; write `rcomm perf compressed " + name
                            + " …`");
        }
    }

    /** Is one rank: of a world that this command started, or of one that the user did. */
    private int join(CommandSpec command, CompressedOptions options, CompressedTable table) {
        SampleRanks one = new SampleRanks(command, 1, true);
        Path part = partRows;
        if (part != null) {
            return run(one, options, table, List.of(), rows -> JsonFile.write(rows, part, "measurements", PART_ROWS));
        }
        if (one.writesFiles()) {
            Usage.checked(command, this::requireWritable);
            table.begin(options);
        }
        return run(one, options, table, List.of(), this::finish);
    }

    private int startAll(CommandSpec command, CompressedOptions options, CompressedTable table) {
        List<SampleRanks> worlds = ranks.stream()
                .map(count -> new SampleRanks(command, count, false))
                .toList();
        worlds.forEach(SampleRanks::requireSome);
        Usage.checked(command, this::requireWritable);
        table.begin(options);
        try (ScratchFolder scratch = ScratchFolder.make()) {
            WorldSeries series = new WorldSeries(
                    (world, part) -> run(world, options, table, List.of(PART_ROWS + "=" + part), more -> {}),
                    () -> scratch.fresh("rows.json"),
                    text -> command.commandLine().getErr().println(text));
            return series.run(worlds, this::write, this::finish);
        }
    }

    private static int run(
            SampleRanks world,
            CompressedOptions options,
            CompressedTable table,
            List<String> more,
            Consumer<List<CompressedRow>> results) {
        return world.run(
                Transport.TCP,
                new CompressedPerf(options, Transport.TCP.toString(), table, results),
                RankJvm.FULL,
                more);
    }

    private void write(List<CompressedRow> rows) {
        if (json != null) {
            JsonFile.write(rows, json, "measurements", "--json");
        }
    }

    private void finish(List<CompressedRow> rows) {
        write(rows);
        CompressedPerf.requireNoErrors(rows);
    }

    /** {@return whether there is a file to write} It is known before the measuring, not after it, that it can be. */
    private boolean requireWritable() {
        if (json != null) {
            OutputFile.requireWritable(json, "--json");
        }
        return json != null;
    }

    private CompressedOptions options() {
        return new CompressedOptions(
                codecs,
                bytes,
                LinkShape.of(latency, rate).forCallsOf(Collections.min(bytes)),
                new CompressedOptions.Timing(rounds, Duration.ofMillis(batchMillis), Duration.ofMillis(warmUpMillis)));
    }
}
