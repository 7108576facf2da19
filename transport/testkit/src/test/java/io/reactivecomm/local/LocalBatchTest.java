package io.reactivecomm.local;

import io.reactivecomm.testkit.BatchContract;

class LocalBatchTest extends BatchContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
