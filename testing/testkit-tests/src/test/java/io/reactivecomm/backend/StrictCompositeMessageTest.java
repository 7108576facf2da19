package io.reactivecomm.backend;

import io.reactivecomm.testkit.CompositeMessageContract;

/** Messages in composite calls over an engine that refuses any disorder. */
class StrictCompositeMessageTest extends CompositeMessageContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
