package io.reactivecomm.samples.programs.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MlpTest {

    private static final int SAMPLES = 7;

    private final Digits batch = Digits.load().train().range(new Share(0, SAMPLES));
    private final Mlp model = Mlp.random(42, Digits.PIXELS, 6, 5, Digits.CLASSES);

    private Map<String, float[]> gradients(Digits digits) {
        Map<String, float[]> gradients = new HashMap<>();
        model.backward(
                model.forward(digits),
                gradient ->
                        gradients.put(gradient.layer().name(), gradient.values().clone()));
        return gradients;
    }

    private double lossWith(float[] parameters, int index, float value) {
        float kept = parameters[index];
        parameters[index] = value;
        double loss = model.forward(batch).score().lossSum();
        parameters[index] = kept;
        return loss;
    }

    @Test
    void backward_everyParameter_matchesFiniteDifferences() {
        Map<String, float[]> gradients = gradients(batch);
        float step = 1e-2f;
        for (DenseLayer layer : model.layers()) {
            float[] parameters = layer.parameters();
            for (int i = 0; i < parameters.length; i++) {
                float up = parameters[i] + step;
                float down = parameters[i] - step;
                double expected = (lossWith(parameters, i, up) - lossWith(parameters, i, down)) / (up - down);
                assertThat((double) gradients.get(layer.name())[i])
                        .as("%s, parameter %d", layer.name(), i)
                        .isCloseTo(expected, within(2e-3 + 0.02 * Math.abs(expected)));
            }
        }
    }

    @Test
    void backward_layers_comeFromTheLastToTheFirst() {
        List<String> order = new ArrayList<>();
        model.backward(
                model.forward(batch), gradient -> order.add(gradient.layer().name()));
        assertThat(order).containsExactly("layer3", "layer2", "layer1");
    }

    @Test
    void backward_twoShares_addUpToTheWhole() {
        Map<String, float[]> whole = gradients(batch);
        Map<String, float[]> first = gradients(batch.range(new Share(0, 3)));
        Map<String, float[]> second = gradients(batch.range(new Share(3, SAMPLES)));
        for (Map.Entry<String, float[]> layer : whole.entrySet()) {
            for (int i = 0; i < layer.getValue().length; i++) {
                assertThat(first.get(layer.getKey())[i] + second.get(layer.getKey())[i])
                        .isCloseTo(layer.getValue()[i], within(1e-4f));
            }
        }
    }

    @Test
    void backward_emptyShare_isZero() {
        gradients(batch);
        assertThat(gradients(batch.range(new Share(2, 2))).get("layer1")).containsOnly(0f);
    }

    @Test
    void forward_probabilities_addUpToOne() {
        Mlp.Forward forward = model.forward(batch);
        for (int sample = 0; sample < SAMPLES; sample++) {
            double sum = 0;
            for (int i = 0; i < Digits.CLASSES; i++) {
                sum += forward.probabilities()[sample * Digits.CLASSES + i];
            }
            assertThat(sum).isCloseTo(1, within(1e-6));
        }
    }

    @Test
    void softmax_hugeOutputs_staysFinite() {
        float[] outputs = {1e30f, -1e30f, 0, 5, 5, 5};
        Score score = Activation.softmax(outputs, new int[] {0, 2}, 3);
        assertThat(score.lossSum()).isCloseTo(Math.log(3), within(1e-6));
        assertThat(score.correct()).isEqualTo(1);
    }

    @Test
    void random_sameSeed_isTheSameModel() {
        Mlp same = Mlp.random(42, Digits.PIXELS, 6, 5, Digits.CLASSES);
        Mlp other = Mlp.random(43, Digits.PIXELS, 6, 5, Digits.CLASSES);
        assertThat(ParameterHash.of(same)).isEqualTo(ParameterHash.of(model));
        assertThat(ParameterHash.of(other)).isNotEqualTo(ParameterHash.of(model));
    }

    @Test
    void hash_oneBitOfAnyParameter_changesIt() {
        long hash = ParameterHash.of(model);
        for (DenseLayer layer : model.layers()) {
            for (int i = 0; i < layer.parameters().length; i++) {
                float kept = layer.parameters()[i];
                layer.parameters()[i] = Float.intBitsToFloat(Float.floatToRawIntBits(kept) ^ 1);
                assertThat(ParameterHash.of(model)).isNotEqualTo(hash);
                layer.parameters()[i] = kept;
            }
        }
        assertThat(ParameterHash.of(model)).isEqualTo(hash);
    }

    @Test
    void layer_byName_isFound_andNoOther() {
        assertThat(model.layer("layer2")).isSameAs(model.layers().get(1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> model.layer("layer9"))
                .withMessageContaining("layer=layer9");
    }
}
