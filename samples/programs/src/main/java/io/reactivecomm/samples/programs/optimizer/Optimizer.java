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
     * @param parameters are changed in place. All ranks begin their first step with the same
     * @param gradient this rank's own, of which the average over ranks is that of the batch. It may be overwritten
     * @return cold, subscribed to once; completes when the parameters are those after the step
     */
    Mono<Void> step(float[] parameters, float[] gradient, float learningRate);

    /**
     * Makes the parameters of all ranks the same, bit by bit, where steps have let them differ: before a model is looked at or saved.
     *
     * @return cold; completes when they are
     */
    default Mono<Void> settle(float[] parameters) {
        return Mono.empty();
    }
}
