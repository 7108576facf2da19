package io.reactivecomm.samples.programs.optimizer;

import reactor.core.publisher.Mono;

/**
 * A rule by which the ranks' own gradients change the parameters that all ranks have.
 *
 * <p>What travels is the rule's own matter: gradients, momenta, or nothing for some steps.
 *
 * <p><b>Threads.</b> Subscribed to on the compute thread, on which all arithmetic is done. Steps follow one another.
 */
public interface Optimizer {

    /**
     * Takes a step over all ranks. Called when the step before has ended.
     *
     * <p>If the average of the ranks is not finite, as where the scale of a loss is too large, the step is not taken: parameters, means, the number of steps and the state of a compression are
     * what they were, on all ranks. Lower the scale and take the next.
     *
     * @param parameters are changed in place. All ranks begin their first step with the same
     * @param gradient this rank's own, of which the average over ranks is that of the batch. It may be overwritten
     * @return cold, subscribed to once; whether the step was taken, when the parameters are those after it
     */
    Mono<Boolean> step(float[] parameters, float[] gradient, float learningRate);

    /**
     * Makes the parameters of all ranks the same, bit by bit, where steps have let them differ: before a model is looked at or saved.
     *
     * @return cold; completes when they are
     */
    default Mono<Void> settle(float[] parameters) {
        return Mono.empty();
    }
}
