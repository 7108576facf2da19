package io.reactivecomm.internal.train;

import io.reactivecomm.train.StepEnd;
import io.reactivecomm.train.TrainingStep;
import java.util.List;

/**
 * A step as its runner begins it.
 *
 * @param number its number
 * @param hooks those of the program, and those that come of the runner's options
 * @param program the source of gradients, and the receiver of results
 * @param agreed a text that ranks compare with the operation of each hook; perhaps empty
 * @param kind of its end
 */
public record AssembledStep(
        long number, List<StepHook> hooks, TrainingStep program, String agreed, StepEnd.Kind kind) {}
