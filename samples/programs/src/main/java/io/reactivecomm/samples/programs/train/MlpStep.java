package io.reactivecomm.samples.programs.train;

import io.reactivecomm.samples.programs.train.StepWatch.Phase;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.TrainingStep;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * One step of a perceptron on one rank's images, as hooks see it: the backward pass hands each layer's gradient over as soon as it is there,
 * and what comes back is subtracted from the layer's parameters.
 *
 * <p><b>Threads.</b> All computing is done on the compute thread, so no layer changes while the pass still reads it.
 *
 * @param factor what a gradient is multiplied by: the learning rate, divided by the size of the batch over all ranks
 * @param tensors where the gradients travel
 * @param watch is told what was computed when, on the compute thread
 */
public record MlpStep(Mlp model, Digits images, float factor, LayerTensors tensors, Scheduler compute, StepWatch watch)
        implements TrainingStep {

    /** Requests may come while the pass goes on, from another thread. */
    @Override
    public Flux<Gradient> gradients() {
        return Flux.<Gradient>create(sink -> {
                    long began = System.nanoTime();
                    Mlp.Forward forward = model.forward(images);
                    long turned = System.nanoTime();
                    watch.computed(Phase.FORWARD, began, turned);
                    model.backward(forward, gradient -> sink.next(handedOver(gradient)));
                    watch.computed(Phase.BACKWARD, turned, System.nanoTime());
                    sink.complete();
                })
                .subscribeOn(compute, false);
    }

    private Gradient handedOver(Mlp.Gradient gradient) {
        return new Gradient(gradient.layer().name(), tensors.fill(gradient.layer(), gradient.values()));
    }

    @Override
    public Mono<Void> takeBack(Gradient reduced) {
        watch.gradientReturned();
        return tensors.fetch(model.layer(reduced.name()))
                .then(Mono.<Void>fromRunnable(() -> apply(reduced)).subscribeOn(compute));
    }

    private void apply(Gradient reduced) {
        long began = System.nanoTime();
        tensors.subtract(model.layer(reduced.name()), factor);
        watch.computed(Phase.OPTIMIZER, began, System.nanoTime());
    }
}
