package io.reactivecomm.backend;

import io.reactivecomm.testkit.group.StepMessageContract;
import org.junit.jupiter.api.Tag;

/** Messages in steps over an engine that refuses any disorder. */
@Tag("repeated")
class StrictStepMessageTest extends StepMessageContract {

    @Override
    public World open(int size) {
        return StrictWorlds.open(size);
    }
}
