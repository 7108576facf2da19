package io.reactivecomm.rcomm.overlap;

import io.reactivecomm.rcomm.latency.Latency;
import io.reactivecomm.rcomm.latency.LinkShape;
import io.reactivecomm.rcomm.latency.Rate;
import io.reactivecomm.samples.programs.codec.CodecChoice;
import io.reactivecomm.samples.programs.device.DeviceKind;
import io.reactivecomm.samples.programs.device.DeviceOption;
import io.reactivecomm.samples.programs.world.Names;
import io.reactivecomm.samples.programs.world.RankDevices;
import io.reactivecomm.samples.programs.world.RankJvm;
import io.reactivecomm.samples.programs.world.RankProgram;
import io.reactivecomm.samples.programs.world.ReportOption;
import io.reactivecomm.samples.programs.world.Transport;
import io.reactivecomm.samples.programs.world.TransportOption;
import io.reactivecomm.samples.programs.world.Usage;
import io.reactivecomm.samples.programs.world.WorldOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** {@code rcomm overlap}. */
@Command(
        name = "overlap",
        header = "Shows how much communication hides behind the backward pass of training.",
        description = {
            "",
            "Trains a wide network on handwritten digits, with the same buckets of gradients reduced (a) after the backward pass and (b)"
                    + " each as soon as it is whole; over the ranks' own links, then over TCP with a latency added to every frame."
                    + " Shows the share hidden, 1 - exposed wait of (b) / communication time of (a), the share by which the step is shorter,"
                    + " and that all runs end in the same parameters.",
            "With --compress a codec takes the all-reduce's place in the buckets of two more runs over the slow links, whose ranks all end in the same"
                    + " parameters, too, though not in those of plain buckets.",
            "Only the backward pass hides communication: the last bucket is always waited for, so the share grows with the compute of a"
                    + " step. Ranks and their communication compete for the cores that there are.",
            ""
        })
public final class OverlapCommand implements Callable<Integer> {

    private static final int BYTES_PER_MIB = 1 << 20;
    private static final Set<String> ONLY_ON_HOSTS =
            Set.of("--batch", "--seed", "--algorithm", "--latency", "--rate", "--compress");
    private static final Set<String> ONLY_ON_GPUS = Set.of("--backward");

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private WorldOptions world = new WorldOptions();

    @Mixin
    private TransportOption transport = new TransportOption();

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Option(
            names = "--backward",
            paramLabel = "TIME",
            defaultValue = "20ms",
            description =
                    "With --device cuda: how long the kernels of a backward pass compute, such as 500us (default: ${DEFAULT-VALUE}).")
    private Duration backward = Duration.ZERO;

    @Option(
            names = "--steps",
            paramLabel = "N",
            defaultValue = "50",
            description =
                    "Measured steps of each run, of which there are two for each kind of links; a tenth as many go before (default: ${DEFAULT-VALUE}).")
    private int steps;

    @Option(
            names = "--hidden",
            paramLabel = "WIDTH",
            split = ",",
            defaultValue = "128,256,512,768,768,768,768,768,768,768,768,768",
            description = "Widths of the hidden layers, separated by commas (default: ${DEFAULT-VALUE}).")
    private List<Integer> hidden = List.of();

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "64",
            description = "Images of a step, over all ranks together (default: ${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--bucket-mib",
            paramLabel = "MIB",
            defaultValue = "1",
            description = "What a bucket holds at most, unless a layer is larger (default: ${DEFAULT-VALUE}).")
    private double bucketMib;

    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            defaultValue = "",
            description = "Which algorithm reduces the buckets, as `rcomm plan` names it (default: the group chooses).")
    private String algorithm = "";

    @Option(
            names = "--latency",
            paramLabel = "TIME",
            defaultValue = "2ms",
            description =
                    "What is added to the latency of each frame in the second half, such as 500us; 0 leaves that half out"
                            + " (default: ${DEFAULT-VALUE}).")
    private Duration latency = Duration.ZERO;

    @Option(
            names = "--rate",
            paramLabel = "RATE",
            description =
                    "What a rank sends at most in the second half, over all its links, and receives at most, such as 100mbit; 0 for no limit (default: 0, and with"
                            + " --compress 1gbit).")
    private @Nullable Rate rate;

    @Option(
            names = "--compress",
            paramLabel = "CODEC",
            description =
                    "Trains twice more in the second half, with buckets that are sent compressed, and shows how much shorter the step is: one-bit, int8, int4,"
                            + " top-k or threshold.")
    private @Nullable CodecChoice codec;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Decides initial parameters and order of images (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            defaultValue = "target/overlap.json",
            description = "Where the trace of all steps goes, for ui.perfetto.dev (default: ${DEFAULT-VALUE}).")
    private Path trace = Path.of("target", "overlap.json");

    @Option(
            names = "--chart",
            paramLabel = "FILE",
            defaultValue = "target/overlap.png",
            description = "Where the timeline of a few steps goes (default: ${DEFAULT-VALUE}).")
    private Path chart = Path.of("target", "overlap.png");

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the figures as JSON, too.")
    private @Nullable Path json;

    @Option(
            names = "--timeline",
            paramLabel = "FILE",
            description =
                    "Records every call of all ranks with its phases, for ui.perfetto.dev, as RCOMM_TIMELINE does for any program (docs/observing.md).")
    private @Nullable Path timeline;

    @Mixin
    private ReportOption report = new ReportOption();

    private OverlapCommand() {}

    /** {@return the command, set up to read times and the names of its choices} */
    public static CommandLine commandLine() {
        return new CommandLine(new OverlapCommand())
                .registerConverter(Duration.class, Latency::parse)
                .registerConverter(Rate.class, Rate::parse)
                .registerConverter(DeviceKind.class, Names.converter(DeviceKind.class, "device"))
                .registerConverter(CodecChoice.class, Names.converter(CodecChoice.class, "codec"))
                .registerConverter(Transport.class, Names.converter(Transport.class, "transport"));
    }

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec);
        RankDevices devices = Usage.checked(command, () -> {
            requireFor(device.kind(), command.commandLine().getParseResult());
            return device.devices(transport.chosen(), world);
        });
        Overlap overlap =
                Usage.checked(command, () -> overlap(command.commandLine().getOut(), devices));
        RankProgram reported = Usage.checked(
                command, () -> report.around(overlap, command.commandLine().getOut(), world.writesFiles()));
        return world.run(transport.chosen(), reported, RankJvm.FULL, devices);
    }

    /** What is given and has no effect is a mistake. */
    private static void requireFor(DeviceKind device, ParseResult given) {
        Set<String> ofOthers = device == DeviceKind.CUDA ? ONLY_ON_HOSTS : ONLY_ON_GPUS;
        ofOthers.stream().filter(given::hasMatchedOption).findFirst().ifPresent(option -> {
            throw new IllegalArgumentException(
                    "an option has no effect there: option=" + option + ", device=" + device + "; leave it out");
        });
    }

    /** Compression is for links that have one. */
    private Rate chosenRate() {
        Rate usual = codec == null ? Rate.UNLIMITED : Rate.GIGABIT;
        return rate == null ? usual : rate;
    }

    private Overlap overlap(PrintWriter out, RankDevices devices) {
        Overlap.Outputs outputs = new Overlap.Outputs(trace, chart, json, timeline);
        if (world.writesFiles()) {
            outputs.requireWritable();
        }
        long bucketBytes = Math.round(bucketMib * BYTES_PER_MIB);
        boolean isOnHosts = device.kind() == DeviceKind.CPU;
        LinkShape shape = isOnHosts ? LinkShape.of(latency, chosenRate()) : LinkShape.NONE;
        OverlapOptions options =
                new OverlapOptions(steps, hidden, batch, bucketBytes, algorithm, shape, new Contents(codec), seed);
        return isOnHosts
                ? new Overlap(options, outputs, transport.chosen().toString(), out)
                : new Overlap(
                        options, outputs, DeviceTrainer.LINKS, new DeviceTrainer(options, devices, backward), out);
    }
}
