package io.reactivecomm.local;

import io.reactivecomm.testkit.ReducedPartsContract;

class LocalReducedPartsTest extends ReducedPartsContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
