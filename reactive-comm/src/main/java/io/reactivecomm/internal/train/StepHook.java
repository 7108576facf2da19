package io.reactivecomm.internal.train;

import io.reactivecomm.ProcessGroup;
import io.reactivecomm.train.GradientHook;
import io.reactivecomm.train.HookScope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A hook's place among others. The same hook may have several, so places are equal only if they are the same. */
public final class StepHook {

    private final GradientHook hook;
    private final HookScope scope;

    public StepHook(GradientHook hook, HookScope scope) {
        this.hook = hook;
        this.scope = scope;
    }

    GradientHook hook() {
        return hook;
    }

    @Nullable ProcessGroup group() {
        return scope.group();
    }

    StepMachine.HookPlace place() {
        return new StepMachine.HookPlace(group() != null, scope.names());
    }

    /** {@return the operation of the hook's composite call} Ranks compare it, so it has the labels of all hooks over the same ranks. */
    String operation(ProcessGroup group, List<StepHook> all) {
        List<StepHook> same = all.stream()
                .filter(each -> each.group() != null && group.hasMembersOf(each.group()))
                .toList();
        List<String> labels = same.stream().map(each -> each.hook.label()).toList();
        return same.size() == 1 ? hook.label() : "hook " + (same.indexOf(this) + 1) + " of " + labels;
    }
}
