package io.reactivecomm.internal.local;

import io.reactivecomm.testkit.HookFuzzContract;

/** Chains of hooks over local worlds, under operators drawn at random. */
class LocalHookFuzzTest extends HookFuzzContract implements LocalWorlds {

    @Override
    protected int seeds() {
        return 2_000;
    }
}
