package io.reactivecomm.local;

import io.reactivecomm.testkit.HookContract;

class LocalHookTest extends HookContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
