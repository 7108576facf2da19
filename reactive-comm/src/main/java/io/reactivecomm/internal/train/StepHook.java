package io.reactivecomm.internal.train;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.HookScope;
import io.reactivecomm.train.Parameter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A hook's place among others. The same hook may have several, so places are equal only if they are the same. */
public final class StepHook {

    final GradientHook hook;
    final HookScope scope;
    /** Those that the hook is, which take gradients from the step directly; null for other hooks. */
    final @Nullable Buckets buckets;

    /** @param buckets those that the hook is, or null */
    public StepHook(GradientHook hook, HookScope scope, @Nullable Buckets buckets) {
        this.hook = hook;
        this.scope = scope;
        this.buckets = buckets;
    }

    StepMachine.HookPlace place() {
        return new StepMachine.HookPlace(scope.group() != null, scope.names());
    }

    Optional<ProcessGroup> group() {
        return Optional.ofNullable(scope.group());
    }

    /** {@return the parameters that it knows before the first step} */
    List<Parameter> registered() {
        BucketPlan plan = buckets == null ? null : buckets.common.registered();
        return plan == null ? List.of() : plan.parameters();
    }

    /** {@return the operation of the hook's composite call} Ranks compare it, so it has the labels of all hooks over the same ranks. */
    String operation(ProcessGroup group, List<StepHook> all) {
        List<StepHook> same = all.stream()
                .filter(each -> each.scope.group() != null && group.hasMembersOf(each.scope.group()))
                .toList();
        List<String> labels = same.stream().map(each -> each.hook.label()).toList();
        return same.size() == 1 ? hook.label() : "hook " + (same.indexOf(this) + 1) + " of " + labels;
    }
}
