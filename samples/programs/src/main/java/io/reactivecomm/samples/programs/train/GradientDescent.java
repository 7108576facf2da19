package io.reactivecomm.samples.programs.train;

import io.reactivecomm.DType;
import io.reactivecomm.ReduceOp;
import io.reactivecomm.device.Device;
import io.reactivecomm.train.BucketOptions;
import io.reactivecomm.train.BucketReducer;
import io.reactivecomm.train.GradientBuckets;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.GradientHooks;
import io.reactivecomm.train.ParallelHooks;
import io.reactivecomm.train.Parameter;
import io.reactivecomm.train.Scaling;
import io.reactivecomm.train.TrainingStep;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Gradient descent whose gradients go through hooks: all-reduced layer by layer, or in buckets by a reducer of one's own.
 *
 * <p>Each rank sums the gradients of its own images, the hook sums over ranks, and the update divides by the size of the whole batch: exact whether or not the shares are equal.
 */
final class GradientDescent implements LearningRule {

    private final Learner learner;
    private final GradientHooks hooks;
    private final UnaryOperator<TrainingStep> parts;
    private final Runnable end;

    private GradientDescent(Learner learner, GradientHook hook, UnaryOperator<TrainingStep> parts, Runnable end) {
        this.learner = learner;
        this.hooks = GradientHooks.of(hook);
        this.parts = parts;
        this.end = end;
    }

    /** {@return that in which each layer is a call} */
    static GradientDescent byLayer(Learner learner) {
        return new GradientDescent(
                learner, ParallelHooks.dataParallel(learner.group(), ReduceOp.SUM), UnaryOperator.identity(), () -> {});
    }

    /** {@return that in which buckets are all-reduced} */
    static GradientDescent inBuckets(Learner learner) {
        return inBuckets(learner, null, () -> {});
    }

    /**
     * {@return that in which a reducer reduces buckets}
     *
     * @param reducer null for an all-reduce
     * @param closing ends the reducer
     */
    static GradientDescent inBuckets(Learner learner, @Nullable BucketReducer reducer, Runnable closing) {
        BucketOptions options = BucketOptions.DEFAULT.withScaling(Scaling.SUM).withReducer(reducer);
        GradientBuckets buckets =
                GradientBuckets.of(learner.group().named("gradients"), options).registered(parameters(learner));
        UnaryOperator<TrainingStep> parts = step -> new WeightsAndBiases(learner.model(), learner.tensors(), step);
        return new GradientDescent(learner, buckets, parts, () -> {
            buckets.close();
            closing.run();
        });
    }

    private static List<Parameter> parameters(Learner learner) {
        Device device = learner.tensors().device();
        return learner.model().layers().reversed().stream()
                .flatMap(layer -> Stream.of(
                        new Parameter(
                                WeightsAndBiases.weights(layer),
                                DType.FLOAT32,
                                device,
                                layer.outputs(),
                                layer.inputs()),
                        new Parameter(WeightsAndBiases.biases(layer), DType.FLOAT32, device, layer.outputs())))
                .toList();
    }

    @Override
    public Mono<Void> step(Digits images, int batch, float learningRate, StepWatch watch) {
        TrainingStep layers =
                new MlpStep(learner.model(), images, learningRate / batch, learner.tensors(), learner.compute(), watch);
        return hooks.run(parts.apply(layers)).then();
    }

    @Override
    public void close() {
        end.run();
    }
}
