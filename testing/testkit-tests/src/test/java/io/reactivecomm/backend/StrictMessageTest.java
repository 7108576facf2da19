package io.reactivecomm.backend;

import io.reactivecomm.testkit.MessageContract;

/** Messages over an engine that refuses any disorder. */
class StrictMessageTest extends MessageContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
