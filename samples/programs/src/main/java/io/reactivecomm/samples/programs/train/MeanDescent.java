package io.reactivecomm.samples.programs.train;

import io.reactivecomm.DType;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.TrainingStep;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Gradient descent whose steps have options: micro-steps, a limited norm, uneven inputs. Gradients are means over a batch, since a norm of sums would grow with it.
 *
 * <p>Each rank hands over the sum of its images, multiplied by the number of ranks and divided by the size of the batch. Gradients live in buckets, so the results of steps in which this rank has
 * no images are where its own would be.
 */
final class MeanDescent implements LearningRule {

    private final Learner learner;
    private final StepChoice choice;
    private final GradientBuckets buckets;
    private final GradientHooks hooks;
    private final LayerTensors homes;

    MeanDescent(Learner learner, StepChoice choice) {
        this.learner = learner;
        this.choice = choice;
        List<Parameter> parameters = learner.model().layers().reversed().stream()
                .map(layer -> new Parameter(layer.name(), DType.FLOAT32, layer.parameters().length))
                .toList();
        this.buckets =
                GradientBuckets.average(learner.group().named("gradients")).registered(parameters);
        this.hooks = choice.of(GradientHooks.of(buckets));
        this.homes = LayerTensors.of(buckets.allocate());
    }

    @Override
    public Mono<Void> step(Digits images, int batch, float learningRate, StepWatch watch) {
        return Flux.range(0, choice.accumulate())
                .concatMap(part -> hooks.run(new Means(
                        images.range(Share.of(images.count(), part, choice.accumulate())),
                        learner.group().size() / (float) batch,
                        learningRate,
                        watch)))
                .then();
    }

    @Override
    public Mono<Void> finish(float learningRate) {
        Digits none = new Digits(new float[0], new int[0]);
        return choice.isUneven()
                ? hooks.finished(new Means(none, 0, learningRate, new StepClock()), end -> Mono.empty())
                        .then()
                : Mono.empty();
    }

    /** A step of the network with means in place of sums. */
    private final class Means implements TrainingStep {

        private final MlpStep sums;
        private final float factor;

        private Means(Digits images, float factor, float learningRate, StepWatch watch) {
            this.sums = new MlpStep(learner.model(), images, learningRate, homes, learner.compute(), watch);
            this.factor = factor;
        }

        @Override
        public Flux<Gradient> gradients() {
            return sums.gradients().doOnNext(sum -> {
                float[] values = sum.tensor().toFloatArray();
                for (int i = 0; i < values.length; i++) {
                    values[i] *= factor;
                }
                sum.tensor().set(values);
            });
        }

        @Override
        public Mono<Void> takeBack(Gradient mean) {
            return sums.takeBack(mean);
        }
    }

    @Override
    public void close() {
        buckets.close();
    }
}
