package io.reactivecomm.samples.programs.optimizer;

import java.util.Arrays;
import java.util.List;

/** The factors that bring the layers' momenta to one size, so that one scale fits the signs of all. */
final class FusedScales {

    private final List<LayerRange> ranges;
    private final float[] scales;

    FusedScales(List<LayerRange> ranges) {
        this.ranges = List.copyOf(ranges);
        this.scales = new float[ranges.size()];
    }

    /** Takes the sizes of a momentum: the mean of all layers', divided by each layer's own. One without a size keeps it. */
    void freeze(float[] momentum) {
        double[] sizes = ranges.stream()
                .mapToDouble(range -> range.norm(momentum) / Math.sqrt(range.count()))
                .toArray();
        double mean = Arrays.stream(sizes).average().orElseThrow();
        for (int layer = 0; layer < scales.length; layer++) {
            scales[layer] = sizes[layer] == 0 ? 1 : (float) (mean / sizes[layer]);
        }
    }

    void multiply(float[] momentum) {
        for (int layer = 0; layer < scales.length; layer++) {
            LayerRange range = ranges.get(layer);
            for (int i = range.from(); i < range.to(); i++) {
                momentum[i] *= scales[layer];
            }
        }
    }

    void divide(float[] momentum) {
        for (int layer = 0; layer < scales.length; layer++) {
            LayerRange range = ranges.get(layer);
            for (int i = range.from(); i < range.to(); i++) {
                momentum[i] /= scales[layer];
            }
        }
    }
}
