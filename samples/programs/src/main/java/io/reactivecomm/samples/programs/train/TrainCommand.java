package io.reactivecomm.samples.programs.train;

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
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rcomm train}. */
@Command(
        name = "train",
        header = "Trains a small network on handwritten digits, data-parallel over the ranks.",
        description = {
            "",
            "Stochastic gradient descent on 1,437 images of the UCI handwritten digits; the gradient of each layer is"
                    + " all-reduced while the backward pass still works on the layers before it. The result depends on the"
                    + " options below, and not on the number of ranks but for rounding.",
            ""
        })
public final class TrainCommand implements Callable<Integer> {

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private WorldOptions world = new WorldOptions();

    @Mixin
    private TransportOption transport = new TransportOption();

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Option(
            names = "--epochs",
            paramLabel = "N",
            defaultValue = "" + TrainOptions.DEFAULT_EPOCHS,
            description = "How often each image is seen (default: ${DEFAULT-VALUE}).")
    private int epochs;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "" + TrainOptions.DEFAULT_BATCH,
            description = "Images of a step, over all ranks together (default: ${DEFAULT-VALUE}).")
    private int batch;

    @Option(
            names = "--lr",
            paramLabel = "RATE",
            description = "Learning rate at first; it falls evenly towards 0 (default: "
                    + TrainOptions.DEFAULT_LEARNING_RATE + ", with --optimizer its own).")
    private @Nullable Float learningRate;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "" + TrainOptions.DEFAULT_SEED,
            description = "Decides initial parameters and order of images (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--chart",
            paramLabel = "FILE",
            defaultValue = "target/train.png",
            description = "Where the chart of loss and accuracy goes (default: ${DEFAULT-VALUE}).")
    private Path chart = Path.of("target", "train.png");

    @Mixin
    private ReportOption report = new ReportOption();

    @Mixin
    private StepChoice steps = new StepChoice();

    @Mixin
    private CompareOptions compare = new CompareOptions();

    @Option(names = "--quiet", description = "Leaves out the lines of the epochs, of which a comparison has none.")
    private boolean quiet;

    private TrainCommand() {}

    /** {@return the command, set up to read the names of its choices} */
    public static CommandLine commandLine() {
        return withConverters(new CommandLine(new TrainCommand()));
    }

    /** {@return that command, which can read the names of all choices} */
    static CommandLine withConverters(CommandLine command) {
        return command.registerConverter(Transport.class, Names.converter(Transport.class, "transport"))
                .registerConverter(DeviceKind.class, Names.converter(DeviceKind.class, "device"))
                .registerConverter(CodecChoice.class, Names.converter(CodecChoice.class, "codec"))
                .registerConverter(OptimizerChoice.class, Names.converter(OptimizerChoice.class, "optimizer"));
    }

    @Override
    public Integer call() {
        CommandSpec command = Objects.requireNonNull(spec);
        RankDevices devices = Usage.checked(command, () -> {
            compare.requireFor(device.kind());
            if (device.kind() == DeviceKind.CUDA) {
                steps.requireUsual("these options are for gradients in the host's memory");
            }
            return device.devices(transport.chosen(), world);
        });
        RankProgram training =
                Usage.checked(command, () -> program(command.commandLine().getOut(), devices));
        PrintWriter out = command.commandLine().getOut();
        RankProgram reported = Usage.checked(command, () -> report.around(training, out, world.writesFiles()));
        return world.run(transport.chosen(), reported, RankJvm.QUICK, devices);
    }

    private RankProgram program(PrintWriter out, RankDevices devices) {
        TrainOptions options = new TrainOptions(
                epochs,
                batch,
                learningRate == null ? TrainOptions.DEFAULT_LEARNING_RATE : learningRate,
                seed,
                chart,
                steps);
        String links = transport.chosen().toString();
        if (!compare.isComparison()) {
            compare.requireNone();
            return new Training(options, links, devices, out, quiet);
        }
        steps.requireUsual("compared trainings have usual steps");
        if (quiet) {
            throw new IllegalArgumentException(
                    "a comparison has no lines of epochs to leave out: quiet=true; leave out --quiet");
        }
        if (world.writesFiles()) {
            compare.requireWritable(chart);
        }
        return new TrainComparison(
                compare.variants(options, learningRate), new ComparisonTable(out, links), devices, compare.json());
    }
}
