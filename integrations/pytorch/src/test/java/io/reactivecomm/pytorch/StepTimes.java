package io.reactivecomm.pytorch;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntFunction;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;

/**
 * One rank of {@link StepComparison}: steps with and without communication in turn. It prints the median of the former, the median of the differences, the last loss and a hash of the parameters.
 *
 * <p>Arguments: {@code ours}, {@code ours-at-end} or {@code gloo}; the model; the steps of each kind; a file for Gloo's store.
 */
final class StepTimes {

    private static final double NANOS_PER_MILLI = 1e6;

    private final TimedModel model;
    private final SGD optimizer;
    private final double[] synced;
    private final double[] differences;
    private float loss;

    private StepTimes(TimedModel model, int steps) {
        this.model = model;
        this.optimizer = new SGD(model.parameters(), new SGDOptions(0.01));
        this.synced = new double[steps];
        this.differences = new double[steps];
    }

    public static void main(String[] arguments) {
        TorchNatives.load();
        int rank = Integer.parseInt(System.getenv("RANK"));
        int size = Integer.parseInt(System.getenv("WORLD_SIZE"));
        StepTimes times =
                new StepTimes(Models.filled(TimedModel.of(arguments[1]), rank), Integer.parseInt(arguments[2]));
        if (arguments[0].equals("gloo")) {
            try (GlooReplica replica = new GlooReplica(times.model, Path.of(arguments[3]), rank, size, false)) {
                times.measureGloo(replica, rank);
            }
        } else {
            DataParallelOptions options =
                    DataParallelOptions.DEFAULT.withAnnouncementAtEnd(arguments[0].equals("ours-at-end"));
            try (ProcessGroup world = ReactiveComm.connect().block();
                    DistributedDataParallel ddp = DistributedDataParallel.of(times.model, world, options)) {
                times.measure(
                        step -> ddp.step(() -> times.model.loss(step, rank)).block(),
                        step -> {
                            Tensor[] result = new Tensor[1];
                            ddp.noSync(() -> result[0] = backward(times.model.loss(step, rank)));
                            return result[0];
                        },
                        () -> times.optimizer.zero_grad());
            }
        }
        System.out.println("RESULT " + times);
    }

    private void measureGloo(GlooReplica replica, int rank) {
        measure(
                step -> {
                    replica.prepareForward(true);
                    Tensor computed = model.loss(step, rank);
                    replica.backward(computed, new TensorVector());
                    return computed;
                },
                step -> backward(model.loss(step, rank)),
                replica::zeroGradients);
    }

    private static Tensor backward(Tensor loss) {
        loss.backward();
        return loss;
    }

    private void measure(IntFunction<Tensor> withCommunication, IntFunction<Tensor> without, Runnable zeroes) {
        int warmUp = Math.min(20, synced.length);
        for (int step = -warmUp; step < synced.length; step++) {
            double alone = timed(step, without, zeroes);
            double together = timed(step, withCommunication, zeroes);
            // After the synced step alone: replicas would drift otherwise.
            optimizer.step();
            if (step >= 0) {
                synced[step] = together;
                differences[step] = together - alone;
            }
        }
    }

    private double timed(int step, IntFunction<Tensor> pass, Runnable zeroes) {
        try (PointerScope _ = new PointerScope()) {
            zeroes.run();
            long begin = System.nanoTime();
            Tensor computed = pass.apply(step);
            double millis = (System.nanoTime() - begin) / NANOS_PER_MILLI;
            loss = computed.item_float();
            return millis;
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%.3f %.3f %.5f %08x",
                median(synced),
                median(differences),
                loss,
                Models.parameters(model).stream().map(Arrays::hashCode).toList().hashCode());
    }
}
