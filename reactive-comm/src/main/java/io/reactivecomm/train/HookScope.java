package io.reactivecomm.train;

import io.reactivecomm.Located;
import io.reactivecomm.ProcessGroup;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The group of a hook, and the gradients that it takes. Gradients of other names pass the hook by. So experts and dense layers are reduced over different
 * groups:
 *
 * <pre>{@code
 * hooks.register(ParallelHooks.dataParallel(dense), HookScope.of(dense).withNames(name -> !name.startsWith("expert")));
 * hooks.register(ParallelHooks.dataParallel(experts), HookScope.of(experts).withNames(name -> name.startsWith("expert")));
 * }</pre>
 *
 * @param group the view whose name, deadline, priority and bits the hook's calls have; null for a hook that makes no calls
 * @param names whether the hook takes a gradient of a name; the same answer on all ranks, in every step
 */
public record HookScope(@Nullable ProcessGroup group, Predicate<String> names) {

    private static final Predicate<String> ALL_NAMES = name -> true;

    /** All gradients, without a group. */
    public static final HookScope NO_CALLS = new HookScope(null, ALL_NAMES);

    public HookScope {
        Objects.requireNonNull(names, "a scope has no names; give a predicate, such as name -> true for all");
    }

    /** {@return all gradients, with calls through a group; call sites in errors are where this is called} */
    public static HookScope of(ProcessGroup group) {
        return all(Located.here(group));
    }

    /** {@return all gradients, with calls through a group that knows its call site} */
    static HookScope all(ProcessGroup located) {
        return new HookScope(located, ALL_NAMES);
    }

    /** {@return the same group with these names only} */
    public HookScope withNames(Predicate<String> value) {
        return new HookScope(group, value);
    }

    /** {@return whether it was made for all names, not with a predicate} */
    public boolean takesAllNames() {
        return names == ALL_NAMES;
    }
}
