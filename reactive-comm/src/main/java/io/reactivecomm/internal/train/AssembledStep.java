package io.reactivecomm.internal.train;

import io.reactivecomm.InvalidCallException;
import io.reactivecomm.ProcessGroup;
import io.reactivecomm.device.Device;
import io.reactivecomm.train.Gradient;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.StepEnd;
import io.reactivecomm.train.TrainingStep;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

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

    /** The engine that gives all ranks the same bits, as {@link ProcessGroup#backend} names it. */
    private static final String LINKS = "links";

    /** {@return a micro-step without a call} */
    public static AssembledStep local(long number, MicroStepGroup group, TrainingStep program) {
        return new AssembledStep(number, List.of(group.local()), program, "", () -> StepEnd.Kind.LOCAL);
    }

    /** {@return the step that reduces the gradients of a group} @param registered the program's hooks */
    public static AssembledStep reducing(
            long number, MicroStepGroup group, boolean isFlush, List<StepHook> registered, RunnerOptions options) {
        return of(number, group.last(isFlush), options.agreed(group.begun()), registered, options, true);
    }

    /** {@return a step that other ranks take and this one has no input for} @param program receives the results */
    public static AssembledStep shadow(
            long number, TrainingStep program, List<StepHook> registered, RunnerOptions options) {
        return of(number, new Shadow(program), options.agreed(0), registered, options, false);
    }

    private static AssembledStep of(
            long number,
            TrainingStep program,
            String agreed,
            List<StepHook> registered,
            RunnerOptions options,
            boolean isActive) {
        List<StepHook> hooks = new ArrayList<>(registered);
        AtomicBoolean isSkipped = new AtomicBoolean();
        if (options.check() != null) {
            FinitenessCheck check =
                    new FinitenessCheck(options.check().mode(), options.check().group(), isSkipped);
            hooks.addFirst(check.inputs());
            hooks.add(check.results());
        }
        if (options.clips()) {
            hooks.add(clip(options.maxNorm(), groupOfUnequalBits(registered)));
        }
        if (options.uneven() != null) {
            hooks.add(new ActiveRanks(groupOfBuckets(registered), options.uneven(), isActive).hook());
        }
        return new AssembledStep(
                number, hooks, program, agreed, () -> isSkipped.get() ? StepEnd.Kind.SKIPPED : StepEnd.Kind.REDUCED);
    }

    /** {@return the count of ranks that have inputs; null where all have} */
    @Nullable ActiveRanks active() {
        return !hooks.isEmpty() && hooks.getLast().hook instanceof ActiveRanks last ? last : null;
    }

    /** {@return whether no rank had an input for the step, which has succeeded} */
    public boolean isLast() {
        return hooks.getLast().hook instanceof ActiveRanks last && last.areNone();
    }

    private static ProcessGroup groupOfBuckets(List<StepHook> registered) {
        return registered.stream()
                .flatMap(hook -> hook.group().stream())
                .findFirst()
                .orElseThrow(() -> new InvalidCallException("a runner with uneven inputs has no buckets: hooks="
                        + registered.size() + "; register GradientBuckets with registered parameters"));
    }

    private static StepHook clip(double maxNorm, @Nullable ProcessGroup group) {
        return new StepHook(
                new GlobalNormClip(maxNorm, group != null), new HookScope(group, HookScope.NO_CALLS.names()), null);
    }

    /** {@return the group whose engine gives ranks different bits; null if it is links, or there is no group} */
    private static @Nullable ProcessGroup groupOfUnequalBits(List<StepHook> hooks) {
        return hooks.stream()
                .flatMap(hook -> hook.group().stream())
                .filter(group -> !group.backend(Device.CPU).equals(LINKS))
                .findFirst()
                .orElse(null);
    }

    /** The part of a program without inputs: it produces nothing, and takes results back. */
    private record Shadow(TrainingStep program) implements TrainingStep {

        @Override
        public Flux<Gradient> gradients() {
            return Flux.empty();
        }

        @Override
        public Mono<Void> takeBack(Gradient reduced) {
            return program.takeBack(reduced);
        }
    }
}
