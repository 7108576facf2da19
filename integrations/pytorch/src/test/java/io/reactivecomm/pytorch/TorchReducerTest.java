package io.reactivecomm.pytorch;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivecomm.pytorch.Models.Branches;
import io.reactivecomm.pytorch.Models.Normalized;
import io.reactivecomm.pytorch.Models.Tied;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The comparison with torch's own reducer over Gloo, in the same JVM.
 *
 * <p>One run in ten ends with a corrupted heap of the C library. Neither half does so without the other; the cause is not known.
 */
@Tag("thorough")
class TorchReducerTest {

    private static final int STEPS = 50;

    @TempDir
    Path folder;

    @BeforeAll
    static void load() {
        TorchNatives.load();
    }

    /** A model and its forward pass. */
    private record Trained<M extends Module>(
            Supplier<M> model, Function<M, Function<Tensor, Tensor>> forward, long... input) {

        Tensor input(int step, int rank) {
            return Models.values(step * 2 + rank, input);
        }
    }

    @Test
    void perceptron_afterFiftySteps_hasTheBitsOfTorchsOwn() throws Exception {
        requireSameBits(new Trained<>(Branches::new, model -> input -> model.forward(input, true), 16, 4));
    }

    @Test
    void convolutionsWithBatchNorm_afterFiftySteps_haveTheBitsOfTorchsOwn() throws Exception {
        requireSameBits(new Trained<>(Normalized::new, model -> model::forward, 4, 2, 5, 5));
    }

    @Test
    void tiedParameters_afterFiftySteps_haveTheBitsOfTorchsOwn() throws Exception {
        requireSameBits(new Trained<>(Tied::new, model -> model::forward, 8, 4));
    }

    private <M extends Module> void requireSameBits(Trained<M> trained) throws Exception {
        List<List<float[]>> ours = Ranks.run(2, group -> {
            M model = Models.filled(trained.model().get(), group.rank());
            SGD optimizer = optimizer(model);
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                for (int step = 0; step < STEPS; step++) {
                    Tensor input = trained.input(step, group.rank());
                    optimizer.zero_grad();
                    ddp.step(() -> Models.loss(trained.forward().apply(model).apply(input)))
                            .block();
                    optimizer.step();
                }
            }
            return state(model);
        });
        List<List<float[]>> torchs = Ranks.run(2, group -> {
            M model = Models.filled(trained.model().get(), group.rank());
            SGD optimizer = optimizer(model);
            try (GlooReplica replica = new GlooReplica(model, folder.resolve("store"), group.rank(), 2, false)) {
                for (int step = 0; step < STEPS; step++) {
                    Tensor input = trained.input(step, group.rank());
                    replica.zeroGradients();
                    replica.prepareForward(true);
                    replica.backward(Models.loss(trained.forward().apply(model).apply(input)), new TensorVector());
                    optimizer.step();
                }
                return state(model);
            }
        });

        assertThat(ours.get(0).get(0))
                .isNotEqualTo(state(Models.filled(trained.model().get(), 0)).get(0));
        assertThat(ours.get(1).subList(0, 3))
                .usingRecursiveComparison()
                .isEqualTo(ours.get(0).subList(0, 3));
        assertThat(ours.get(0)).usingRecursiveComparison().isEqualTo(torchs.get(0));
        assertThat(ours.get(1)).usingRecursiveComparison().isEqualTo(torchs.get(1));
    }

    private static SGD optimizer(Module model) {
        SGDOptions options = new SGDOptions(0.05);
        options.momentum().put(0.9);
        return new SGD(model.parameters(), options);
    }

    /** {@return the values of parameters, then those of buffers} Each rank has buffers of its own after a step. */
    private static List<float[]> state(Module model) {
        List<float[]> all = Models.parameters(model);
        for (ModelTensor each : ModelTensor.of(model)) {
            if (!each.isParameter() && each.tensor().dim() > 0) {
                all.add(Models.floats(each.tensor()));
            }
        }
        return all;
    }

    /** For each step, for each rank, whether the pass uses the branch that is not always there. Gradients are never reset. */
    private static final boolean[][] USES = {{true, true}, {false, true}, {false, false}, {true, false}, {true, true}};

    @Test
    void gradientsThatAreNotReset_andPassesThatDiffer_haveTheBitsOfTorchsOwn() throws Exception {
        List<List<float[]>> ours = Ranks.run(2, group -> {
            Branches model = Models.filled(new Branches(), 0);
            List<float[]> all = new ArrayList<>();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                for (int step = 0; step < USES.length; step++) {
                    Tensor input = Models.values(step * 2 + group.rank(), 3, 4);
                    boolean usesRight = USES[step][group.rank()];
                    ddp.step(() -> Models.loss(model.forward(input, usesRight))).block();
                    all.addAll(Models.gradients(model));
                }
            }
            return all;
        });
        List<List<float[]>> torchs = Ranks.run(2, group -> {
            Branches model = Models.filled(new Branches(), 0);
            List<float[]> all = new ArrayList<>();
            try (GlooReplica replica = new GlooReplica(model, folder.resolve("store"), group.rank(), 2, true)) {
                for (int step = 0; step < USES.length; step++) {
                    Tensor input = Models.values(step * 2 + group.rank(), 3, 4);
                    replica.prepareForward(false);
                    Tensor loss = Models.loss(model.forward(input, USES[step][group.rank()]));
                    replica.backward(loss, new TensorVector(loss));
                    all.addAll(Models.gradients(model));
                }
                return all;
            }
        });

        assertThat(ours.get(0)).usingRecursiveComparison().isEqualTo(torchs.get(0));
        assertThat(ours.get(1)).usingRecursiveComparison().isEqualTo(ours.get(0));
    }
}
