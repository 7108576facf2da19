package io.reactivecomm.samples.programs.train;

import io.reactivecomm.ProcessGroup;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** The way from what this rank computes of a batch to parameters that all ranks have in common. */
interface LearningRule extends AutoCloseable {

    /**
     * Takes one step.
     *
     * @param images this rank's share of the batch
     * @param batch the images of all ranks together
     * @return cold, subscribed to once, after the step before has ended
     */
    Mono<Void> step(Digits images, int batch, float learningRate, StepWatch watch);

    /** Takes part in the steps of ranks that have further batches in this epoch. */
    default Mono<Void> finish(float learningRate) {
        return Mono.empty();
    }

    /** Makes the parameters of all ranks the same, bit by bit, where steps have let them differ: before the model is used. */
    default Mono<Void> settle() {
        return Mono.empty();
    }

    @Override
    default void close() {}

    /**
     * The parts of one rank that a rule works with, and does not own.
     *
     * @param group of all ranks
     * @param model what learns
     * @param tensors where its gradients travel
     * @param compute where all computing is done
     */
    record Learner(ProcessGroup group, Mlp model, LayerTensors tensors, Scheduler compute) {}

    /** A choice of a rule, made for each training anew. */
    @FunctionalInterface
    interface Choice {

        LearningRule of(Learner learner);
    }
}
