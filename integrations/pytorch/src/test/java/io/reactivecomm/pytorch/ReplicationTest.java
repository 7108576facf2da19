package io.reactivecomm.pytorch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.MismatchException;
import io.reactivecomm.pytorch.Models.Branches;
import io.reactivecomm.pytorch.Models.Normalized;
import io.reactivecomm.pytorch.Models.Tied;
import java.util.List;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.MemoryFormatOptional;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptions;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The test of how replicas are compared and become equal. */
class ReplicationTest {

    @BeforeAll
    static void load() {
        TorchNatives.load();
    }

    @Test
    void of_otherShapeOnOneRank_namesTheTensorAndBothRanks() throws Exception {
        Ranks.run(2, group -> {
            Module model = new Module();
            model.register_parameter("alike", Models.values(0, 3));
            model.register_parameter("weight", Models.values(0, 2 + group.rank(), 3));
            assertThatThrownBy(() -> DistributedDataParallel.of(model, group))
                    .isInstanceOf(MismatchException.class)
                    .hasMessageContainingAll(
                            "rank 0 has [parameter weight Float[2, 3]", "rank 1 has [parameter weight Float[3, 3]");
            return 0;
        });
    }

    @Test
    void of_frozenOnOneRank_isAMismatch() throws Exception {
        Ranks.run(2, group -> {
            Branches model = Models.filled(new Branches(), 0);
            model.left.weight().requires_grad_(group.rank() == 0);
            assertThatThrownBy(() -> DistributedDataParallel.of(model, group))
                    .isInstanceOf(MismatchException.class)
                    .hasMessageContainingAll("left.weight", "requires_grad=true", "requires_grad=false");
            return 0;
        });
    }

    @Test
    void of_modelOnADevice_isRefusedOnAllRanks() throws Exception {
        Ranks.run(2, group -> {
            Module model = new Module();
            String device = group.rank() == 0 ? "cpu" : "meta";
            model.register_parameter(
                    "weight",
                    torch.empty(new long[] {3}, new TensorOptions(new Device(device)), new MemoryFormatOptional()));
            assertThatThrownBy(() -> DistributedDataParallel.of(model, group))
                    .isInstanceOf(InvalidCallException.class)
                    .hasMessageContainingAll("rank=1", "weight", "device");
            return 0;
        });
    }

    @Test
    void of_givesAllRanksParametersAndBuffersOfRank0() throws Exception {
        List<List<float[]>> tensors = Ranks.run(2, group -> {
            Normalized model = Models.filled(new Normalized(), group.rank());
            model.norm.running_mean().fill_(new Scalar(group.rank() + 5.0));
            try (DistributedDataParallel _ = DistributedDataParallel.of(model, group)) {
                List<float[]> all = Models.parameters(model);
                all.add(Models.floats(model.norm.running_mean()));
                return all;
            }
        });

        assertThat(tensors.get(1)).usingRecursiveComparison().isEqualTo(tensors.get(0));
        assertThat(tensors.get(1).getLast()).containsOnly(5);
    }

    @Test
    void tiedParameter_countsOnce_andItsGradientIsTheSumOfBothUses() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Tied model = new Tied();
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                ddp.step(() -> Models.loss(model.forward(Models.values(0, 3, 4))))
                        .block();
                assertThat(ddp.gradients()).hasSize(2);
                return List.of(Models.floats(model.weights.grad()), Models.floats(model.scale.grad()));
            }
        });

        Tied alone = new Tied();
        Models.loss(alone.forward(Models.values(0, 3, 4))).backward();
        assertThat(gradients.get(0).get(0)).isEqualTo(Models.floats(alone.weights.grad()));
        assertThat(gradients.get(1).get(1)).isEqualTo(Models.floats(alone.scale.grad()));
    }

    @Test
    void step_afterFreezingOnOneRank_failsOnAllAndNamesTheParameter() throws Exception {
        Ranks.run(2, group -> {
            Branches model = Models.filled(new Branches(), 0);
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                model.left.weight().requires_grad_(group.rank() == 0);
                Tensor input = Models.values(0, 3, 4);
                assertThatThrownBy(() -> ddp.step(() -> Models.loss(model.forward(input, true)))
                                .block())
                        .hasMessageContainingAll("left.weight", "requires_grad=true -> false");
                return 0;
            }
        });
    }

    @Test
    void step_afterAnotherType_isRefused() throws Exception {
        Ranks.run(1, group -> {
            Branches model = Models.filled(new Branches(), 0);
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                model.to(ScalarType.Double, false);
                assertThatThrownBy(() -> ddp.step(() -> Models.loss(model.forward(Models.values(0, 3, 4), true)))
                                .block())
                        .hasMessageContaining("FLOAT32 -> FLOAT64");
                return 0;
            }
        });
    }

    @Test
    void buffers_areRank0sAtEachStep_butNotInEvalMode() throws Exception {
        List<List<float[]>> buffers = Ranks.run(2, group -> {
            Normalized model = Models.filled(new Normalized(), 0);
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                model.eval();
                model.norm.running_mean().fill_(new Scalar(group.rank()));
                ddp.step(() -> Models.loss(model.forward(input(group.rank())))).block();
                float[] evaluated = Models.floats(model.norm.running_mean());
                float[][] seen = new float[1][];
                model.train(true);
                ddp.step(() -> {
                            seen[0] = Models.floats(model.norm.running_mean());
                            return Models.loss(model.forward(input(group.rank())));
                        })
                        .block();
                ddp.syncBuffers().block();
                return List.of(evaluated, seen[0], Models.floats(model.norm.running_mean()));
            }
        });

        assertThat(buffers.get(1).get(0)).containsOnly(1);
        assertThat(buffers.get(1).get(1)).containsOnly(0);
        assertThat(buffers.get(1).get(2)).isEqualTo(buffers.get(0).get(2)).isNotEqualTo(new float[4]);
    }

    private static Tensor input(int phase) {
        return Models.values(phase, 2, 2, 5, 5);
    }
}
