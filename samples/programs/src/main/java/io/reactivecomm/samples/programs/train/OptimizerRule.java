package io.reactivecomm.samples.programs.train;

import io.reactivecomm.samples.programs.optimizer.LayerRange;
import io.reactivecomm.samples.programs.optimizer.Optimizer;
import io.reactivecomm.samples.programs.train.StepWatch.Phase;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Learning by an optimizer with a memory, which is given the gradient of the whole network at once.
 *
 * <p>The gradient of a rank is the sum over its images, multiplied by the number of ranks and divided by the size of the batch: the ranks' average is that of the batch, whether or
 * not their shares are equal.
 */
final class OptimizerRule implements LearningRule {

    private final Learner learner;
    private final Optimizer optimizer;
    private final Runnable end;
    private final FlatParameters flat;

    /** @param closing ends what the optimizer works with */
    OptimizerRule(Learner learner, Optimizer optimizer, Runnable closing) {
        this.learner = learner;
        this.optimizer = optimizer;
        this.end = closing;
        this.flat = new FlatParameters(learner.model());
    }

    /** {@return the places of all weights and biases in one array, as optimizers know them} */
    static List<LayerRange> ranges(Mlp model) {
        List<LayerRange> ranges = new ArrayList<>();
        int from = 0;
        for (DenseLayer layer : model.layers()) {
            int biases = from + layer.outputs() * layer.inputs();
            ranges.add(new LayerRange(WeightsAndBiases.weights(layer), from, biases));
            from = biases + layer.outputs();
            ranges.add(new LayerRange(WeightsAndBiases.biases(layer), biases, from));
        }
        return ranges;
    }

    @Override
    public Mono<Void> step(Digits images, int batch, float learningRate, StepWatch watch) {
        return Mono.fromCallable(() -> gradient(images, learner.group().size() / (float) batch, watch))
                .subscribeOn(learner.compute())
                .flatMap(gradient -> optimizer.step(flat.values(), gradient, learningRate))
                .then(Mono.fromRunnable(flat::store));
    }

    private float[] gradient(Digits images, float factor, StepWatch watch) {
        float[] gradient = new float[flat.values().length];
        long began = System.nanoTime();
        Mlp.Forward forward = learner.model().forward(images);
        long turned = System.nanoTime();
        watch.computed(Phase.FORWARD, began, turned);
        learner.model().backward(forward, each -> flat.put(each, factor, gradient));
        watch.computed(Phase.BACKWARD, turned, System.nanoTime());
        return gradient;
    }

    @Override
    public Mono<Void> settle() {
        return Mono.defer(() -> optimizer.settle(flat.values()))
                .subscribeOn(learner.compute())
                .then(Mono.fromRunnable(flat::store));
    }

    @Override
    public void close() {
        end.run();
    }
}
