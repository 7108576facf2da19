package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.device.Device;
import io.reactivecomm.kernel.FloatScan;
import io.reactivecomm.train.Accumulation;
import io.reactivecomm.train.Divisor;
import io.reactivecomm.train.FiniteCheck;
import io.reactivecomm.train.MissingGradients;
import io.reactivecomm.train.Parameter;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The options of a runner of steps, and the hooks with which they cannot be.
 *
 * @param microSteps of a group, the last of which reduces
 * @param accumulation the owner of their sums
 * @param maxNorm the greatest norm of all gradients together; infinite if they are not clipped
 * @param check for gradients that are not finite, or null
 * @param uneven the terms on which ranks have uneven inputs; null if they have not
 */
public record RunnerOptions(
        int microSteps,
        Accumulation accumulation,
        double maxNorm,
        @Nullable Check check,
        ActiveRanks.@Nullable Terms uneven) {

    /**
     * The check of gradients.
     *
     * @param mode the consequence of a gradient that is not finite
     * @param group whose ranks compare
     */
    record Check(FiniteCheck mode, ProcessGroup group) {}

    /** Each step reduces, and nothing else. */
    public static final RunnerOptions NONE =
            new RunnerOptions(1, Accumulation.FRAMEWORK, Double.POSITIVE_INFINITY, null, null);

    public RunnerOptions withAccumulation(int count, Accumulation owner) {
        return new RunnerOptions(count, owner, maxNorm, check, uneven);
    }

    /** @throws InvalidCallException if it is not a positive number */
    public RunnerOptions withMaxNorm(double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new InvalidCallException(
                    "gradients cannot be clipped to this norm: max=" + value + "; give a positive number, such as 1");
        }
        return new RunnerOptions(microSteps, accumulation, value, check, uneven);
    }

    boolean clips() {
        return maxNorm < Double.POSITIVE_INFINITY;
    }

    /** @param group of the call in which ranks compare */
    public RunnerOptions withCheck(FiniteCheck mode, ProcessGroup group) {
        return new RunnerOptions(microSteps, accumulation, maxNorm, new Check(mode, group), uneven);
    }

    public RunnerOptions withUneven(Divisor divisor) {
        return new RunnerOptions(microSteps, accumulation, maxNorm, check, new ActiveRanks.Terms(divisor, false));
    }

    /** @throws InvalidCallException if inputs are even */
    public RunnerOptions withErrorOfEarlyEnd() {
        return new RunnerOptions(
                microSteps,
                accumulation,
                maxNorm,
                check,
                new ActiveRanks.Terms(requireUneven().divisor(), true));
    }

    /** Checks that ranks may have uneven inputs. @throws InvalidCallException if not */
    public void requireFinishing() {
        requireUneven();
    }

    /** {@return the terms on which ranks have uneven inputs} @throws InvalidCallException if they have not */
    private ActiveRanks.Terms requireUneven() {
        if (uneven == null) {
            throw new InvalidCallException(
                    "this runner counts no active ranks: unevenInputs=false; take the view that withUnevenInputs() gives, on all ranks");
        }
        return uneven;
    }

    /** {@return the options that ranks compare, as an end of each hook's operation} @param begun the number of micro-steps of the group */
    String agreed(int begun) {
        String of = uneven == null ? begun + " of " + microSteps : "up to " + microSteps;
        return (microSteps == 1 ? "" : ", " + of + " micro-steps") + (clips() ? ", clipped to " + maxNorm : "");
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
        if (check != null) {
            requireAll(hooks, "checked", RunnerOptions::refusalOfCheck, "check it before it is handed over");
        }
        if (clips()) {
            requireAll(hooks, "clipped by the global norm", RunnerOptions::refusalOfNorm, "clip it in the optimizer");
            requireOneNorm(hooks);
        }
        if (uneven != null) {
            requireBuckets(hooks);
        }
    }

    /** A rank without inputs contributes every parameter as absent: that takes buckets that know them. */
    private static void requireBuckets(List<StepHook> hooks) {
        List<StepHook> reducing = reducing(hooks);
        for (StepHook hook : reducing) {
            Buckets buckets = hook.buckets;
            String why = null;
            if (buckets == null) {
                why = "it is no GradientBuckets";
            } else if (buckets.common.registered() == null) {
                why = "its parameters are not registered";
            } else if (buckets.options().missing() == MissingGradients.LEFT_OUT) {
                why = "MissingGradients.LEFT_OUT gives finished ranks no results";
            } else if (!isOverOneGroup(hook, reducing)) {
                why = "the hooks have groups of different members";
            }
            if (why != null) {
                throw new InvalidCallException("a hook cannot have uneven inputs: hook=" + hook.hook.label() + ", why="
                        + why + "; reduce all gradients in registered GradientBuckets over one group");
            }
        }
    }

    private static List<StepHook> reducing(List<StepHook> hooks) {
        return hooks.stream().filter(hook -> hook.group().isPresent()).toList();
    }

    private static boolean isOverOneGroup(StepHook hook, List<StepHook> reducing) {
        return hook.group()
                .orElseThrow()
                .hasMembersOf(reducing.getFirst().group().orElseThrow());
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

    private static @Nullable String refusalOfCheck(Parameter parameter) {
        return parameter.device().equals(Device.CPU) ? null : "it is on a device";
    }

    private static @Nullable String refusalOfNorm(Parameter parameter) {
        String why = refusalOfCheck(parameter);
        return why != null || FloatScan.reads(parameter.type()) ? why : "its type has no norm";
    }

    /** All ranks must have the same gradients behind the last hook. */
    private static void requireOneNorm(List<StepHook> hooks) {
        List<StepHook> reducing = reducing(hooks);
        for (StepHook hook : reducing) {
            String why = null;
            if (!hook.scope.takesAllNames()) {
                why = "the hook takes some names only";
            } else if (!isOverOneGroup(hook, reducing)) {
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
