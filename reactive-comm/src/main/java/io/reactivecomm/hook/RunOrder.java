package io.reactivecomm.hook;

import org.jspecify.annotations.Nullable;

/**
 * The order of the runs of one chain, as it was subscribed to. A run that was left while some other thread subscribes to its hooks is waited for, since that
 * step would take the place of the next.
 *
 * <p><b>Threads.</b> Any.
 */
final class RunOrder {

    private @Nullable HookOpenings latest;

    /** Begins a run: at once, on this thread, unless the one before is at its hooks. */
    void begin(ChainRun run) {
        HookOpenings before = follow(run.openings());
        if (before == null) {
            run.subscribe();
        } else {
            before.behind(run::subscribe);
        }
    }

    private synchronized @Nullable HookOpenings follow(HookOpenings next) {
        HookOpenings before = latest;
        latest = next;
        return before;
    }
}
