package io.reactivecomm.internal.train;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.device.Device;
import io.reactivecomm.internal.engine.Submission;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.StepEnd;
import io.reactivecomm.train.TrainingStep;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A step as its runner begins it. The options of the runner are hooks of this step, in front of the program's and behind them.
 *
 * @param number its number
 * @param hooks those of the program, and those that come of options
 * @param program the source of gradients, and the receiver of results
 * @param agreed a text that ranks compare with the operation of each hook; perhaps empty
 * @param kind of its end, once it has succeeded
 */
public record AssembledStep(
        long number, List<StepHook> hooks, TrainingStep program, String agreed, Supplier<StepEnd.Kind> kind) {

    /** {@return a micro-step without a call} */
    public static AssembledStep local(long number, MicroStepGroup group, TrainingStep program) {
        return new AssembledStep(number, List.of(group.local()), program, "", () -> StepEnd.Kind.LOCAL);
    }

    /**
     * {@return the step that reduces the gradients of a group}
     *
     * @param registered the program's hooks
     */
    public static AssembledStep reducing(
            long number, MicroStepGroup group, boolean isFlush, List<StepHook> registered, RunnerOptions options) {
        List<StepHook> hooks = new ArrayList<>(registered);
        AtomicBoolean isSkipped = new AtomicBoolean();
        if (options.finite() != null && options.checked() != null) {
            FinitenessCheck check = new FinitenessCheck(options.finite(), options.checked(), isSkipped);
            hooks.addFirst(check.inputs());
            hooks.add(check.results());
        }
        if (options.clips()) {
            hooks.add(clip(options.maxNorm(), groupOfUnequalBits(registered)));
        }
        return new AssembledStep(
                number,
                hooks,
                group.last(isFlush),
                options.agreed(group),
                () -> isSkipped.get() ? StepEnd.Kind.SKIPPED : StepEnd.Kind.REDUCED);
    }

    private static StepHook clip(double maxNorm, @Nullable ProcessGroup group) {
        return new StepHook(
                new GlobalNormClip(maxNorm, group != null), new HookScope(group, HookScope.NO_CALLS.names()), null);
    }

    /** {@return the group whose engine gives ranks different bits; null if it is links, or there is no group} */
    private static @Nullable ProcessGroup groupOfUnequalBits(List<StepHook> hooks) {
        return hooks.stream()
                .flatMap(hook -> hook.group().stream())
                .filter(group -> !group.backend(Device.CPU).equals(Submission.BACKEND))
                .findFirst()
                .orElse(null);
    }
}
