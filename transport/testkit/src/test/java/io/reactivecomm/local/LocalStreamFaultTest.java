package io.reactivecomm.local;

import io.reactivecomm.testkit.StreamFaultContract;

class LocalStreamFaultTest extends StreamFaultContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
