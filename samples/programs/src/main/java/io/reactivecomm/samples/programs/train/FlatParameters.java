package io.reactivecomm.samples.programs.train;

import java.util.HashMap;
import java.util.Map;

/**
 * All parameters of a network in one array, layer by layer from the input on.
 *
 * <p><b>Threads.</b> One at a time.
 */
final class FlatParameters {

    private final Map<DenseLayer, Integer> places = new HashMap<>();
    private final float[] values;
    private boolean isLoaded;

    FlatParameters(Mlp model) {
        int count = 0;
        for (DenseLayer layer : model.layers()) {
            places.put(layer, count);
            count += layer.parameters().length;
        }
        this.values = new float[count];
    }

    /** {@return the parameters, as the network had them when they were first asked for, and changed since} */
    float[] values() {
        if (!isLoaded) {
            places.forEach((layer, place) ->
                    System.arraycopy(layer.parameters(), 0, values, place, layer.parameters().length));
            isLoaded = true;
        }
        return values;
    }

    /** Gives the network these parameters. */
    void store() {
        places.forEach(
                (layer, place) -> System.arraycopy(values(), place, layer.parameters(), 0, layer.parameters().length));
    }

    /** Puts a layer's gradient, multiplied by a factor, where its parameters are. */
    void put(Mlp.Gradient gradient, float factor, float[] into) {
        int place = places.getOrDefault(gradient.layer(), 0);
        float[] parts = gradient.values();
        for (int i = 0; i < parts.length; i++) {
            into[place + i] = factor * parts[i];
        }
    }
}
