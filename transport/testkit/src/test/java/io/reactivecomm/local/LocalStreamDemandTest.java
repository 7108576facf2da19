package io.reactivecomm.local;

import io.reactivecomm.testkit.StreamDemandContract;

class LocalStreamDemandTest extends StreamDemandContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
