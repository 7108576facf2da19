package io.reactivecomm.local;

import io.reactivecomm.testkit.GroupLifeContract;

class LocalGroupLifeTest extends GroupLifeContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
