package io.reactivecomm.local;

import io.reactivecomm.testkit.PartsContract;

class LocalPartsTest extends PartsContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
