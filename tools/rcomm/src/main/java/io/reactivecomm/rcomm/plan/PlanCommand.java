package io.reactivecomm.rcomm.plan;

import io.reactivecomm.Bits;
import io.reactivecomm.CommException;
import io.reactivecomm.DType;
import io.reactivecomm.Operation;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.internal.schedule.Layout;
import io.reactivecomm.internal.schedule.choice.Offer;
import io.reactivecomm.internal.schedule.choice.Selection;
import io.reactivecomm.internal.transfer.EngineLimits;
import io.reactivecomm.samples.programs.world.Names;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code rcomm plan}. */
@Command(
        name = "plan",
        header = "Predicts what each algorithm of a collective costs on ranks and links that need not be here.",
        description = {
            "",
            "Nothing is sent. The predicted time follows the alpha-beta model: T = steps x latency + bytes / bandwidth,"
                    + " between hosts and within them. Between hosts the bytes are those of the host that sends or receives most, in"
                    + " all its ranks; within hosts those of the rank that does. A chain that streams adds a piece's time for"
                    + " each step that its first piece has to go before the busiest rank has work. With --message-us each"
                    + " transfer of a rank adds its own time. docs/algorithms.md tells more.",
            ""
        })
public final class PlanCommand implements Callable<Integer> {

    /** Each rank's transfers are added up, and a rank may have one with every other. */
    private static final int MOST_RANKS = 16_384;

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(
            paramLabel = "OP",
            description = "all-reduce, inference-all-reduce, reduce, broadcast, all-gather, reduce-scatter, all-to-all,"
                    + " gather, scatter, barrier or monitored-barrier.")
    private Operation operation = Operation.ALL_REDUCE;

    @Option(names = "--ranks", paramLabel = "N", required = true, description = "Number of ranks.")
    private int ranks;

    @Option(
            names = "--hosts",
            paramLabel = "H",
            description =
                    "Hosts that the ranks are shared out over, those of each one after the other (default: one for each rank).")
    private @Nullable Integer hosts;

    @Option(
            names = "--bytes",
            paramLabel = "S",
            split = ",",
            defaultValue = "4,1024,65536,1048576,16777216",
            description = "Sizes of the whole array, separated by commas, counted as `rcomm perf` counts them"
                    + " (default: ${DEFAULT-VALUE}).")
    private List<Long> bytes = List.of();

    @Option(
            names = "--latency-us",
            paramLabel = "A",
            defaultValue = "20",
            description = "Microseconds of a step between hosts (default: ${DEFAULT-VALUE}).")
    private double latencyMicros;

    @Option(
            names = "--bandwidth-gbps",
            paramLabel = "B",
            defaultValue = "10",
            description =
                    "Bandwidth of a host's way out in each direction, which its ranks share, in 10^9 bits a second"
                            + " (default: ${DEFAULT-VALUE}).")
    private double gigabitsPerSecond;

    @Option(
            names = "--host-latency-us",
            paramLabel = "A",
            defaultValue = "2",
            description = "Microseconds of a step within a host (default: ${DEFAULT-VALUE}).")
    private double hostLatencyMicros;

    @Option(
            names = "--host-bandwidth-gbps",
            paramLabel = "B",
            defaultValue = "80",
            description =
                    "Bandwidth at which a rank exchanges bytes with others of its host, in each direction, in 10^9 bits a second"
                            + " (default: ${DEFAULT-VALUE}).")
    private double hostGigabitsPerSecond;

    @Option(
            names = "--message-us",
            paramLabel = "O",
            defaultValue = "0",
            description = "Microseconds that a rank spends on each transfer of its own (default: ${DEFAULT-VALUE}).")
    private double messageMicros;

    @Option(
            names = "--piece-bytes",
            paramLabel = "P",
            defaultValue = "262144",
            description = "Pieces in which transfers are streamed (default: ${DEFAULT-VALUE}).")
    private long pieceBytes;

    @Option(
            names = "--dtype",
            paramLabel = "TYPE",
            defaultValue = "float32",
            description = "Element type (default: ${DEFAULT-VALUE}).")
    private DType type = DType.FLOAT32;

    @Option(
            names = "--reduction",
            paramLabel = "R",
            defaultValue = "sum",
            description = "Reduction: sum, product, min, max, avg, band, bor or bxor (default: ${DEFAULT-VALUE}).")
    private ReduceOp reduction = ReduceOp.SUM;

    @Option(
            names = "--bits",
            paramLabel = "BITS",
            defaultValue = "rank-order",
            description = "Which bits the caller takes: rank-order or any-order (default: ${DEFAULT-VALUE}).")
    private Bits bits = Bits.RANK_ORDER;

    @Option(names = "--algorithm", paramLabel = "NAME", description = "Shows that algorithm only.")
    private @Nullable String algorithm;

    @Option(
            names = "--algorithms",
            paramLabel = "ROWS",
            defaultValue = "",
            description = "Rows to put before the library's table, such as all-reduce:bytes>=1M=ring.")
    private String rows = "";

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the rows as JSON, too.")
    private @Nullable Path json;

    private PlanCommand() {}

    /** {@return the command, set up to read the names of its choices} */
    public static CommandLine commandLine() {
        return new CommandLine(new PlanCommand())
                .registerConverter(Operation.class, Names.converter(Operation.class, "op"))
                .registerConverter(Bits.class, Names.converter(Bits.class, "bits"))
                .registerConverter(ReduceOp.class, Names.converter(ReduceOp.class, "reduction"))
                .registerConverter(DType.class, Names.converter(DType.class, "dtype"));
    }

    @Override
    public Integer call() {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        try {
            LinkModel model = new LinkModel(
                    new LinkModel.Way(latencyMicros, gigabitsPerSecond),
                    new LinkModel.Way(hostLatencyMicros, hostGigabitsPerSecond),
                    messageMicros,
                    pieceBytes);
            List<PlanRow> planned = planned(model);
            new PlanTable(command.getOut()).print(planned, model);
            if (json != null) {
                write(planned, json);
            }
        } catch (IllegalArgumentException | CommException e) {
            throw new ParameterException(command, CommException.textOf(e), e);
        }
        return 0;
    }

    private List<PlanRow> planned(LinkModel model) {
        Selection selection = Selection.DEFAULT.with(rows).within(EngineLimits.DEFAULT.eagerBytes());
        Layout layout = Layout.over(hosts(), ranks);
        List<PlanRow> planned = new ArrayList<>();
        for (long size : bytes) {
            HypotheticalCall call = HypotheticalCall.of(operation, layout, size, type, reduction);
            List<Offer> offers = selection.offers(call.signature(), layout);
            String chosen = selection.algorithm(call.signature(), layout, bits).name();
            List<Offer> shown = offers.stream()
                    .filter(offer -> algorithm == null || offer.name().equals(algorithm))
                    .toList();
            if (shown.isEmpty()) {
                throw new IllegalArgumentException(
                        "no such algorithm for this call: op=" + Names.of(operation) + ", bytes=" + size
                                + ", algorithm=" + algorithm + "; choose "
                                + offers.stream().map(Offer::name).collect(Collectors.joining(" or ")));
            }
            shown.forEach(
                    offer -> planned.add(PlanRow.of(call, offer, offer.name().equals(chosen), model)));
        }
        return planned;
    }

    private int hosts() {
        if (ranks < 1) {
            throw new IllegalArgumentException(
                    "number of ranks is not positive: ranks=" + ranks + "; plan for at least one");
        }
        if (ranks > MOST_RANKS) {
            throw new IllegalArgumentException(
                    "too many ranks to add up what each of them moves: ranks=" + ranks + ", most=" + MOST_RANKS);
        }
        if (hosts == null) {
            return ranks;
        }
        if (hosts < 1 || hosts > ranks) {
            throw new IllegalArgumentException(
                    "ranks run on one host at least, and on one each at most: hosts=" + hosts + ", ranks=" + ranks);
        }
        return hosts;
    }

    private static void write(List<PlanRow> rows, Path file) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, JSON.writeValueAsString(rows) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the plan: file=" + file + "; choose another with --json", e);
        }
    }
}
