package io.reactivecomm.local;

import io.reactivecomm.testkit.ReductionContract;

class LocalReductionTest extends ReductionContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
