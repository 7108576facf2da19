package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.device.Device;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.kernel.FloatScan;
import io.reactivecomm.train.Accumulation;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.MissingGradients;
import io.reactivecomm.train.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The options of a runner of steps, and the hooks that come of them. A hook of an option serves one step.
 *
 * @param microSteps of a group, the last of which reduces
 * @param accumulation the owner of their sums
 * @param maxNorm the greatest norm of all gradients together; infinite if they are not clipped
 */
public record RunnerOptions(int microSteps, Accumulation accumulation, double maxNorm) {

    /** Each step reduces, and nothing else. */
    public static final RunnerOptions NONE = new RunnerOptions(1, Accumulation.FRAMEWORK, Double.POSITIVE_INFINITY);

    public RunnerOptions withAccumulation(int count, Accumulation owner) {
        return new RunnerOptions(count, owner, maxNorm);
    }

    /** @throws InvalidCallException if it is not a positive number */
    public RunnerOptions withMaxNorm(double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new InvalidCallException(
                    "gradients cannot be clipped to this norm: max=" + value + "; give a positive number, such as 1");
        }
        return new RunnerOptions(microSteps, accumulation, value);
    }

    private boolean clips() {
        return maxNorm < Double.POSITIVE_INFINITY;
    }

    /** {@return the hooks of a step: the program's, and those of these options} */
    public List<StepHook> hooks(List<StepHook> registered) {
        List<StepHook> hooks = new ArrayList<>(registered);
        if (clips()) {
            ProcessGroup group = groupOfUnequalBits(registered);
            GlobalNormClip clip = new GlobalNormClip(maxNorm, group != null);
            if (group == null) {
                hooks.add(new StepHook(clip, HookScope.NO_CALLS, null));
            } else {
                hooks.add(new StepHook(clip, HookScope.of(group), null));
            }
        }
        return hooks;
    }

    /** {@return the options that ranks compare, as an end of each hook's operation} @param group of micro-steps */
    public String agreed(MicroStepGroup group) {
        return group.agreed(true) + (clips() ? ", clipped to " + maxNorm : "");
    }

    /** {@return the group whose engine gives ranks different bits; null if it is links, or there is no group} */
    private static @Nullable ProcessGroup groupOfUnequalBits(List<StepHook> hooks) {
        return hooks.stream()
                .flatMap(hook -> hook.group().stream())
                .filter(group -> !group.backend(Device.CPU).equals(Submission.BACKEND))
                .findFirst()
                .orElse(null);
    }

    /** Checks that steps with these hooks can have these options. @throws InvalidCallException if not */
    public void requireFit(List<StepHook> hooks) {
        if (microSteps > 1 && accumulation == Accumulation.LIBRARY) {
            requireAll(
                    hooks,
                    "accumulated by the library",
                    GradientSums::refusal,
                    "let the framework add it up, with Accumulation.FRAMEWORK");
        }
        if (clips()) {
            requireAll(hooks, "clipped by the global norm", RunnerOptions::refusalOfNorm, "clip it in the optimizer");
            requireOneNorm(hooks);
        }
    }

    private static void requireAll(
            List<StepHook> hooks, String what, Function<Parameter, @Nullable String> refusal, String remedy) {
        for (StepHook hook : hooks) {
            for (Parameter parameter : hook.registered()) {
                String why = refusal.apply(parameter);
                if (why != null) {
                    throw new InvalidCallException("a registered gradient cannot be " + what + ": " + parameter
                            + ", why=" + why + "; " + remedy);
                }
            }
        }
    }

    private static @Nullable String refusalOfNorm(Parameter parameter) {
        if (!parameter.device().equals(Device.CPU)) {
            return "it is on a device";
        }
        return FloatScan.reads(parameter.type()) ? null : "its type has no norm";
    }

    /** All ranks must have the same gradients behind the last hook. */
    private static void requireOneNorm(List<StepHook> hooks) {
        List<StepHook> reducing =
                hooks.stream().filter(hook -> hook.group().isPresent()).toList();
        for (StepHook hook : reducing) {
            String why = null;
            if (!hook.scope.takesAllNames()) {
                why = "the hook takes some names only";
            } else if (!hook.group()
                    .orElseThrow()
                    .hasMembersOf(reducing.getFirst().group().orElseThrow())) {
                why = "the hooks have groups of different members";
            } else if (hook.buckets != null && hook.buckets.options().missing() == MissingGradients.LEFT_OUT) {
                why = "MissingGradients.LEFT_OUT gives ranks different gradients";
            }
            if (why != null) {
                throw new InvalidCallException(
                        "the global norm would differ between ranks: hook=" + hook.hook.label()
                                + ", why=" + why
                                + "; reduce all gradients over one group, by hooks registered without names, or clip in the optimizer");
            }
        }
    }
}
