package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.train.Accumulation;
import io.reactivecomm.train.Parameter;
import java.util.List;

/**
 * The options of a runner of steps.
 *
 * @param microSteps of a group, the last of which reduces
 * @param accumulation the owner of their sums
 */
public record RunnerOptions(int microSteps, Accumulation accumulation) {

    /** Each step reduces. */
    public static final RunnerOptions NONE = new RunnerOptions(1, Accumulation.FRAMEWORK);

    public RunnerOptions withAccumulation(int count, Accumulation owner) {
        return new RunnerOptions(count, owner);
    }

    /** Checks that steps with these hooks can have these options. @throws InvalidCallException if not */
    public void requireFit(List<StepHook> hooks) {
        if (microSteps > 1 && accumulation == Accumulation.LIBRARY) {
            hooks.stream().flatMap(hook -> hook.registered().stream()).forEach(RunnerOptions::requireSums);
        }
    }

    private static void requireSums(Parameter parameter) {
        String why = GradientSums.refusal(parameter);
        if (why != null) {
            throw new InvalidCallException("a registered gradient cannot be accumulated by the library: " + parameter
                    + ", why=" + why + "; let the framework add it up, with Accumulation.FRAMEWORK");
        }
    }
}
