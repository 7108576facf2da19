package io.reactivecomm.backend;

import io.reactivecomm.testkit.BatchContract;

/** Batches over an engine that refuses any disorder. */
class StrictBatchTest extends BatchContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
