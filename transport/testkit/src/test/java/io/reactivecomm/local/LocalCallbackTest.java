package io.reactivecomm.local;

import io.reactivecomm.testkit.CallbackContract;

class LocalCallbackTest extends CallbackContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
