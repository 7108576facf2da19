package io.reactivecomm.backend;

import io.reactivecomm.testkit.StepMessageContract;

/** Messages in steps over an engine that refuses any disorder. */
class StrictStepMessageTest extends StepMessageContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
