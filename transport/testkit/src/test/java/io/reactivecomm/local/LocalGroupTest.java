package io.reactivecomm.local;

import io.reactivecomm.testkit.GroupContract;

class LocalGroupTest extends GroupContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
