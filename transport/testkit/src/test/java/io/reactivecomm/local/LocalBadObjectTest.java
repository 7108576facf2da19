package io.reactivecomm.local;

import io.reactivecomm.testkit.BadObjectContract;

class LocalBadObjectTest extends BadObjectContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
