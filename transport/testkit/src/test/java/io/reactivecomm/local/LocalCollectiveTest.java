package io.reactivecomm.local;

import io.reactivecomm.testkit.CollectiveContract;

class LocalCollectiveTest extends CollectiveContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
