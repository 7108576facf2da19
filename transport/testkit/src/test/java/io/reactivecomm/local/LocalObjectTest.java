package io.reactivecomm.local;

import io.reactivecomm.testkit.ObjectContract;

class LocalObjectTest extends ObjectContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
