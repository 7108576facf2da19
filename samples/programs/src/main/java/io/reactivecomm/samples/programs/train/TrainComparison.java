package io.reactivecomm.samples.programs.train;

import io.reactivecomm.CommException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.Tensor;
import io.reactivecomm.samples.programs.output.JsonFile;
import io.reactivecomm.samples.programs.output.Progress;
import io.reactivecomm.samples.programs.world.RankDevices;
import io.reactivecomm.samples.programs.world.RankProgram;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The program of each rank of {@code rcomm train} with {@code --compress} or {@code --optimizer}: trains from the same start in several ways, and on rank 0 compares them. */
final class TrainComparison implements RankProgram {

    private final List<ComparedTraining> variants;
    private final ComparisonTable table;
    private final RankDevices devices;
    private final @Nullable Path json;

    /**
     * Makes the program of every rank.
     *
     * @param variants of which the first has the chart's path in its options
     * @param devices on which gradients are reduced
     * @param json where the figures go, or null for nowhere
     */
    TrainComparison(List<ComparedTraining> variants, ComparisonTable table, RankDevices devices, @Nullable Path json) {
        this.variants = List.copyOf(variants);
        this.table = table;
        this.devices = devices;
        this.json = json;
    }

    @Override
    public void run(ProcessGroup group) {
        Digits.Split data = Digits.load();
        boolean speaks = group.rank() == 0;
        if (speaks) {
            table.begin(data.train().count(), group.size(), variants.getFirst().options(), devices.description());
        }
        List<ComparedRun> runs = new ArrayList<>();
        for (ComparedTraining variant : variants) {
            Progress.ofRank(group.rank()).part(runs.size(), variants.size());
            runs.add(train(group, variant, data, runs));
            if (speaks) {
                table.add(runs.getLast());
            }
        }
        requireBitEqual(runs);
        if (speaks) {
            finish(group, runs);
        }
    }

    private ComparedRun train(
            ProcessGroup group, ComparedTraining variant, Digits.Split data, List<ComparedRun> before) {
        Mlp model = Training.model(variant.options().seed());
        try (DataParallel training =
                new DataParallel(group, devices.own().apply(group), model, data, variant.options(), variant.rule())) {
            List<EpochReport> epochs = training.train()
                    .doOnNext(epoch -> tell(group, variant, epoch))
                    .collectList()
                    .blockOptional()
                    .orElseThrow();
            boolean bitEqual = training.parametersAreBitEqual().blockOptional().orElseThrow();
            List<ComparedRun.Point> curve = curve(epochs, meanBytes(group, epochs));
            ComparedRun.Point last = curve.getLast();
            long reference = before.stream()
                    .filter(run -> run.method().equals(variant.reference()))
                    .mapToLong(ComparedRun::sentBytes)
                    .findFirst()
                    .orElse(last.sentBytes());
            double ratio = last.sentBytes() == 0 ? 1 : (double) reference / last.sentBytes();
            return new ComparedRun(
                    variant.method(),
                    variant.feedsBack(),
                    variant.reference(),
                    last.loss(),
                    last.accuracy(),
                    last.sentBytes(),
                    ratio,
                    bitEqual,
                    HexFormat.of().toHexDigits(ParameterHash.of(model)),
                    curve);
        }
    }

    private static void tell(ProcessGroup group, ComparedTraining variant, EpochReport epoch) {
        Progress.ofRank(group.rank()).at(epoch.epoch(), variant.options().epochs(), variant.method());
    }

    /** {@return what a rank sent in the steps of each epoch, as a mean over ranks} */
    private static double[] meanBytes(ProcessGroup group, List<EpochReport> epochs) {
        try (Tensor bytes =
                Tensor.of(epochs.stream().mapToDouble(EpochReport::sentBytes).toArray())) {
            group.named("bytes").allReduce(bytes, ReduceOp.AVG).block();
            return bytes.toDoubleArray();
        }
    }

    private static List<ComparedRun.Point> curve(List<EpochReport> epochs, double[] bytes) {
        List<ComparedRun.Point> curve = new ArrayList<>();
        double sent = 0;
        for (EpochReport epoch : epochs) {
            sent += bytes[epoch.epoch() - 1];
            curve.add(new ComparedRun.Point(
                    epoch.epoch(),
                    Math.round(sent),
                    epoch.train().meanLoss(),
                    epoch.test().accuracy()));
        }
        return curve;
    }

    private static void requireBitEqual(List<ComparedRun> runs) {
        runs.stream().filter(run -> !run.bitEqual()).findFirst().ifPresent(run -> {
            throw new CommException(
                    "parameters differ between ranks: variant=" + run.label() + ", hash of this rank or of rank 0="
                            + run.hash() + "; every rank should move by the same bits, so report this as a defect");
        });
    }

    private void finish(ProcessGroup group, List<ComparedRun> runs) {
        Path chart = variants.getFirst().options().chart();
        table.say("parameters of all %d ranks are bit-equal after every training", group.size());
        if (json != null) {
            JsonFile.write(runs, json, "figures", "--json");
        }
        table.say("%s", LossByBytesChart.write("Digits on " + group.size() + " ranks", runs, chart));
    }
}
