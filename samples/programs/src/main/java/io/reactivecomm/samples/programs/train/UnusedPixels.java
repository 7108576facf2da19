package io.reactivecomm.samples.programs.train;

import io.reactivecomm.Tensor;
import io.reactivecomm.compression.reduce.Mask;
import java.util.Arrays;

/** The pixels that no image uses, such as those of the border. The weights behind them never get a gradient. */
final class UnusedPixels {

    private UnusedPixels() {}

    /** {@return the mask of those weights, over all parameters of a network in one array} */
    static Mask mask(Mlp model, Digits images) {
        boolean[] used = used(images);
        float[] ones = new float
                [model.layers().stream()
                        .mapToInt(layer -> layer.parameters().length)
                        .sum()];
        Arrays.fill(ones, 1);
        DenseLayer first = model.layers().getFirst();
        for (int weight = 0; weight < first.outputs() * first.inputs(); weight++) {
            ones[weight] = used[weight % first.inputs()] ? 1 : 0;
        }
        try (Tensor marked = Tensor.of(ones)) {
            return Mask.ofZeros(marked);
        }
    }

    private static boolean[] used(Digits images) {
        boolean[] used = new boolean[Digits.PIXELS];
        for (int i = 0; i < images.images().length; i++) {
            used[i % Digits.PIXELS] |= images.images()[i] != 0;
        }
        return used;
    }
}
