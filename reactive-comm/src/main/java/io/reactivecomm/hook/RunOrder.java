package io.reactivecomm.hook;

import io.reactivecomm.internal.base.OwnThreads;
import org.jspecify.annotations.Nullable;

/**
 * The order of the runs of one chain: each begins when nobody is at the hooks of the one before. Where a run was left while another thread subscribes to its
 * hooks, that step would take the place of the next.
 *
 * <p><b>Threads.</b> Any.
 */
final class RunOrder {

    private @Nullable HookOpenings latest;

    /** Begins a run: at once, on this thread, unless somebody is at the hooks of the one before. */
    void begin(ChainRun run) {
        HookOpenings before = follow(run.openings());
        boolean waits =
                before != null && before.holdUp(() -> OwnThreads.shared().schedule(run::subscribeLate));
        if (!waits) {
            run.subscribe();
        }
    }

    private synchronized @Nullable HookOpenings follow(HookOpenings next) {
        HookOpenings before = latest;
        latest = next;
        return before;
    }
}
