package io.reactivecomm.local;

import io.reactivecomm.testkit.BarrierContract;

class LocalBarrierTest extends BarrierContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
