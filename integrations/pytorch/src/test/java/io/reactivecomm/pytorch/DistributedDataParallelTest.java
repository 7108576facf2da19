package io.reactivecomm.pytorch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivecomm.pytorch.Models.Branches;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The test of steps whose ranks are threads of this JVM. */
class DistributedDataParallelTest {

    @BeforeAll
    static void load() {
        TorchNatives.load();
    }

    private static Branches model(double phase) {
        return Models.filled(new Branches(), phase);
    }

    @Test
    void step_averagesGradients_andReplicasAreEqual() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model(group.rank());
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                Tensor input = Models.values(group.rank(), 3, 4);
                Tensor loss =
                        ddp.step(() -> Models.loss(model.forward(input, true))).block();
                assertThat(loss.item_float()).isGreaterThan(0);
                return Models.gradients(model);
            }
        });

        List<float[]> zero = alone(0);
        List<float[]> one = alone(1);
        for (int i = 0; i < zero.size(); i++) {
            float[] average = new float[zero.get(i).length];
            for (int k = 0; k < average.length; k++) {
                average[k] = (zero.get(i)[k] + one.get(i)[k]) / 2;
            }
            assertThat(gradients.get(0).get(i)).isEqualTo(average);
            assertThat(gradients.get(1).get(i)).isEqualTo(average);
        }
    }

    private static List<float[]> alone(int data) {
        Branches model = model(0);
        Models.loss(model.forward(Models.values(data, 3, 4), true)).backward();
        return Models.gradients(model);
    }

    @Test
    void backward_outsideOfStep_isRefusedAndNamesTheMethods() throws Exception {
        Ranks.run(1, group -> {
            Branches model = model(0);
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                Tensor loss = Models.loss(model.forward(Models.values(0, 3, 4), true));
                assertThatThrownBy(loss::backward).hasMessageContainingAll("step", "backward", "noSync");
                return ddp.steps();
            }
        });
    }

    @Test
    void forward_thatThrowsOnOneRank_failsAll_andNextStepIsRight() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model(0);
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                Tensor input = Models.values(group.rank(), 3, 4);
                assertThatThrownBy(() -> ddp.step(() -> {
                                    if (group.rank() == 1) {
                                        throw new IllegalStateException("no more data");
                                    }
                                    return Models.loss(model.forward(input, true));
                                })
                                .block())
                        .hasMessageContaining("no more data");
                assertThat(Models.gradients(model)).allMatch(each -> each.length == 0);
                ddp.step(() -> Models.loss(model.forward(input, true))).block();
                return Models.gradients(model);
            }
        });

        assertThat(gradients.get(0)).usingRecursiveComparison().isEqualTo(gradients.get(1));
    }

    @Test
    void parameterUnusedByAll_keepsNoGradient_andUsedByOne_isAveraged() throws Exception {
        List<List<float[]>> gradients = Ranks.run(2, group -> {
            Branches model = model(0);
            try (DistributedDataParallel ddp = DistributedDataParallel.of(model, group)) {
                Tensor input = Models.values(group.rank(), 3, 4);
                ddp.step(() -> Models.loss(model.forward(input, false))).block();
                assertThat(Models.gradients(model).get(4)).isEmpty();
                model.zero_grad(true);
                ddp.step(() -> Models.loss(model.forward(input, group.rank() == 1)))
                        .block();
                return Models.gradients(model);
            }
        });

        assertThat(gradients.get(0)).usingRecursiveComparison().isEqualTo(gradients.get(1));
        assertThat(gradients.get(0).get(4)).isNotEmpty().isNotEqualTo(new float[16]);
    }
}
