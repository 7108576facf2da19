package io.reactivecomm.local;

import io.reactivecomm.testkit.FlowContract;

class LocalFlowTest extends FlowContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
