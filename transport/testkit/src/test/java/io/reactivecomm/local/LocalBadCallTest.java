package io.reactivecomm.local;

import io.reactivecomm.testkit.BadCallContract;

class LocalBadCallTest extends BadCallContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
