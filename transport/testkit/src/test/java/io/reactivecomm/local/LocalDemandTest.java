package io.reactivecomm.local;

import io.reactivecomm.testkit.DemandContract;

class LocalDemandTest extends DemandContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
