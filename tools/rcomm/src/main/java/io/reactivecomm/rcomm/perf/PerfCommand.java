package io.reactivecomm.rcomm.perf;

import io.reactivecomm.DType;
import io.reactivecomm.rcomm.output.ScratchFolder;
import io.reactivecomm.rcomm.peers.Congestion;
import io.reactivecomm.samples.programs.world.Names;
import io.reactivecomm.samples.programs.world.RankJvm;
import io.reactivecomm.samples.programs.world.RankProgram;
import io.reactivecomm.samples.programs.world.ReportOption;
import io.reactivecomm.samples.programs.world.Transport;
import io.reactivecomm.samples.programs.world.Usage;
import io.reactivecomm.samples.programs.world.WorldOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
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
            "`rcomm perf compressed` measures compressed all-reduces beside plain ones, and has options of its own.",
            "send-receive: every rank sends to the next one and receives from the one before.",
            "Several transports or kinds of buffers are measured one after the other, each in a world of its own; with --rounds, all of"
                    + " them in turn, and again.",
            "JSON is an array of rows {op, ranks, bytes, transport, buffers, dtype, algorithm, medianMicros, minMicros, maxMicros,"
                    + " algbwGBps, busbwGBps, errors}; those of peers come last, with the peer as transport.",
            ""
        })
public final class PerfCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    /** Missing where a subcommand is what is to be done. */
    @Parameters(
            paramLabel = "OP",
            arity = "0..1",
            description =
                    "all-reduce, inference-all-reduce, reduce, broadcast, all-gather, reduce-scatter, all-to-all, gather, scatter,"
                            + " send-receive, barrier, monitored-barrier, list or coalesced.")
    private PerfOp op = PerfOp.ALL_REDUCE;

    @Mixin
    private WorldOptions world = new WorldOptions();

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            split = ",",
            defaultValue = Transport.DEFAULT,
            description = Transport.MEANINGS + "; several separated by commas (default: ${DEFAULT-VALUE}).")
    private List<Transport> transports = List.of(Transport.TCP);

    @Option(
            names = "--bytes",
            paramLabel = "N",
            split = ",",
            description =
                    "Sizes of the whole array, separated by commas, rounded down to whole elements, and where each rank has a part to as many each"
                            + " (default: 4,1024,65536,1048576,16777216).")
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
            split = ",",
            defaultValue = "private",
            description =
                    "private: the program's own memory; shared: what the engine gives out; or both, separated by a comma"
                            + " (default: ${DEFAULT-VALUE}).")
    private List<Buffers> buffers = List.of(Buffers.PRIVATE);

    @Option(
            names = "--file",
            paramLabel = "FILE",
            description = "For list and coalesced: a number of elements on each line.")
    private @Nullable Path file;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the rows as JSON, too.")
    private @Nullable Path json;

    @Option(
            names = "--chart",
            paramLabel = "FILE",
            description =
                    "Draws bus bandwidth by size as PNG: a line for each transport and kind of buffers, dashed for peers.")
    private @Nullable Path chart;

    @Mixin
    private ReportOption report = new ReportOption();

    @Mixin
    private PeerOptions peers = new PeerOptions();

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
            description =
                    "How long calls of each size are made before they are measured, so that the JVM has compiled them"
                            + " (default: ${DEFAULT-VALUE}).")
    private int warmUpMillis;

    @Option(
            names = "--busy",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Busy processes to run on this machine during the measurement: from the end of each warm-up on, and during all of a peer's run"
                            + " (default: ${DEFAULT-VALUE}).")
    private int busy;

    @Option(
            names = "--cold",
            description =
                    "Shows the first calls of each world before its first row: the first, the next 99, and when they no longer get faster. They"
                            + " take the place of that row's warm-up; give it 30 seconds.")
    private boolean isCold;

    @Option(names = OwnWorld.PART, hidden = true, description = "Be a rank of this part of a comparison.")
    private @Nullable Setup part;

    @Option(names = OwnWorld.PART_ROWS, hidden = true, description = "Where that part's rows go.")
    private @Nullable Path partRows;

    private PerfCommand() {}

    /** {@return the command, set up to read the names of its choices} */
    public static CommandLine commandLine() {
        ITypeConverter<Transport> transport = Names.converter(Transport.class, "transport");
        ITypeConverter<Buffers> buffers = Names.converter(Buffers.class, "buffers");
        return new CommandLine(new PerfCommand())
                .registerConverter(PerfOp.class, Names.converter(PerfOp.class, "op"))
                .registerConverter(Buffers.class, buffers)
                .registerConverter(DType.class, Names.converter(DType.class, "dtype"))
                .registerConverter(Congestion.class, Names.converter(Congestion.class, "congestion"))
                .registerConverter(Transport.class, transport)
                .registerConverter(Setup.class, Setup.converter(transport, buffers));
    }

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec);
        if (!command.commandLine().getParseResult().hasMatchedPositional(0)) {
            throw new ParameterException(
                    command.commandLine(),
                    "no operation is given: OP=none; name one, such as all-reduce, or write `rcomm perf compressed`");
        }
        return world.joins() ? join(command) : compare(command);
    }

    /** Is one rank of a world: of a part of a comparison, or of one that the user started. */
    private int join(CommandSpec command) {
        PerfOptions options = Usage.checked(command, this::options);
        PrintWriter out = command.commandLine().getOut();
        if (part != null && partRows != null) {
            Path rowsFile = partRows;
            Perf perf =
                    new Perf(options, part, PerfTable.continued(out, options), rows -> PerfJson.write(rows, rowsFile));
            return world.run(part.transport(), report.around(perf, out, false), RankJvm.FULL);
        }
        Setup setup = Usage.checked(command, this::onlySetup);
        PerfOutputs outputs = Usage.checked(command, () -> outputs(world.writesFiles()));
        Perf perf = new Perf(options, setup, new PerfTable(out, options), rows -> {
            outputs.write(List.of(Standing.of(new Entrant.Ours(setup), rows)), op);
            Perf.requireNoErrors(rows);
        });
        RankProgram reported = Usage.checked(command, () -> report.around(perf, out, world.writesFiles()));
        return world.run(setup.transport(), reported, RankJvm.FULL);
    }

    private Setup onlySetup() {
        List<Setup> setups = Setup.all(transports, buffers);
        if (setups.size() > 1) {
            throw new IllegalArgumentException("a world that is joined is measured in one way: transport=" + transports
                    + ", buffers=" + buffers + "; name one of each");
        }
        return setups.getFirst();
    }

    private PerfOutputs outputs(boolean areWritten) {
        PerfOutputs outputs = new PerfOutputs(json, chart);
        if (areWritten) {
            outputs.requireFor(op);
        }
        return outputs;
    }

    /** Starts world after world, and peers between them. */
    private int compare(CommandSpec command) {
        world.requireRanks();
        PerfOptions options = Usage.checked(command, this::options);
        PerfOutputs outputs = Usage.checked(command, () -> outputs(true));
        Usage.checked(command, this::requireOneReport);
        PrintWriter out = command.commandLine().getOut();
        PerfTable table = new PerfTable(out, options);
        try (ScratchFolder scratch = ScratchFolder.make()) {
            Usage.checked(command, () -> peers.checkedFor(options, scratch));
            Comparison comparison = new Comparison(contestants(options, table, scratch), table);
            table.begin(world.ranks());
            int code = comparison.run(peers.rounds());
            List<Standing> standings = comparison.standings();
            show(standings, table, out);
            outputs.write(standings, op);
            Perf.requireNoErrors(standings.stream()
                    .flatMap(standing -> standing.rows().stream())
                    .toList());
            return code;
        }
    }

    /** {@return whether there is a report} */
    private boolean requireOneReport() {
        int setups = Setup.all(transports, buffers).size();
        if (report.isGiven() && (setups > 1 || peers.rounds() > 1)) {
            throw new IllegalArgumentException("a report is of one world: worlds=" + setups * peers.rounds()
                    + "; name one transport, one kind of buffers and one round");
        }
        return report.isGiven();
    }

    private List<Contestant> contestants(PerfOptions options, PerfTable table, ScratchFolder scratch) {
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        List<Contestant> contestants = new ArrayList<>();
        for (Setup setup : Setup.all(transports, buffers)) {
            contestants.add(new OwnWorld(setup, options, world, scratch, program -> report.around(program, out, true)));
        }
        contestants.addAll(peers.contestants(options, world.ranks(), transports, file, scratch, table));
        return contestants;
    }

    /** Of one round all is shown already but how one stands to the other. */
    private void show(List<Standing> standings, PerfTable table, PrintWriter out) {
        if (peers.rounds() > 1) {
            table.note("medians of the rounds");
            table.header();
            standings.forEach(standing -> standing.rows().forEach(table::add));
        }
        if (peers.wanted()) {
            table.note("peers beside ours: the peer's time divided by ours");
            new RatioTable(out, op, standings).show();
        }
    }

    private PerfOptions options() {
        PerfOptions.Timing timing = new PerfOptions.Timing(
                batches, Duration.ofMillis(batchMillis), Duration.ofMillis(warmUpMillis), busy, isCold);
        List<Long> counts = file == null ? List.of() : CountsFile.read(file);
        return new PerfOptions(op, bytes, counts, type, algorithm, timing);
    }
}
