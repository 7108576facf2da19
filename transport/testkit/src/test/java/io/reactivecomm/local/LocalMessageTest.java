package io.reactivecomm.local;

import io.reactivecomm.testkit.MessageContract;

class LocalMessageTest extends MessageContract {

    @Override
    protected World open(int size) {
        return LocalWorlds.open(size);
    }
}
