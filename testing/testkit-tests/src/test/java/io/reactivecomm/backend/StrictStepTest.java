package io.reactivecomm.backend;

import io.reactivecomm.testkit.StepContract;

/** Steps over an engine that refuses any disorder. */
class StrictStepTest extends StepContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
