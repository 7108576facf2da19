package io.reactivecomm.backend;

import io.reactivecomm.testkit.group.StepContract;
import org.junit.jupiter.api.Tag;

/** Steps over an engine that refuses any disorder. */
@Tag("repeated")
class StrictStepTest extends StepContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
