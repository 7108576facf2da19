package io.reactivecomm.samples.programs.train;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.device.Device;
import io.reactivecomm.samples.programs.output.Progress;
import io.reactivecomm.samples.programs.world.RankDevices;
import io.reactivecomm.samples.programs.world.RankProgram;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The program of each rank of {@code rcomm train}: trains, and on rank 0 says how it goes. */
final class Training implements RankProgram {

    private static final int[] WIDTHS = {Digits.PIXELS, 64, Digits.CLASSES};

    /** The name of the network that is trained. */
    static final String NAME = IntStream.of(WIDTHS).mapToObj(Integer::toString).collect(Collectors.joining("-"));

    private final TrainOptions options;
    private final String transport;
    private final RankDevices devices;
    private final PrintWriter out;
    private final boolean quiet;

    /**
     * Makes the program of every rank.
     *
     * @param transport its name, to be shown
     * @param devices on which gradients are reduced: layer by layer in the host's memory, in buckets elsewhere
     * @param quiet whether to leave out the lines of the epochs
     */
    Training(TrainOptions options, String transport, RankDevices devices, PrintWriter out, boolean quiet) {
        this.options = options;
        this.transport = transport;
        this.devices = devices;
        this.out = out;
        this.quiet = quiet;
    }

    /** {@return the network that is trained, as it is at first} */
    static Mlp model(long seed) {
        return Mlp.random(seed, WIDTHS);
    }

    @Override
    public void run(ProcessGroup group) {
        Digits.Split data = Digits.load();
        Mlp model = model(options.seed());
        Device device = devices.own().apply(group);
        try (DataParallel training = new DataParallel(group, device, model, data, options, rule(device))) {
            sayStart(group, data);
            List<EpochReport> epochs = training.train()
                    .doOnNext(epoch -> {
                        sayEpoch(group, epoch);
                        Progress.ofRank(group.rank())
                                .at(
                                        epoch.epoch(),
                                        options.epochs(),
                                        "epoch " + epoch.epoch() + " of " + options.epochs());
                    })
                    .collectList()
                    .blockOptional()
                    .orElseThrow();
            boolean bitEqual = training.parametersAreBitEqual().blockOptional().orElseThrow();
            finish(group, model, epochs, bitEqual);
        }
    }

    private LearningRule.Choice rule(Device device) {
        if (!options.steps().isUsual()) {
            return learner -> new MeanDescent(learner, options.steps());
        }
        return device.equals(Device.CPU) ? GradientDescent::byLayer : GradientDescent::inBuckets;
    }

    private void sayStart(ProcessGroup group, Digits.Split data) {
        if (group.rank() == 0 && !quiet) {
            say(
                    "training a %s MLP on %d digits: %d ranks over %s, %d images a step",
                    NAME, data.train().count(), group.size(), transport, options.batch());
        }
        if (group.rank() == 0 && !devices.description().isEmpty()) {
            say("device: %s", devices.description());
        }
    }

    private void sayEpoch(ProcessGroup group, EpochReport epoch) {
        if (group.rank() == 0 && !quiet) {
            say(
                    "epoch %2d/%d  loss %.6f  accuracy %.4f  time %6.1f ms  exposed communication %6.1f ms",
                    epoch.epoch(),
                    options.epochs(),
                    epoch.train().meanLoss(),
                    epoch.test().accuracy(),
                    epoch.duration().toNanos() / 1e6,
                    epoch.exposed().toNanos() / 1e6);
        }
    }

    private void finish(ProcessGroup group, Mlp model, List<EpochReport> epochs, boolean bitEqual) {
        if (!bitEqual) {
            throw new CommException("parameters differ between ranks: rank=" + group.rank() + ", hash="
                    + Long.toHexString(ParameterHash.of(model))
                    + "; every rank should add the same bits, so report this as a defect of the engine");
        }
        if (group.rank() == 0) {
            EpochReport last = epochs.getLast();
            say(
                    "test accuracy %.4f, training loss %.6f after %d epochs",
                    last.test().accuracy(), last.train().meanLoss(), epochs.size());
            if (!options.steps().isUsual()) {
                say("%s", options.steps().text());
            }
            say("parameters of all %d ranks are bit-equal: hash %016x", group.size(), ParameterHash.of(model));
            say("%s", TrainingChart.write("Digits on " + group.size() + " ranks", epochs, options.chart()));
        }
    }

    private void say(String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
        out.flush();
    }
}
