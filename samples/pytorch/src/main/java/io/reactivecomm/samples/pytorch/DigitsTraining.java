package io.reactivecomm.samples.pytorch;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.ReactiveComm;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.pytorch.DistributedDataParallel;
import io.reactivecomm.pytorch.TorchNatives;
import io.reactivecomm.samples.programs.train.Digits;
import io.reactivecomm.train.DistributedSampler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * The training of a small convolutional network on handwritten digits by all ranks: a program.
 *
 * <pre>{@code
 * rcomm run -n 2 -- java -cp … io.reactivecomm.samples.pytorch.DigitsTraining 20 curve.png
 * }</pre>
 *
 * <p>Rank 0 prints a line for each epoch and draws the learning curve.
 */
public final class DigitsTraining {

    private static final int EPOCHS = 20;
    private static final int BATCH = 32;
    private static final double RATE = 0.1;
    private static final long SEED = 1;

    private final ProcessGroup world;
    private final Digits.Split data = Digits.load();
    private final DigitsNet net = new DigitsNet();
    private final SGD optimizer = new SGD(net.parameters(), new SGDOptions(RATE));

    private DigitsTraining(ProcessGroup world) {
        this.world = world;
    }

    /** @param arguments the number of epochs and the file of the chart; both may be left out */
    public static void main(String[] arguments) {
        TorchNatives.load();
        int epochs = arguments.length > 0 ? Integer.parseInt(arguments[0]) : EPOCHS;
        Path chart = Path.of(arguments.length > 1 ? arguments[1] : "digits.png");
        try (ProcessGroup world = Objects.requireNonNull(ReactiveComm.connect().block())) {
            List<Epoch> all = train(world, epochs);
            if (world.rank() == 0) {
                all.forEach(System.out::println);
                System.out.println(LearningCurve.write("Digits, " + world.size() + " ranks", all, chart));
            }
        }
    }

    /** {@return the outcomes of the epochs, the same on all ranks but for rounding} All ranks call it. */
    static List<Epoch> train(ProcessGroup world, int epochs) {
        torch.manual_seed(SEED);
        DigitsTraining training = new DigitsTraining(world);
        List<Epoch> all = new ArrayList<>();
        try (DistributedDataParallel ddp = DistributedDataParallel.of(training.net, world)) {
            for (int number = 1; number <= epochs; number++) {
                double loss = training.epoch(ddp, number);
                // Evaluation uses the running statistics of batch normalization.
                ddp.syncBuffers().block();
                all.add(new Epoch(number, loss, training.accuracy()));
            }
        }
        return all;
    }

    private double epoch(DistributedDataParallel ddp, int number) {
        int[] samples = new DistributedSampler(data.train().count(), world, SEED).samples(number);
        float sum = 0;
        int steps = 0;
        for (int from = 0; from < samples.length; from += BATCH) {
            Digits batch = data.train().pick(Arrays.copyOfRange(samples, from, Math.min(from + BATCH, samples.length)));
            try (PointerScope _ = new PointerScope()) {
                optimizer.zero_grad();
                Tensor loss = Objects.requireNonNull(ddp.step(() -> loss(batch)).block());
                optimizer.step();
                sum += loss.item_float();
                loss.close();
            }
            steps++;
        }
        return average(sum / steps);
    }

    private Tensor loss(Digits batch) {
        return torch.cross_entropy_loss(net.forward(images(batch)), labels(batch));
    }

    private float average(float value) {
        try (io.reactivecomm.Tensor tensor = io.reactivecomm.Tensor.of(new float[] {value}, 1)) {
            world.allReduce(tensor, ReduceOp.AVG).block();
            return tensor.toFloatArray()[0];
        }
    }

    private double accuracy() {
        net.eval();
        try (NoGradGuard _ = new NoGradGuard();
                PointerScope _ = new PointerScope()) {
            Tensor right = net.forward(images(data.test()))
                    .argmax(new LongOptional(1), false)
                    .eq(labels(data.test()));
            return (double) right.sum().item_long() / data.test().count();
        } finally {
            net.train(true);
        }
    }

    private static Tensor images(Digits digits) {
        return Tensor.create(digits.images(), digits.count(), Digits.PIXELS);
    }

    private static Tensor labels(Digits digits) {
        return Tensor.create(Arrays.stream(digits.labels()).asLongStream().toArray(), digits.count());
    }
}
