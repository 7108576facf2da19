package io.reactivecomm.backend;

import io.reactivecomm.testkit.StepContract;
import io.reactivecomm.testkit.WorldContract;

/** Steps over an engine that refuses any disorder. */
class StrictStepTest extends StepContract {

    @Override
    public WorldContract.World open(int size) {
        return new StrictCompositeTest().open(size);
    }
}
