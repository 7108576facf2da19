package io.reactivecomm.local;

import io.reactivecomm.testkit.StreamContract;

class LocalStreamTest extends StreamContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
