package io.reactivecomm.local;

import io.reactivecomm.testkit.FaultContract;

class LocalFaultTest extends FaultContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
